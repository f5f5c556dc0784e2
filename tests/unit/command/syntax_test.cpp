#include "command/syntax.hpp"

#include <gtest/gtest.h>

namespace fairlane::command {
namespace {

/// One line for a tree: name:type, the token in front, flags as ? + and *, children in parentheses.
std::string show(const std::vector<Argument>& arguments) {
  std::string text;
  for (const Argument& argument : arguments) {
    if (!text.empty()) text += ' ';
    if (!argument.token.empty()) text += argument.token + '=';
    text.append(argument.name).append(":").append(type_name(argument.type));
    if (argument.key_spec >= 0) text += '#' + std::to_string(argument.key_spec);
    if (argument.optional) text += '?';
    if (argument.multiple) text += '+';
    if (argument.token_repeats) text += '*';
    if (!argument.arguments.empty()) text += '(' + show(argument.arguments) + ')';
  }
  return text;
}

std::string parse(std::string_view syntax, Keys keys = {}) {
  const Spec spec{.syntax = syntax, .keys = keys};
  std::string error;
  const auto arguments = arguments_of(spec, error);
  return error.empty() ? show(arguments) : "error: " + error;
}

TEST(Syntax, words_are_arguments_and_may_have_types) {
  EXPECT_EQ(parse("PING [message]"), "message:string?");
  EXPECT_EQ(parse("GETRANGE key start:integer end:integer", key_at(1, Use::ro)), "key:key#0 start:integer end:integer");
  EXPECT_EQ(parse("KEYS pattern"), "pattern:pattern");
  EXPECT_EQ(parse("MULTI"), "");
  EXPECT_EQ(parse("OBJECT ENCODING key", key_at(2, Use::ro)), "key:key#0");
}

TEST(Syntax, upper_case_words_are_tokens) {
  EXPECT_EQ(parse("X [NX | XX] [CH]"), "choice:oneof?(NX=nx:pure-token XX=xx:pure-token) CH=ch:pure-token?");
  EXPECT_EQ(parse("X [EX seconds:integer | KEEPTTL]"), "choice:oneof?(EX=seconds:integer KEEPTTL=keepttl:pure-token)");
  EXPECT_EQ(parse("X [LIMIT offset:integer count:integer]"), "LIMIT=offset_count:block?(offset:integer count:integer)");
  EXPECT_EQ(parse("X [COUNT count:integer [ANY]]"), "count_any:block?(COUNT=count:integer ANY=any:pure-token?)");
  EXPECT_EQ(parse("X [AGGREGATE SUM | MIN]"), "AGGREGATE=aggregate:oneof?(SUM=sum:pure-token MIN=min:pure-token)");
  EXPECT_EQ(parse("X [MAXLEN [= | ~] threshold]"),
            "maxlen_choice_threshold:block?(MAXLEN=maxlen:pure-token "
            "choice:oneof?(===:pure-token ~=~:pure-token) threshold:string)")
      << "a token cannot bind to something that may be absent";
}

TEST(Syntax, alternatives_stand_between_words_and_in_groups) {
  EXPECT_EQ(parse("X key LEFT | RIGHT last"),
            "key:key choice:oneof(LEFT=left:pure-token RIGHT=right:pure-token) last:string");
  EXPECT_EQ(parse("X <FROM member | BY width height>"),
            "choice:oneof(FROM=member:string BY=width_height:block(width:string height:string))");
}

TEST(Syntax, what_is_repeated_behind_itself_is_one_argument) {
  EXPECT_EQ(parse("DEL key [key ...]", keys_from(1, Use::rm)), "key:key#0+");
  EXPECT_EQ(parse("MSET key value [key value ...]", keys_from(1, Use::ow, -1, 2)),
            "key_value:block+(key:key#0 value:string)");
  EXPECT_EQ(parse("X [WEIGHTS weight:double [weight:double ...]]"), "WEIGHTS=weight:double?+");
  EXPECT_EQ(parse("X [GET pattern [GET pattern ...]]"), "GET=pattern:pattern?+*");
  EXPECT_EQ(parse("X [GET type at:integer [GET type at:integer ...]]"), "GET=type_at:block?+*(type:string at:integer)");
  EXPECT_EQ(parse("X [name ...]"), "name:string?+");
}

TEST(Syntax, keys_know_the_specification_that_finds_them) {
  EXPECT_EQ(parse("ZUNIONSTORE destination numkeys:integer key [key ...]",
                  key_at(1, Use::ow).and_(keys_counted_at(2, Use::ro))),
            "destination:key#0 numkeys:integer key:key#1+");
  EXPECT_EQ(parse("SINTERSTORE destination key [key ...]", key_at(1, Use::ow).and_(keys_from(2, Use::ro))),
            "destination:key#0 key:key#1+");
  EXPECT_EQ(parse("BLPOP key [key ...] timeout:double", keys_from(1, Use::rw, -2)), "key:key#0+ timeout:double");
  const Keys streams{{KeySpec{.use = Use::ro, .begin = KeySpec::Begin::keyword, .keyword = "STREAMS", .last = -1}}, 1};
  EXPECT_EQ(parse("XREAD [COUNT count:integer] STREAMS key [key ...] id [id ...]", streams),
            "COUNT=count:integer? STREAMS=key:key#0+ id:string+");
}

TEST(Syntax, mistakes_are_told) {
  EXPECT_EQ(parse("X [key"), "error: a bracket is not closed");
  EXPECT_EQ(parse("X <A | B"), "error: '<' is not closed");
  EXPECT_EQ(parse("X key]"), "error: unexpected ']'");
  EXPECT_EQ(parse("X | A"), "error: a bar without neighbours");
  EXPECT_EQ(parse("X [A | ]"), "error: an empty bracket");
  EXPECT_EQ(parse("X count:number"), "error: no such type: number");
}

TEST(Syntax, people_read_it_without_types) {
  EXPECT_EQ(readable_syntax("X key [COUNT n:integer] <a:double | b:key>"), "X key [COUNT n] <a | b>");
}

TEST(Arity, follows_from_the_line) {
  EXPECT_EQ(arity_of("GET key"), 2);
  EXPECT_EQ(arity_of("DEL key [key ...]"), -2);
  EXPECT_EQ(arity_of("LMOVE source destination LEFT | RIGHT LEFT | RIGHT"), 5);
  EXPECT_EQ(arity_of("X key <LEFT | RIGHT> count"), 4);
  EXPECT_EQ(arity_of("X key <FROM member | BY width height>"), 4);
  EXPECT_EQ(arity_of("X key <A [B] | C> [D]"), -3);
}

}  // namespace
}  // namespace fairlane::command
