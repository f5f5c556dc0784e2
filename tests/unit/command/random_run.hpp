#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fairlane/base/random.hpp"
#include "testkit/in_process.hpp"
#include "unit/command/lane_model.hpp"

namespace fairlane::command::lane_model {

/// One thing that happened, so that it can happen again.
struct Happened {
  enum class Kind : std::uint8_t { asked, heard, left, time_passed };

  Kind kind;
  int client = 0;
  std::string request;
  std::string reply;
  std::int64_t millis = 0;

  friend bool operator==(const Happened&, const Happened&) = default;
};
std::string shown(const Happened& happened);

enum class Log : std::uint8_t { all, latest };

/// A server with a few clients, in virtual time, that writes down what happens.
class Recorder {
 public:
  static constexpr int kClients = 4;

  explicit Recorder(Log kept);
  std::string ask(int client, const std::string& request);
  /// What the client was told since; empty when nothing.
  std::string hear(int client);
  /// The client goes away, and another one comes in its place.
  void leave(int client);
  void pass(std::int64_t millis);
  /// Does the same again; answers what happened instead.
  Happened again(const Happened& happened);

  testkit::InProcess& server() noexcept { return server_; }
  const std::vector<Happened>& log() const noexcept { return log_; }

 private:
  void write_down(Happened happened);

  const Log kept_;
  testkit::InProcess server_;
  std::array<testkit::InProcessClient*, kClients> clients_;
  std::vector<Happened> log_;
};

/// Chooses operations at random, has the server and the model do them, and compares.
class RandomRun {
 public:
  RandomRun(std::uint64_t seed, Log kept);

  /// Does something; what differs then, empty when nothing does.
  std::string step();
  const std::vector<Happened>& log() const noexcept { return recorder_.log(); }

 private:
  /// A queue under test and what it should be.
  struct Queue {
    std::string name;
    Model model;
    std::size_t keys = 0;

    std::string key(const std::string& suffix) const { return "emq:{" + name + "}:" + suffix; }
  };

  // --- choices
  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
  bool chance(std::uint64_t one_in) { return below(one_in) == 0; }
  std::int64_t one_to(std::uint64_t most) { return static_cast<std::int64_t>(below(most)) + 1; }
  std::int64_t duration() { return one_to(60); }
  /// No lane command gives such an instant: the server must not take it for one of its own.
  double script_instant() { return static_cast<double>(model().now + duration()) + 0.5; }
  std::string some_lane();
  std::optional<std::string> maybe_lane();
  std::optional<std::string> some_job(bool leased);
  std::string some_token(const std::string& id);
  /// Ids come in no particular order, and some come again.
  std::string new_id() { return "j" + std::to_string(100 + below(900)); }

  // --- asking
  Model& model() { return queue_->model; }
  /// A lane command and what it should answer; of an error the first word is compared.
  void expect(const std::string& command, const std::string& arguments, const std::string& expected, int client = 0);
  /// An ordinary command on a key of the queue.
  void script(const std::string& command, const std::string& suffix, const std::string& arguments = "");
  void atomically(void (RandomRun::*commands)());

  // --- who sends lane commands
  void produce();
  void work();
  void wait_for_work();
  void settle();
  void extend();
  void operate_on_lane();
  void operate_on_job();
  void operate_on_many();
  void operate_on_queue();
  void pause_queue();
  void resume_queue();
  void pass_time();

  // --- who sends ordinary commands
  void script_moves_the_ring();
  void script_takes_a_wake_token();
  void script_enqueues();
  void script_claims();
  void script_claims_ungrouped();
  void script_completes();
  void script_leases_anew();
  void script_delays();
  void script_creates(const char* state, Place place, double when);
  void script_leases(const std::string& id);
  void script_settles_ring(const std::string& lane);

  // --- comparing
  void serve_waiting(Queue& queue);
  void compare_replies();
  void compare_keys();

  Recorder recorder_;
  base::Random random_;
  std::vector<Queue> queues_;
  Queue* queue_ = nullptr;
  bool time_passed_ = false;
  std::map<int, std::string> to_hear_;
  std::string error_;
};

}  // namespace fairlane::command::lane_model
