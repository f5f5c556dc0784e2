#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/base/assert.hpp"
#include "fairlane/base/number.hpp"
#include "fairlane/command/catalog.hpp"
#include "fairlane/command/options.hpp"
#include "fuzz/targets.hpp"
#include "testkit/in_process.hpp"
#include "testkit/resp_value.hpp"

namespace fairlane::fuzz {
namespace {

using command::Command;
using testkit::InProcess;
using testkit::InProcessClient;

constexpr std::size_t kMostSteps = 300;
constexpr std::size_t kMostArguments = 8;

constexpr std::array<std::string_view, 8> kKeys = {"a", "b", "c", "d", "e", "f", "q", "{q}x"};
constexpr std::array<std::string_view, 12> kMembers = {"a",  "b", "c",   "",  "1",   "-1",
                                                       "10", "x", "f:1", "0", "3.0", "long member that is not packed"};
constexpr std::array<std::string_view, 12> kSmall = {"0", "1",  "2",  "3",   "-1",   "-2",
                                                     "5", "-3", "10", "100", "-100", "7"};
constexpr std::array<std::string_view, 8> kBorders = {
    "9223372036854775807",  "-9223372036854775808", "9223372036854775808", "-9223372036854775807",
    "18446744073709551615", "4294967296",           "2147483647",          "2147483648"};
constexpr std::array<std::string_view, 12> kScores = {"inf", "-inf",   "nan", "1.5",   "-0",    "1e300",
                                                      "0.1", "1e-300", "(1",  "(-inf", "1e400", "0x10"};
constexpr std::array<std::string_view, 12> kPatterns = {"*", "a*", "[a-c]", "?",  "[^a]*",  "\\*",
                                                        "-", "+",  "[b",    "(a", "nosort", "*->a"};
/// Not reachable by name: they end the process, take its time or write files.
constexpr std::array<std::string_view, 3> kLeftOut = {"debug", "config|rewrite", "memory|malloc-stats"};

/// The input, piece by piece; zeros when it is over.
class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) noexcept : bytes_(bytes) {}
  bool over() const noexcept { return bytes_.empty(); }
  std::uint8_t byte() noexcept {
    if (over()) return 0;
    const std::uint8_t first = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return first;
  }
  std::size_t number() noexcept {
    const std::size_t high = byte();
    return high * 256 + byte();
  }
  std::string text() {
    const std::size_t wanted = byte();
    const std::size_t size = std::min(wanted, bytes_.size());
    std::string text(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(size));
    bytes_ = bytes_.subspan(size);
    return text;
  }
  template <class Pool>
  std::string one_of(const Pool& pool) {
    return std::string(pool[byte() % pool.size()]);
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

/// The words of a syntax line in upper case: what the command takes as options, and its name.
std::vector<std::string_view> tokens_of(std::string_view syntax) {
  std::vector<std::string_view> tokens;
  std::size_t start = 0;
  for (std::size_t at = 0; at <= syntax.size(); ++at) {
    const char c = at < syntax.size() ? syntax[at] : ' ';
    if ((c >= 'A' && c <= 'Z') || c == '-') continue;
    if (at - start > 1) tokens.push_back(syntax.substr(start, at - start));
    start = at + 1;
  }
  if (tokens.empty()) tokens.emplace_back("NX");
  return tokens;
}

std::string argument(Input& input, const Command& command) {
  switch (input.byte() % 16) {
    case 0:
    case 1:
    case 2:
    case 3:
      return input.one_of(kKeys);
    case 4:
    case 5:
      return input.one_of(kMembers);
    case 6:
    case 7:
      return input.one_of(kSmall);
    case 8:
      return input.one_of(kBorders);
    case 9:
      return input.one_of(kScores);
    case 10:
    case 11:
    case 12:
      return input.one_of(tokens_of(command.spec->syntax));
    case 13:
      return input.one_of(kPatterns);
    case 14:
      return std::string(std::size_t{input.byte()} * 8, 'x');
    default:
      return input.text();
  }
}

/// A long reply is right, and takes the fuzzer's time: SRANDMEMBER key -1000000.
bool asks_for_too_much(const std::string& word) {
  const auto number = base::parse_integer(word);
  constexpr std::int64_t kMuch = 2000;
  constexpr std::int64_t kRefused = INT64_MAX / 2;
  return number && (*number > kMuch || *number < -kMuch) && *number<kRefused&& * number> - kRefused;
}

/// A client, its replies and what it is owed.
class Player {
 public:
  explicit Player(InProcess& server) : server_(server) { reconnect(); }

  void request(const std::vector<std::string>& words, bool inexact) {
    begin(inexact);
    ++owed_;
    client_->send_bytes(testkit::encode_request(words));
  }
  void raw(std::string_view bytes) {
    begin(true);
    client_->send_bytes(bytes);
  }
  void leave() {
    server_.disconnect(*client_);
    reconnect();
  }

  /// Reads what the server has said, and compares it to what it owes.
  void check() {
    note_mode();
    reader_.feed(client_->take());
    while (const auto reply = reader_.next()) {
      FAIRLANE_ASSERT(reply->kind != testkit::Kind::malformed);
      if (inexact_ || reply->kind == testkit::Kind::push) continue;
      FAIRLANE_ASSERT(owed_ > 0);
      --owed_;
    }
    FAIRLANE_ASSERT(reader_.empty());
    if (client_->closed()) return reconnect();
    const command::Session& session = *client_->session();
    const bool parked = session.waiting != nullptr || session.paused;
    FAIRLANE_ASSERT(parked || inexact_ || owed_ == 0);
  }

 private:
  void begin(bool inexact) {
    note_mode();
    inexact_ = inexact_ || inexact;
  }
  /// A client that has subscribed, watches the server or wants no replies gets more or fewer replies than requests.
  void note_mode() {
    const command::Session* session = client_->session();
    if (session == nullptr) return;
    inexact_ = inexact_ || session->subscribed() || session->monitor || session->reply_mode != command::ReplyMode::on;
  }
  void reconnect() {
    client_ = &server_.connect();
    reader_ = {};
    owed_ = 0;
    inexact_ = false;
  }

  InProcess& server_;
  InProcessClient* client_ = nullptr;
  testkit::RespReader reader_;
  std::size_t owed_ = 0;
  bool inexact_ = false;
};

class Program {
 public:
  explicit Program(std::span<const std::uint8_t> bytes) : input_(bytes) {
    server_.services().options = &options_;
    for (const auto& command : server_.services().catalog.all()) {
      const auto left_out = std::find(kLeftOut.begin(), kLeftOut.end(), command->name);
      if (left_out == kLeftOut.end()) commands_.push_back(command.get());
    }
  }

  void run() {
    for (std::size_t step = 0; step < kMostSteps && !input_.over(); ++step) {
      one_step();
      check();
    }
    // Nobody waits for ever in vain: time-outs and pauses end.
    server_.advance(base::Millis{10'000});
    check();
  }

 private:
  void one_step() {
    const std::uint8_t choice = input_.byte();
    Player& player = players_[choice & 1U];
    switch (choice >> 1U & 15U) {
      case 13:
        server_.advance(base::Millis{std::int64_t{input_.byte()} * input_.byte()});
        return;
      case 14:
        player.raw(input_.text());
        return;
      case 15:
        player.leave();
        return;
      default:
        request(player);
    }
  }

  void request(Player& player) {
    const Command& command = *commands_[input_.number() % commands_.size()];
    std::vector<std::string> words;
    const std::size_t bar = command.name.find('|');
    words.push_back(command.name.substr(0, bar));
    if (bar != std::string::npos) words.push_back(command.name.substr(bar + 1));
    // Few requests of the wrong length, so that the bytes go into the handlers.
    const std::uint8_t shape = input_.byte();
    const auto least = static_cast<std::size_t>(command.arity < 0 ? -command.arity : command.arity);
    std::size_t count = least - std::min(least, words.size());
    if (command.arity < 0) count += shape % kMostArguments;
    if (shape >= 250) count += shape % 2 == 0 ? 1U : static_cast<std::size_t>(-1);
    if (count > kMostArguments * 2) count = 0;
    for (std::size_t i = 0; i < count; ++i) words.push_back(argument(input_, command));
    if (std::any_of(words.begin() + 1, words.end(), asks_for_too_much) && repeats(command.name)) return;
    const bool inexact = command.name.ends_with("subscribe") || command.name == "exec" || command.name == "reset";
    player.request(words, inexact);
  }

  static bool repeats(std::string_view name) {
    return name.ends_with("randmember") || name == "hrandfield" || name == "lane.mint" || name == "setrange";
  }

  void check() {
    for (Player& player : players_) player.check();
  }

  InProcess server_;
  command::Options options_{server_.services().settings};
  std::array<Player, 2> players_{Player(server_), Player(server_)};
  std::vector<const Command*> commands_;
  Input input_;
};

}  // namespace

void command_program(std::span<const std::uint8_t> input) { Program(input).run(); }

}  // namespace fairlane::fuzz
