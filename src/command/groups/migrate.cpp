// migrate.cpp - MIGRATE: gives keys to another server.
#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "command/groups.hpp"
#include "fairlane/base/number.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/remote_servers.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/rdb/payload.hpp"
#include "fairlane/rdb/value.hpp"

namespace fairlane::command {
namespace {

constexpr std::int16_t kKeyWord = 3;
constexpr std::size_t kFirstOption = 6;

struct Plan {
  std::string host;
  std::uint16_t port = 0;
  std::int64_t database = 0;
  base::Millis patience{};
  bool copy = false;
  bool replace = false;
  std::vector<std::string_view> login;  ///< [user] password; none: no AUTH
  std::vector<std::string_view> keys;
};

/// A port as C reads numbers: what is no number is 0, and only the lower 16 bits count.
std::uint16_t port_of(std::string_view word) noexcept {
  std::int32_t port = 0;
  std::from_chars(word.data(), word.data() + word.size(), port);
  return static_cast<std::uint16_t>(port);
}

void read_options(Args& args, Plan& plan) {
  while (args.more()) {
    if (args.option("COPY")) {
      plan.copy = true;
    } else if (args.option("REPLACE")) {
      plan.replace = true;
    } else if (args.option_with("AUTH", 1)) {
      plan.login = {args.text()};
    } else if (args.option_with("AUTH2", 2)) {
      const std::string_view user = args.text();
      plan.login = {user, args.text()};
    } else if (args.option("KEYS")) {
      if (!plan.keys.front().empty()) {
        args.fail("ERR When using MIGRATE KEYS option, the key argument must be set to the empty string");
      }
      plan.keys.assign(args.rest().begin(), args.rest().end());
      return;
    } else {
      args.fail(errors::kSyntax);
    }
  }
}

Plan read_plan(Args& args) {
  constexpr base::Millis kUsualPatience{1000};
  Plan plan;
  plan.host = args.text();
  plan.port = port_of(args.text());
  plan.keys = {args.text()};
  const std::string_view database = args.text();
  const std::string_view patience = args.text();
  read_options(args, plan);
  const auto millis = base::parse_integer(patience);
  const auto index = base::parse_integer(database);
  if (!millis || !index) args.fail(errors::kNotInteger);
  plan.database = index.value_or(0);
  plan.patience = millis.value_or(0) > 0 ? base::Millis(*millis) : kUsualPatience;
  return plan;
}

void append_request(std::string& out, const std::vector<std::string_view>& words) {
  out.append("*").append(base::NumberText(words.size())).append("\r\n");
  for (const std::string_view word : words) {
    out.append("$").append(base::NumberText(word.size())).append("\r\n").append(word).append("\r\n");
  }
}

void append_restore(Context& ctx, std::string& out, const Plan& plan, const engine::Entry& entry) {
  rdb::Writer value(ctx.services.settings.dump);
  rdb::write_value(value, entry);
  const std::string payload = rdb::seal(value.take());
  const base::NumberText ttl(entry.has_deadline() ? entry.deadline() - ctx.now : std::int64_t{0});
  std::vector<std::string_view> words = {"RESTORE", entry.key(), ttl, payload};
  if (plan.replace) words.emplace_back("REPLACE");
  append_request(out, words);
}

/// All that the other server is asked, in one go. Keys that are not there leave the plan.
std::string requests_of(Context& ctx, Plan& plan) {
  std::string out;
  if (!plan.login.empty()) {
    std::vector<std::string_view> words = {"AUTH"};
    words.insert(words.end(), plan.login.begin(), plan.login.end());
    append_request(out, words);
  }
  append_request(out, {"SELECT", base::NumberText(plan.database)});
  std::erase_if(plan.keys, [&](std::string_view key) {
    const engine::Entry* entry = ctx.keys.find_entry(key);
    if (entry != nullptr) append_restore(ctx, out, plan, *entry);
    return entry == nullptr;
  });
  return out;
}

Outcome fail_to(Context& ctx, std::string_view doing) {
  return ctx.fail("IOERR error or timeout " + std::string(doing) + " to target instance");
}

bool is_error(const std::string& line) noexcept { return line.starts_with('-'); }

/// Reads the replies, and removes the keys that have arrived unless they are copied.
Outcome read_replies(Context& ctx, RemoteServer& target, const Plan& plan) {
  std::optional<std::string> refused;
  for (std::size_t greetings = plan.login.empty() ? 1 : 2; greetings > 0; --greetings) {
    auto reply = target.line();
    if (!reply) return fail_to(ctx, "reading");
    if (!refused && is_error(*reply)) refused = std::move(reply);
  }
  const bool welcome = !refused;
  for (const std::string_view key : plan.keys) {
    auto reply = target.line();
    if (!reply && !refused) return fail_to(ctx, "reading");
    if (!reply) break;
    if (welcome && !is_error(*reply)) {
      if (!plan.copy) ctx.keys.erase(key);
    } else if (!refused) {
      refused = std::move(reply);
    }
  }
  if (refused) return ctx.fail("ERR Target instance replied with error: " + refused->substr(1));
  ctx.reply.ok();
  return Outcome::done;
}

Outcome migrate(Context& ctx, Args& args) {
  Plan plan = read_plan(args);
  if (!args.ok()) return ctx.fail(args.error());
  const std::string requests = requests_of(ctx, plan);
  if (plan.keys.empty()) {
    ctx.reply.simple("NOKEY");
    return Outcome::done;
  }
  RemoteServers* servers = ctx.services.remote_servers;
  const auto target = servers != nullptr ? servers->connect(plan.host, plan.port, plan.patience) : nullptr;
  if (target == nullptr) return ctx.fail("IOERR error or timeout connecting to the client");
  if (!target->send(requests)) return fail_to(ctx, "writing");
  return read_replies(ctx, *target, plan);
}

/// How many secret words stand behind an option.
std::size_t secrets_behind(std::string_view option) noexcept {
  if (base::equal_ignoring_case(option, "AUTH")) return 1;
  return base::equal_ignoring_case(option, "AUTH2") ? 2 : 0;
}

/// Where KEYS stands; the number of words when it does not.
std::size_t place_of_keys(std::span<const std::string_view> words) noexcept {
  std::size_t at = kFirstOption;
  while (at < words.size() && !base::equal_ignoring_case(words[at], "KEYS")) at += 1 + secrets_behind(words[at]);
  return std::min(at, words.size());
}

/// The one key, or the words behind KEYS.
bool find_migrate_keys(std::span<const std::string_view> words, std::array<std::uint32_t, 512>& positions,
                       std::size_t& count) {
  const std::size_t keys = place_of_keys(words);
  if (keys == words.size()) {
    positions[count++] = kKeyWord;
    return true;
  }
  for (std::size_t at = keys + 1; at < words.size() && count < positions.size(); ++at) {
    positions[count++] = static_cast<std::uint32_t>(at);
  }
  return words[kKeyWord].empty() && count > 0;
}

std::uint64_t secrets_of_migrate(std::span<const std::string_view> words) {
  constexpr std::size_t kMost = 64;  // words that can be told of
  std::uint64_t secrets = 0;
  for (std::size_t at = kFirstOption; at < place_of_keys(words);) {
    std::size_t behind = secrets_behind(words[at++]);
    for (; behind > 0; --behind, ++at) secrets |= at < kMost ? std::uint64_t{1} << at : 0;
  }
  return secrets;
}

constexpr Use kMoved = Use::rw | Use::access | Use::del;

constexpr Spec kSpecs[] = {
    {.syntax = "MIGRATE host port:integer key destination-db:integer timeout:integer [COPY] [REPLACE] "
               "[AUTH password | AUTH2 username password] [KEYS key ...]",
     .handler = migrate,
     .flags = Flag::write | Flag::movablekeys | Flag::secret,
     .keys = {{KeySpec{.use = kMoved, .index = kKeyWord}, KeySpec{.use = kMoved | Use::incomplete,
                                                                  .begin = KeySpec::Begin::keyword,
                                                                  .index = -2,
                                                                  .keyword = "KEYS",
                                                                  .last = -1}},
              2},
     .docs = {.summary = "Gives keys to another server.",
              .complexity = "O(N) where N is the size of the values.",
              .since = "2.6.0"},
     .categories = Category::keyspace | Category::dangerous,
     .tips = "nondeterministic_output",
     .find_keys = find_migrate_keys,
     .find_secrets = secrets_of_migrate},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> migrate_commands() { return kSpecs; }

}  // namespace fairlane::command
