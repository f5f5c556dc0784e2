#include "testkit/lane_queue.hpp"

#include <stdexcept>
#include <utility>

#include "fairlane/base/number.hpp"

namespace fairlane::testkit {
namespace {

/// Longer than any drill: none of them lets time pass.
constexpr std::string_view kLease = "1000000";

[[noreturn]] void fail(const std::vector<std::string>& words, const Value& reply) {
  std::string text;
  for (const std::string& word : words) text += word + ' ';
  throw std::runtime_error(text + "was answered " + show(reply));
}

}  // namespace

std::string_view policy_name(LanePolicy policy) noexcept { return policy == LanePolicy::ring ? "ring" : "smooth"; }

LaneQueue::LaneQueue(LanePolicy policy) {
  tell({"LANE.CONFIG", "q", "SET", "policy", std::string(policy_name(policy))});
}

std::size_t LaneQueue::lane_number(std::string_view name) {
  return static_cast<std::size_t>(base::parse_integer(name.substr(lane_name(0).size() - 1)).value());
}

Value LaneQueue::ask(const std::vector<std::string>& words) {
  client_.send_bytes(encode_request(words));
  reader_.feed(client_.take());
  auto reply = reader_.next();
  if (!reply || reply->kind == Kind::error) fail(words, reply.value_or(Value{}));
  return std::move(*reply);
}

void LaneQueue::tell(const std::vector<std::string>& words) {
  const Value reply = ask(words);
  if (reply.text != "OK") fail(words, reply);
}

void LaneQueue::enqueue(std::size_t lane, std::size_t jobs) {
  for (; jobs > 0; --jobs) {
    const std::string id = std::to_string(++last_job_);
    const std::vector<std::string> words = {"LANE.ENQUEUE", "q", lane_name(lane), id, "work"};
    const Value reply = ask(words);
    if (reply.text != id) fail(words, reply);
  }
}

void LaneQueue::fill(std::size_t first, std::size_t lanes) {
  for (std::size_t lane = first; lane < first + lanes; ++lane) enqueue(lane, 3);
}

void LaneQueue::set_weight(std::size_t lane, std::uint32_t weight) {
  tell({"LANE.WEIGHT", "q", lane_name(lane), std::to_string(weight)});
}

void LaneQueue::set_limit(std::size_t lane, std::uint32_t limit) {
  tell({"LANE.LIMIT", "q", lane_name(lane), std::to_string(limit)});
}

void LaneQueue::pause(std::size_t lane) { tell({"LANE.PAUSE", "q", lane_name(lane)}); }

void LaneQueue::resume(std::size_t lane) { tell({"LANE.RESUME", "q", lane_name(lane)}); }

std::optional<LaneQueue::Job> LaneQueue::claim() {
  // Unlike LANE.CLAIM it heeds weights under both policies.
  const Value reply = ask({"LANE.WCLAIM", "q", std::string(kLease), "COUNT", "1"});
  if (reply.items.empty()) return std::nullopt;
  const std::vector<Value>& tuple = reply.items.front().items;
  return Job{lane_number(tuple[3].text), tuple[0].text, tuple[2].text};
}

void LaneQueue::complete(const Job& job) {
  const std::vector<std::string> words = {"LANE.COMPLETE", "q", job.id, job.token};
  const Value reply = ask(words);
  if (reply.text != "1") fail(words, reply);
}

std::size_t LaneQueue::serve() {
  const auto job = claim();
  if (!job) throw std::runtime_error("nothing was claimable");
  complete(*job);
  return job->lane;
}

std::size_t LaneQueue::serve_and_refill() {
  const std::size_t lane = serve();
  enqueue(lane);
  return lane;
}

}  // namespace fairlane::testkit
