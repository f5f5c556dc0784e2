#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "command/lane/queue.hpp"
#include "fairlane/data/list.hpp"

namespace fairlane::command {

/// The ring of a queue during one step: the lanes that can be served, the next one at the head. Changes are published
/// when it goes out of scope. No other object edits the ring's key meanwhile, and names given to it are no views of the
/// ring.
class Rota {
 public:
  explicit Rota(Queue& queue);
  Rota(const Rota&) = delete;
  Rota& operator=(const Rota&) = delete;
  ~Rota() { publish(); }

  bool wrong_type() const noexcept { return ring_->wrong_type(); }

  // The rest requires !wrong_type().
  bool empty() const noexcept { return ring_->absent() || ring_->peek().empty(); }
  std::size_t size() const noexcept { return ring_->absent() ? 0 : ring_->peek().size(); }
  const data::List& ring() const noexcept { return ring_->peek(); }
  std::string_view head() const noexcept { return ring_->peek().front(); }
  bool contains(std::string_view lane);
  /// The lane is not in the ring.
  void append(std::string_view lane);
  /// The lane is in the ring.
  void remove(std::string_view lane);

  /// Policy `smooth`: who is next, and how far each is. The ring is not empty. O(lanes) after others changed the ring.
  lane::FairQueue& fair();
  /// Policy `ring`, which knows nothing of the past.
  void forget_fair() noexcept { state_->fair.reset(); }
  QueueState& state() noexcept { return *state_; }

  // The head's turn: it ends at the tail, with the lane leaving, or goes on with the next claim.
  void end_turn();
  void drop_head();
  void cut_turn(std::string_view lane, std::int64_t left);
  /// Jobs that an unfinished turn of the head still allows; 0 when it begins a new one.
  std::int64_t turn_left(std::string_view lane) const noexcept;

 private:
  void attach();
  void publish();
  void wake(std::string_view lane);
  void wake_and_sleep();
  void mark(engine::Event event) noexcept {
    changed_ = true;
    event_ = event;
  }
  void forget_turn() noexcept {
    if (state_ != nullptr) state_->turn_left = 0;
  }

  Queue& queue_;
  std::optional<engine::Edit<data::List>> ring_;
  QueueState* state_ = nullptr;  // null only while the ring is absent
  bool changed_ = false;
  engine::Event event_ = engine::events::kLRem;
};

}  // namespace fairlane::command
