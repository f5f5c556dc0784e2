// load: a closed-loop load generator for servers of the Redis protocol, for compare.py and lanes.py.
//
//   load PORT OPERATION CLIENTS PIPELINE SECONDS [LANES] [REQUESTS]
//   load PORT WORDS CLIENTS PIPELINE SECONDS LANES REQUESTS FIRST-ID WORD... [// WORD...]
//
// Each of the clients sends PIPELINE requests in one write, reads all replies, and goes on so for the time given or
// until so many requests were answered (0: no such limit). Prints "requests seconds p50-us p99-us"; an error reply ends
// it with status 1.
//
// The operation WORDS sends the words given, in which stand %i for a new id (they count up from FIRST-ID), %l for a
// random lane, %n for the next lane in turn and %p for a payload. The words behind // settle every job that a request
// claimed, %j its id and %t its token; then it is settled jobs that are counted. A client that is given nothing ends.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void die(const std::string& text) {
  std::fprintf(stderr, "load: %s\n", text.c_str());
  std::exit(1);
}

void append_request(std::string& out, std::initializer_list<std::string_view> words) {
  out += '*' + std::to_string(words.size()) + "\r\n";
  for (const std::string_view word : words) {
    out += '$' + std::to_string(word.size()) + "\r\n";
    out += word;
    out += "\r\n";
  }
}

std::uint64_t random_state = 88172645463325252ULL;
std::uint64_t random_below(std::uint64_t bound) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state % bound;
}

std::uint64_t last_id = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()) / 1000;

/// A 14-byte id that grows with every call, as time-ordered job ids do.
std::string next_id() {
  static const char kDigits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::uint64_t value = ++last_id;
  std::string id = "JOB00000000000";
  for (std::size_t i = 13; i >= 3; --i, value /= 62) id[i] = kDigits[value % 62];
  return id;
}

const std::string kPayload(64, 'x');

/// The end of the reply that begins at `at`, or npos when it is not all there. Bulk strings and integers met on the way
/// are handed to `leaf`.
std::size_t reply_end(std::string_view in, std::size_t at, const std::function<void(std::string_view)>& leaf) {
  const std::size_t line = in.find("\r\n", at);
  if (line == std::string_view::npos) return line;
  const char kind = in[at];
  const std::string_view head = in.substr(at + 1, line - at - 1);
  const std::size_t next = line + 2;
  if (kind == '-') die("error reply: " + std::string(head));
  if (kind == '+' || kind == '_' || kind == '#' || kind == ',') return next;
  const long long number = std::atoll(std::string(head).c_str());
  if (kind == ':') {
    if (leaf) leaf(head);
    return next;
  }
  if (kind == '$') {
    if (number < 0) return next;
    const auto size = static_cast<std::size_t>(number);
    if (next + size + 2 > in.size()) return std::string_view::npos;
    if (leaf) leaf(in.substr(next, size));
    return next + size + 2;
  }
  std::size_t end = next;
  for (long long i = 0; i < number && end != std::string_view::npos; ++i) end = reply_end(in, end, leaf);
  return end;
}

struct Client {
  int socket = -1;
  std::string out;
  std::string in;
  int awaited = 0;
  int sent_requests = 0;
  int empty_replies = 0;
  Clock::time_point sent;
  std::vector<std::string> leaves;  // what the last replies held, for operations of two steps
  bool second_step = false;
};

std::string lane_name(std::uint64_t lanes) { return "lane-" + std::to_string(random_below(lanes)); }

/// Appends one request of the operation.
using Writer = std::function<void(std::string&)>;

/// Appends the request that settles a job: its id and its token.
using Settler = std::function<void(std::string&, std::string_view, std::string_view)>;

/// A request as the command line gives it: words with placeholders. A placeholder stands for the same thing all over
/// one request.
class Words {
 public:
  Words(std::vector<std::string> words, std::uint64_t lanes) : words_(std::move(words)), lanes_(lanes) {
    for (const std::string& word : words_) {
      mints_ = mints_ || word.find("%i") != std::string::npos;
      draws_lane_ = draws_lane_ || word.find("%l") != std::string::npos;
      counts_lanes_ = counts_lanes_ || word.find("%n") != std::string::npos;
    }
  }

