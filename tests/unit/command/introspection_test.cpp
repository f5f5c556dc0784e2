#include "command/introspection.hpp"

#include <gtest/gtest.h>

#include <string>

#include "fairlane/command/context.hpp"

namespace fairlane::command {
namespace {

std::string keys_in(const Spec& spec, std::initializer_list<std::string_view> words) {
  const std::vector<std::string_view> request(words);
  std::string text;
  for (const RequestKey& key : keys_of(spec, request)) text += std::to_string(key.position) + ' ';
  return text;
}

constexpr KeySpec kStreams{
    .use = Use::ro, .begin = KeySpec::Begin::keyword, .keyword = "STREAMS", .last = -1, .limit = 2};

TEST(KeysOf, ranges_may_end_before_the_last_word_and_skip_words) {
  const Spec blpop{.syntax = "BLPOP key [key ...] timeout", .keys = keys_from(1, Use::rw, -2)};
  EXPECT_EQ(keys_in(blpop, {"BLPOP", "a", "b", "0"}), "1 2 ");
  const Spec mset{.syntax = "MSET key value [key value ...]", .keys = keys_from(1, Use::ow, -1, 2)};
  EXPECT_EQ(keys_in(mset, {"MSET", "a", "1", "b", "2"}), "1 3 ");
}

TEST(KeysOf, a_count_must_fit_the_request) {
  const Spec zunion{.syntax = "ZUNION numkeys key [key ...]", .keys = keys_counted_at(1, Use::ro)};
  EXPECT_EQ(keys_in(zunion, {"ZUNION", "2", "a", "b", "WITHSCORES"}), "2 3 ");
  for (const char* count : {"0", "-1", "3", "x", "", "9223372036854775807", "4294967296"}) {
    EXPECT_EQ(keys_in(zunion, {"ZUNION", count, "a", "b"}), "") << count;
  }
  EXPECT_EQ(keys_in(zunion, {"ZUNION"}), "");
}

TEST(KeysOf, a_count_has_32_bits_and_may_only_begin_with_digits) {
  const Spec store{.syntax = "ZUNIONSTORE destination numkeys key [key ...]",
                   .keys = key_at(1, Use::ow).and_(keys_counted_at(2, Use::ro))};
  EXPECT_EQ(keys_in(store, {"ZUNIONSTORE", "d", "4294967297", "a"}), "1 3 ");
  EXPECT_EQ(keys_in(store, {"ZUNIONSTORE", "d", "2x", "a", "b"}), "3 4 1 ");
  EXPECT_EQ(keys_in(store, {"ZUNIONSTORE", "d", "3x", "a", "b"}), "");
}

TEST(KeysOf, one_bad_specification_spoils_the_request) {
  const Spec store{.syntax = "ZUNIONSTORE destination numkeys key [key ...]",
                   .keys = key_at(1, Use::ow).and_(keys_counted_at(2, Use::ro))};
  EXPECT_EQ(keys_in(store, {"ZUNIONSTORE", "d", "2", "a", "b"}), "1 3 4 ");
  EXPECT_EQ(keys_in(store, {"ZUNIONSTORE", "d", "3", "a", "b"}), "");
}

TEST(KeysOf, keywords_are_found_in_any_case) {
  const Spec xread{.syntax = "XREAD STREAMS key id", .keys = {{kStreams}, 1}};
  EXPECT_EQ(keys_in(xread, {"XREAD", "COUNT", "1", "streams", "a", "b", "0", "0"}), "4 5 ");
  EXPECT_EQ(keys_in(xread, {"XREAD", "COUNT", "1", "a", "b"}), "");
  KeySpec backwards{.use = Use::rw, .begin = KeySpec::Begin::keyword, .index = -2, .keyword = "KEYS", .last = -1};
  const Spec migrate{.syntax = "MIGRATE a b", .keys = {{backwards}, 1}};
  EXPECT_EQ(keys_in(migrate, {"MIGRATE", "KEYS", "KEYS", "a", "b"}), "3 4 ");
}

TEST(KeysOf, channels_are_no_keys) {
  const Spec spublish{.syntax = "SPUBLISH channel message", .keys = key_at(1, Use::not_key)};
  EXPECT_FALSE(takes_keys(spublish));
  EXPECT_EQ(keys_in(spublish, {"SPUBLISH", "a", "b"}), "");
}

std::string range_of(const Keys& keys) {
  const KeyRange range = key_range({.syntax = "X key", .keys = keys});
  return std::to_string(range.first) + ' ' + std::to_string(range.last) + ' ' + std::to_string(range.step);
}

TEST(KeyRange, joins_specifications_that_lie_side_by_side) {
  EXPECT_EQ(range_of({}), "0 0 0");
  EXPECT_EQ(range_of(key_at(1, Use::ro)), "1 1 1");
  EXPECT_EQ(range_of(keys_from(1, Use::ow, -1, 2)), "1 -1 2");
  EXPECT_EQ(range_of(key_at(1, Use::ro).and_(key_at(2, Use::ow))), "1 2 1");
  EXPECT_EQ(range_of(key_at(2, Use::ow).and_(keys_from(3, Use::ro))), "2 -1 1");
  EXPECT_EQ(range_of(key_at(1, Use::ow).and_(keys_counted_at(2, Use::ro))), "1 1 1");
  EXPECT_EQ(range_of(keys_counted_at(1, Use::ro)), "0 0 0");
  EXPECT_EQ(range_of(key_at(1, Use::ro).and_(key_at(3, Use::ow))), "1 1 1") << "a gap ends the range";
}

TEST(Secrets, are_all_words_behind_the_name_unless_the_command_says_otherwise) {
  const std::string_view words[] = {"CONFIG", "SET", "a", "b"};
  const Spec open{.syntax = "CONFIG SET"};
  EXPECT_EQ(secret_words(open, words), 0U);
  const Spec secret{.syntax = "CONFIG SET", .flags = Flag::secret};
  const std::uint64_t mask = secret_words(secret, words);
  EXPECT_FALSE(is_secret(mask, 1));
  EXPECT_TRUE(is_secret(mask, 2));
  EXPECT_TRUE(is_secret(mask, 1000));
}

}  // namespace
}  // namespace fairlane::command
