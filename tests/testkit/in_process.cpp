#include "testkit/in_process.hpp"

#include <stdexcept>
#include <utility>

#include "fairlane/command/live_options.hpp"
#include "testkit/resp_value.hpp"

namespace fairlane::testkit {
namespace {

constexpr std::size_t kFirstPort = 40000;

/// Its next request has to wait, or will never run.
bool stands_still(const command::Session& session) noexcept {
  return session.waiting || session.paused || session.close_after_reply || session.close_now;
}

command::Options loaded(command::Settings& settings, const OptionTexts& texts) {
  command::Options options(settings);
  for (const auto& [name, text] : texts) {
    const command::Option* option = command::Options::find(name);
    if (option == nullptr) throw std::runtime_error("no option " + std::string(name));
    const std::string wrong = options.load(*option, {&text, 1});
    if (!wrong.empty()) throw std::runtime_error(std::string(name) + ": " + wrong);
  }
  return options;
}

}  // namespace

void InProcessClient::send(std::string_view line) {
  std::string bytes;
  std::vector<std::size_t> lengths;
  if (!protocol::split_words(line, bytes, lengths)) throw std::runtime_error("unbalanced quotes: " + std::string(line));
  std::vector<std::string> words;
  std::size_t at = 0;
  for (const std::size_t length : lengths) {
    words.push_back(bytes.substr(at, length));
    at += length;
  }
  send_bytes(encode_request(words));
}

void InProcessClient::send_bytes(std::string_view bytes) {
  if (closed()) return;
  unread_ += bytes;
  server_.execute(*this);
  server_.drain();
}

std::string InProcessClient::take() { return std::exchange(received_, {}); }

std::string InProcessClient::ask(std::string_view line) {
  send(line);
  return take();
}

InProcess::InProcess(const OptionTexts& options)
    : options_(loaded(settings_, options)),
      keyspace_(static_cast<std::size_t>(settings_.databases)),
      watches_(keyspace_.shared().changes),
      waits_(keyspace_.shared().changes),
      notifications_(keyspace_.shared().changes, pubsub_),
      services_{.settings = settings_,
                .keyspace = keyspace_,
                .watches = watches_,
                .waits = waits_,
                .pubsub = pubsub_,
                .notifications = notifications_,
                .catalog = catalog_,
                .sessions = sessions_,
                .clock = clock_,
                .scheduler = scheduler_,
                .host = this,
                .options = &options_},
      scripts_(settings_),
      executor_(services_) {
  services_.script_engine = &scripts_;
  command::follow_options(services_);
  // What asks for the time outside of a batch sees the start, not 1970.
  executor_.begin_batch();
}

InProcess::~InProcess() {
  for (const auto& client : clients_) disconnect(*client);
}

InProcessClient& InProcess::connect() {
  // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): a test without memory may end
  clients_.emplace_back(new InProcessClient(*this));
  InProcessClient& client = *clients_.back();
  const std::size_t number = clients_.size();
  client.session_ = &executor_.connect({.address = "127.0.0.1:" + std::to_string(kFirstPort + number),
                                        .local_address = "127.0.0.1:6379",
                                        .descriptor = static_cast<int>(number)});
  client.session_->connection = &client;
  return client;
}

void InProcess::disconnect(InProcessClient& client) {
  if (!client.closed()) end(client);
  drain();
}

base::Millis InProcess::step(base::Millis duration) {
  const auto next = scheduler_.next();
  const auto until = next ? *next - clock_.steady() : duration;
  if (!next || until > duration) {
    clock_.advance(duration);
    return duration;
  }
  const base::Millis passed = std::max(until, base::Millis{0});
  clock_.advance(passed);
  scheduler_.run_next();
  drain();
  return passed;
}

void InProcess::advance(base::Millis duration) {
  while (duration > base::Millis{0}) duration -= step(duration);
  // Timers that are due at this very instant.
  while (scheduler_.next() && *scheduler_.next() <= clock_.steady()) step(base::Millis{0});
}

void InProcess::list(command::Session& session) {
  auto* client = static_cast<InProcessClient*>(session.connection);
  if (client == nullptr || std::exchange(client->listed_, true)) return;
  listed_.push_back(client);
}

void InProcess::drop(command::Session& session) { end(*static_cast<InProcessClient*>(session.connection)); }

/// Runs what the client has sent until one request must wait.
void InProcess::execute(InProcessClient& client) {
  using Step = protocol::RequestParser::Step;
  command::Session& session = *client.session_;
  executor_.begin_batch();
  session.last_interaction = clock_.wall();
  std::size_t done = 0;
  while (done < client.unread_.size() && !stands_still(session)) {
    arguments_.clear();
    const Step step = client.parser_.next(std::string_view(client.unread_).substr(done), settings_.limits,
                                          !executor_.must_log_in(session), arguments_);
    if (step == Step::incomplete) break;
    if (step == Step::broken) {
      if (!session.mute()) protocol::Reply(session.out, session.version).error("ERR " + client.parser_.error());
      session.close_after_reply = true;
      break;
    }
    if (executor_.run(session, arguments_) == command::Executor::Ran::held) break;
    done += client.parser_.consumed();
  }
  client.unread_.erase(0, done);
  executor_.end_batch();
  flush(client);
}

void InProcess::flush(InProcessClient& client) {
  command::Session& session = *client.session_;
  session.output_announced = false;
  if (!session.close_now) client.received_ += session.out.view();
  session.out.clear();
  if (session.close_now || session.close_after_reply) end(client);
}

void InProcess::end(InProcessClient& client) { executor_.disconnect(*std::exchange(client.session_, nullptr)); }

void InProcess::drain() {
  // Resumed requests may list further clients.
  for (std::size_t i = 0; i < listed_.size(); ++i) {
    InProcessClient& client = *listed_[i];
    client.listed_ = false;
    if (client.closed()) continue;
    const command::Session& session = *client.session_;
    if (!client.unread_.empty() && !stands_still(session)) {
      execute(client);
    } else {
      flush(client);
    }
  }
  listed_.clear();
}

}  // namespace fairlane::testkit
