// hiredis_test SERVER: hiredis of Debian's libhiredis-dev.
#include <hiredis/hiredis.h>

#include <iostream>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "testkit/server_process.hpp"

namespace {

int failures = 0;

void same(const std::string& what, const std::string& expected, const std::string& actual) {
  if (expected == actual) return;
  ++failures;
  std::cout << what << "\n  expected " << expected << "\n  but was  " << actual << "\n";
}

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

std::string show(const redisReply& reply) {
  switch (reply.type) {
    case REDIS_REPLY_INTEGER:
      return ":" + std::to_string(reply.integer);
    case REDIS_REPLY_NIL:
      return "nil";
    case REDIS_REPLY_STRING:
      return '"' + std::string(reply.str, reply.len) + '"';
    case REDIS_REPLY_ARRAY: {
      std::string text = "[";
      for (std::size_t i = 0; i < reply.elements; ++i) text += (i == 0 ? "" : " ") + show(*reply.element[i]);
      return text + "]";
    }
    default:
      return (reply.type == REDIS_REPLY_ERROR ? "-" : "+") + std::string(reply.str, reply.len);
  }
}

class Client {
 public:
  explicit Client(int port) : context_(redisConnectWithTimeout("127.0.0.1", port, {5, 0})) {
    if (context_ == nullptr || context_->err != 0) throw std::runtime_error("no connection");
    redisSetTimeout(context_, {10, 0});
  }
  ~Client() { redisFree(context_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void append(const std::vector<std::string>& words) {
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const std::string& word : words) {
      texts.push_back(word.data());
      sizes.push_back(word.size());
    }
    redisAppendCommandArgv(context_, static_cast<int>(words.size()), texts.data(), sizes.data());
  }
  Reply read() {
    void* reply = nullptr;
    if (redisGetReply(context_, &reply) != REDIS_OK) throw std::runtime_error(context_->errstr);
    return Reply(static_cast<redisReply*>(reply));
  }
  void flush() {
    int done = 0;
    while (done == 0) {
      if (redisBufferWrite(context_, &done) != REDIS_OK) throw std::runtime_error(context_->errstr);
    }
  }
  Reply call(const std::vector<std::string>& words) {
    append(words);
    return read();
  }
  std::string ask(const std::vector<std::string>& words) { return show(*call(words)); }

 private:
  redisContext* context_;
};

void wait_for(Client& client, const std::string& command) {
  while (client.ask({"CLIENT", "LIST"}).find(" cmd=" + command + " ") == std::string::npos) {
  }
}

void pipelines(Client& client, Client&) {
  client.append({"SET", "k", "1"});
  for (int i = 0; i < 1000; ++i) client.append({"INCR", "k"});
  same("the first of a pipeline", "+OK", show(*client.read()));
  for (int i = 0; i < 1000; ++i) same("in order", ":" + std::to_string(i + 2), show(*client.read()));
  const std::string bytes("\0\r\n$\xff", 5);
  client.call({"SET", "bytes", bytes});
  same("bytes", '"' + bytes + '"', client.ask({"GET", "bytes"}));
}

void transactions(Client& client, Client& other) {
  client.call({"MULTI"});
  same("queued", "+QUEUED", client.ask({"SET", "k", "1"}));
  client.call({"INCR", "k"});
  same("a transaction commits", "[+OK :2]", client.ask({"EXEC"}));
  client.call({"WATCH", "k"});
  other.call({"SET", "k", "10"});
  client.call({"MULTI"});
  client.call({"INCR", "k"});
  same("a watched key that changed aborts", "nil", client.ask({"EXEC"}));
  same("and nothing was done", "\"10\"", client.ask({"GET", "k"}));
  same("an error", "-WRONGTYPE Operation against a key holding the wrong kind of value",
       client.ask({"LPUSH", "k", "x"}));
}

void waiting(Client& client, Client& other) {
  other.append({"BLPOP", "l", "10"});
  other.flush();
  wait_for(client, "blpop");
  client.call({"RPUSH", "l", "job"});
  same("a blocked reader is served", "[\"l\" \"job\"]", show(*other.read()));
  same("a wait that ends with nothing", "nil", client.ask({"BLPOP", "l", "0.01"}));
}

void messages(Client& client, Client& other) {
  same("subscribed", "[\"subscribe\" \"news\" :1]", other.ask({"SUBSCRIBE", "news"}));
  same("receivers", ":1", client.ask({"PUBLISH", "news", "first"}));
  same("a message", "[\"message\" \"news\" \"first\"]", show(*other.read()));
  same("unsubscribed", "[\"unsubscribe\" \"news\" :0]", other.ask({"UNSUBSCRIBE", "news"}));
  same("and at work again", "+PONG", other.ask({"PING"}));
}

void streams(Client& client, Client& other) {
  client.call({"XGROUP", "CREATE", "s", "g", "$", "MKSTREAM"});
  for (const char* id : {"1-1", "1-2", "1-3"}) client.call({"XADD", "s", id, "n", id});
  same("entries read", "[[\"s\" [[\"1-1\" [\"n\" \"1-1\"]] [\"1-2\" [\"n\" \"1-2\"]]]]]",
       client.ask({"XREADGROUP", "GROUP", "g", "first", "COUNT", "2", "STREAMS", "s", ">"}));
  same("acknowledged", ":1", client.ask({"XACK", "s", "g", "1-1"}));
  same("pending", "[:1 \"1-2\" \"1-2\" [[\"first\" \"1\"]]]", client.ask({"XPENDING", "s", "g"}));
  same("claimed", "[[\"1-2\" [\"n\" \"1-2\"]]]", client.ask({"XCLAIM", "s", "g", "second", "0", "1-2"}));
  other.append({"XREAD", "BLOCK", "10000", "STREAMS", "s", "$"});
  other.flush();
  wait_for(client, "xread");
  client.call({"XADD", "s", "2-1", "n", "last"});
  same("a blocked reader of a stream", "[[\"s\" [[\"2-1\" [\"n\" \"last\"]]]]]", show(*other.read()));
}

void walks(Client& client, Client&) {
  for (int i = 0; i < 3000; ++i) client.append({"SET", "key:" + std::to_string(i), "x"});
  for (int i = 0; i < 3000; ++i) client.read();
  std::set<std::string> seen;
  std::string cursor = "0";
  do {
    const Reply reply = client.call({"SCAN", cursor, "COUNT", "100"});
    cursor = reply->element[0]->str;
    const redisReply& names = *reply->element[1];
    for (std::size_t i = 0; i < names.elements; ++i) seen.insert(names.element[i]->str);
  } while (cursor != "0");
  same("a walk sees every key", "3000", std::to_string(seen.size()));
}

}  // namespace

int main(int, char** arguments) {
  fairlane::testkit::ServerProcess server(arguments[1]);
  for (const auto flow : {pipelines, transactions, waiting, messages, streams, walks}) {
    Client client(server.port());
    Client other(server.port());
    client.call({"FLUSHALL"});
    flow(client, other);
  }
  if (server.stop() != 0) ++failures;
  std::cout << (failures == 0 ? "all flows passed\n" : "some flows failed\n");
  return failures == 0 ? 0 : 1;
}
