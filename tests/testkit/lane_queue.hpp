#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testkit/in_process.hpp"
#include "testkit/resp_value.hpp"

namespace fairlane::testkit {

enum class LanePolicy : std::uint8_t { ring, smooth };
std::string_view policy_name(LanePolicy policy) noexcept;

/// A queue named "q" of a whole server in process, driven by LANE commands. Its lanes are numbered. A reply that is not
/// what the command answers when all is well throws std::runtime_error: a drill makes no mistakes.
class LaneQueue {
 public:
  struct Job {
    std::size_t lane;
    std::string id;
    std::string token;
  };

  explicit LaneQueue(LanePolicy policy);

  static std::string lane_name(std::size_t lane) { return "lane" + std::to_string(lane); }
  /// The number in a lane's name.
  static std::size_t lane_number(std::string_view name);

  void enqueue(std::size_t lane, std::size_t jobs = 1);
  /// A few jobs for each of so many lanes: enough to stay backlogged when whoever serves a lane refills it.
  void fill(std::size_t first, std::size_t lanes);
  void set_weight(std::size_t lane, std::uint32_t weight);
  /// 0 takes it away.
  void set_limit(std::size_t lane, std::uint32_t limit);
  void pause(std::size_t lane);
  void resume(std::size_t lane);

  /// One job of the weighted rota; none when nothing is claimable.
  std::optional<Job> claim();
  void complete(const Job& job);
  /// Claims a job, which there is, and completes it. Returns its lane.
  std::size_t serve();
  /// The same, and its lane gets another job.
  std::size_t serve_and_refill();

 private:
  Value ask(const std::vector<std::string>& words);
  void tell(const std::vector<std::string>& words);

  InProcess server_;
  InProcessClient& client_ = server_.connect();
  RespReader reader_;
  std::uint64_t last_job_ = 1'000'000'000;  // as many digits for all, so a lane hands its jobs out in this order
};

}  // namespace fairlane::testkit