  void append(std::string& out, std::string_view job, std::string_view token) {
    const std::string id = mints_ ? next_id() : "";
    const std::string random_lane = draws_lane_ ? lane_name(lanes_) : "";
    const std::string next_lane = counts_lanes_ ? "lane-" + std::to_string(turn_++ % lanes_) : "";
    const auto value = [&](char placeholder) -> std::string_view {
      switch (placeholder) {
        case 'i':
          return id;
        case 'l':
          return random_lane;
        case 'n':
          return next_lane;
        case 'p':
          return kPayload;
        case 'j':
          return job;
        case 't':
          return token;
        default:
          die(std::string("unknown placeholder %") + placeholder);
      }
    };
    out += '*' + std::to_string(words_.size()) + "\r\n";
    for (const std::string& word : words_) {
      filled_.clear();
      for (std::size_t at = 0; at < word.size(); ++at) {
        if (word[at] != '%' || at + 1 == word.size()) {
          filled_ += word[at];
        } else {
          filled_ += value(word[++at]);
        }
      }
      out += '$' + std::to_string(filled_.size()) + "\r\n";
      out += filled_;
      out += "\r\n";
    }
  }

 private:
  std::vector<std::string> words_;
  std::uint64_t lanes_;
  std::uint64_t turn_ = 0;
  bool mints_ = false;
  bool draws_lane_ = false;
  bool counts_lanes_ = false;
  std::string filled_;
};

void append_complete(std::string& out, std::string_view job, std::string_view token) {
  append_request(out, {"LANE.COMPLETE", "bench", job, token});
}

/// Null, 0 or nothing.
bool is_empty_reply(std::string_view reply) {
  for (const std::string_view empty : {"$-1\r", "*-1\r", "*0\r", ":0\r", "_\r"}) {
    if (reply.substr(0, empty.size()) == empty) return true;
  }
  return false;
}

std::map<std::string, Writer> writers(std::uint64_t lanes) {
  const auto key = [](const char* prefix) { return prefix + std::to_string(random_below(100000)); };
  return {
      {"PING", [](std::string& out) { append_request(out, {"PING"}); }},
      {"SET",
       [=](std::string& out) {
         append_request(out, {"SET", key("key:"), kPayload});
       }},
      {"GET",
       [=](std::string& out) {
         append_request(out, {"GET", key("key:")});
       }},
      {"INCR",
       [=](std::string& out) {
         append_request(out, {"INCR", key("counter:")});
       }},
      {"HSET",
       [=](std::string& out) {
         append_request(out, {"HSET", key("row:"), "state", "pending", "attempts", "0", "payload", kPayload});
       }},
      {"ZADD-ORDERED",
       [](std::string& out) {
         append_request(out, {"ZADD", "ordered", "0", next_id()});
       }},
      {"ZADD-RANDOM",
       [](std::string& out) {
         append_request(out, {"ZADD", "random", std::to_string(random_below(1ULL << 40)), next_id()});
       }},
      {"ZPOPMIN-ORDERED",
       [](std::string& out) {
         append_request(out, {"ZPOPMIN", "ordered"});
       }},
      {"ZPOPMIN-RANDOM",
       [](std::string& out) {
         append_request(out, {"ZPOPMIN", "random"});
       }},
      {"LPUSH",
       [](std::string& out) {
         append_request(out, {"LPUSH", "list", "sixteen bytes ..."});
       }},
      {"RPOP",
       [](std::string& out) {
         append_request(out, {"RPOP", "list"});
       }},
      {"ENQUEUE",
       [=](std::string& out) {
         append_request(out, {"LANE.ENQUEUE", "bench", lane_name(lanes), next_id(), kPayload});
       }},
      {"CLAIM",
       [](std::string& out) {
         append_request(out, {"LANE.WCLAIM", "bench", "30000", "COUNT", "1"});
       }},
  };
}

void connect_to(Client& client, int port) {
  client.socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(client.socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) die("cannot connect");
  const int on = 1;
  ::setsockopt(client.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

void send_batch(Client& client, const Writer& write, const Settler& settle, int pipeline) {
  client.out.clear();
  client.empty_replies = 0;
  client.awaited = pipeline;
  if (settle && client.second_step) {
    // A claim's tuple is id, payload, token, lane.
    client.awaited = static_cast<int>(client.leaves.size() / 4);
    for (std::size_t i = 0; i + 3 < client.leaves.size(); i += 4) {
      settle(client.out, client.leaves[i], client.leaves[i + 2]);
    }
  } else {
    for (int i = 0; i < pipeline; ++i) write(client.out);
  }
  client.leaves.clear();
  client.sent_requests = client.awaited;
  client.sent = Clock::now();
  for (std::size_t at = 0; at < client.out.size();) {
    const ssize_t sent = ::send(client.socket, client.out.data() + at, client.out.size() - at, MSG_NOSIGNAL);
    if (sent <= 0) die("connection lost");
    at += static_cast<std::size_t>(sent);
  }
}

/// Reads what is there; true when all awaited replies have come.
bool receive(Client& client, bool keep_leaves) {
  char bytes[65536];
  const ssize_t got = ::recv(client.socket, bytes, sizeof(bytes), 0);
  if (got <= 0) die("connection lost");
  client.in.append(bytes, static_cast<std::size_t>(got));
  std::size_t at = 0;
  std::vector<std::string> leaves;
  const auto leaf = [&](std::string_view text) { leaves.emplace_back(text); };
  while (client.awaited > 0 && at < client.in.size()) {
    leaves.clear();
    const std::size_t end =
        reply_end(client.in, at, keep_leaves ? std::function<void(std::string_view)>(leaf) : nullptr);
    if (end == std::string_view::npos) break;
    client.empty_replies += is_empty_reply(std::string_view(client.in).substr(at)) ? 1 : 0;
    client.leaves.insert(client.leaves.end(), leaves.begin(), leaves.end());
    at = end;
    --client.awaited;
  }
  client.in.erase(0, at);
  return client.awaited == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) die("usage: load PORT OPERATION CLIENTS PIPELINE SECONDS [LANES] [REQUESTS]");
  const int port = std::atoi(argv[1]);
  const std::string operation = argv[2];
  const int count = std::atoi(argv[3]);
  const int pipeline = std::atoi(argv[4]);
  const double seconds = std::atof(argv[5]);
  const std::uint64_t lanes = argc > 6 ? std::strtoull(argv[6], nullptr, 10) : 1;
  const std::uint64_t limit = argc > 7 ? std::strtoull(argv[7], nullptr, 10) : 0;
  const std::uint64_t most = limit != 0 ? limit : UINT64_MAX;
  Writer write;
  Settler settle;  // empty when the operation is one step
  const bool in_words = operation == "WORDS";
  if (in_words) {
    if (argc < 10) die("WORDS needs LANES REQUESTS FIRST-ID WORD...");
    last_id = std::strtoull(argv[8], nullptr, 10);
    const std::vector<std::string> words(argv + 9, argv + argc);
    const auto cut = std::find(words.begin(), words.end(), "//");
    const auto first = std::make_shared<Words>(std::vector<std::string>(words.begin(), cut), lanes);
    write = [first](std::string& out) { first->append(out, {}, {}); };
    if (cut != words.end()) {
      const auto second = std::make_shared<Words>(std::vector<std::string>(cut + 1, words.end()), lanes);
      settle = [second](std::string& out, std::string_view job, std::string_view token) {
        second->append(out, job, token);
      };
    }
  } else {
    const auto known = writers(lanes);
    if (!known.contains(operation)) die("unknown operation " + operation);
    write = known.at(operation);
    if (operation == "CLAIM") settle = append_complete;
  }
  const bool two_steps = static_cast<bool>(settle);

  std::vector<Client> clients(static_cast<std::size_t>(count));
  const int epoll = ::epoll_create1(0);
  for (Client& client : clients) {
    connect_to(client, port);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &client;
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, client.socket, &event);
  }
  std::vector<double> latencies;
  std::uint64_t answered = 0;
  const auto begin = Clock::now();
  const auto end = begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  std::uint64_t sent = 0;
  int busy = 0;
  // Sends a client's next batch, if it may send one.
  const auto go_on = [&](Client& client) {
    const bool settling = two_steps && client.second_step;
    const std::uint64_t left = two_steps ? static_cast<std::uint64_t>(pipeline) : most - sent;
    const int batch = static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(pipeline), left));
    if (batch == 0) return;
    send_batch(client, write, settle, batch);
    if (!settling) sent += static_cast<std::uint64_t>(batch);
    ++busy;
  };
  for (Client& client : clients) go_on(client);
  epoll_event events[64];
  while (busy > 0) {
    const int ready = ::epoll_wait(epoll, events, 64, 10000);
    if (ready <= 0) die("no reply for ten seconds");
    for (int i = 0; i < ready; ++i) {
      Client& client = *static_cast<Client*>(events[i].data.ptr);
      const bool claiming = two_steps && !client.second_step;
      if (!receive(client, claiming)) continue;
      --busy;
      const auto now = Clock::now();
      latencies.push_back(std::chrono::duration<double, std::micro>(now - client.sent).count());
      if (claiming) {
        if (client.leaves.empty()) continue;  // nothing left to claim
        client.second_step = true;
        go_on(client);
        continue;
      }
      client.second_step = false;
      const int given_nothing = in_words ? client.empty_replies : 0;
      answered += static_cast<std::uint64_t>(client.sent_requests - given_nothing);
      if (given_nothing == 0 && now < end && answered < most) go_on(client);
    }
  }
  const double took = std::chrono::duration<double>(Clock::now() - begin).count();
  if (latencies.empty()) latencies.push_back(0);
  std::sort(latencies.begin(), latencies.end());
  std::printf("%llu %.6f %.1f %.1f\n", static_cast<unsigned long long>(answered), took, latencies[latencies.size() / 2],
              latencies[latencies.size() * 99 / 100]);
  return 0;
}
