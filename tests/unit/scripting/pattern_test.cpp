#include <gtest/gtest.h>

#include "unit/scripting/vectors.hpp"

namespace fairlane::scripting {
namespace {

TEST(Pattern, ends_at_a_nul) {
  check(
      {
          {R"(hex((('a\0b\0'):gsub('\0','.'))))", "2e612e002e622e002e"},
          {R"(hex(('x\0y'):match('.\0.')))", "78"},
          {R"(pcall(string.find,'a\0b','[\0]'))", "false malformed pattern (missing ']')"},
          {R"(('a\0b'):find('\0b'))", "2 3"},
          {R"(('a\0b.'):find('\0b.'))", "2 4"},
          {R"(('a.b'):find('a\0.'))", "nil"},
          {R"(('ab$'):find('$\0x'))", "4 3"},
          {R"(('a\0b'):find('%z'))", "2 2"},
          {R"(pcall(string.match,'ab','%\0'))", "false malformed pattern (ends with '%')"},
          {R"(pcall(string.match,'ab','(a\0b)'))", "false unfinished capture"},
      },
      Globals::guarded);
}

TEST(Pattern, matches) {
  check(
      {
          {R"(('key=val'):match('(%w+)=(%w+)'))", "key val"},
          {R"(('  trim  '):match('^%s*(.-)%s*$'))", "trim"},
          {R"(('THE (quick) fox'):find('%f[%a]%a+%f[%A]'))", "1 3"},
          {R"(('f(a(b)c)d'):match('%b()'))", "(a(b)c)"},
          {R"(('abcabc'):match('(a)(b)c%1%2'))", "a b"},
          {R"(('hello'):match('()ll()'))", "3 5"},
          {R"(('a-c]'):match('[]%-]'), ('x'):match('[^]]'), ('a-z'):match('[a%-z]+'))", "- x a-z"},
          {R"(('hello'):find('(h)(.)'))", "1 2 h e"},
          {R"(('abc'):find('',4))", "4 3"},
          {R"(('abc'):find('',5))", "4 3"},
          {R"(('abcabc'):find('abc',2,true))", "4 6"},
          {R"(('aaab'):find('aab'), ('abc'):find('abcd'))", "2 nil"},
          {R"(('abc'):find('b',-1))", "nil"},
          {R"(('abc'):match('.-'), ('abc'):match('a.-c'), ('aaa'):find('a-',2))", " abc 2 1"},
      },
      Globals::guarded);
}

TEST(Pattern, replaces) {
  check(
      {
          {R"(('hello world'):gsub('o','0'))", "hell0 w0rld 2"},
          {R"(('hello'):gsub('(l)(l)','%2%1%0'))", "hellllo 1"},
          {R"(('abc'):gsub('','-'))", "-a-b-c- 4"},
          {R"(('abc'):gsub('b*','-'))", "-a--c- 4"},
          {R"(('abc'):gsub('%w',function(c) if c=='b' then return false end return c..c end))", "aabcc 3"},
          {R"(('x'):gsub('x',{x=7}))", "7 1"},
          {R"(('aaa'):gsub('a','b',2))", "bba 2"},
          {R"(('abc'):gsub('','x',-1))", "abc 0"},
          {R"(('hello'):gsub('^h','H'))", "Hello 1"},
          {R"(pcall(string.gsub,'abc','.',{a=true}))", "false invalid replacement value (a boolean)"},
          {R"(pcall(string.gsub,'abc','b','%9'))", "false invalid capture index"},
          {R"(pcall(string.gsub,'a','a'))", "false bad argument #3 to '?' (string/function/table expected)"},
          {R"(pcall(string.gsub,'a','a',nil))", "false bad argument #3 to '?' (string/function/table expected)"},
      },
      Globals::guarded);
}

TEST(Pattern, refuses_malformed_patterns) {
  check(
      {
          {R"(pcall(string.find,'a','[a'))", "false malformed pattern (missing ']')"},
          {R"(pcall(string.find,'a','%'))", "false malformed pattern (ends with '%')"},
          {R"(pcall(string.find,'a','%f'))", "false missing '[' after '%f' in pattern"},
          {R"(pcall(string.find,'a','%b'))", "false unbalanced pattern"},
          {R"(pcall(string.find,'a','%1'))", "false invalid capture index"},
          {R"(pcall(string.match,'a','(a)%2'))", "false invalid capture index"},
          {R"(pcall(string.match,'abc','(()'))", "false unfinished capture"},
          {R"(pcall(string.gsub,'abc','b)','x'))", "false invalid pattern capture"},
          {R"(pcall(string.match,'x',('(.)'):rep(33)))", "true nil"},
      },
      Globals::guarded);
}

TEST(Pattern, repeats_text) {
  check(
      {
          {R"(('ab'):rep(3), ('a'):rep(0), ('a'):rep(-5), (''):rep(2147483647), hex(('a\0'):rep(2)))",
           "ababab    61006100"},
          {R"(#('abc'):rep(100001), ('abc'):rep(100001):sub(-4))", "300003 cabc"},
          {R"(string.rep(5,2), string.rep('x','3'), string.rep('ab',2.7))", "55 xxx abab"},
          {R"(pcall(string.rep))", "false bad argument #1 to '?' (string expected, got no value)"},
          {R"(pcall(string.rep,'x'))", "false bad argument #2 to '?' (number expected, got no value)"},
          {R"(pcall(string.rep,'x','a'))", "false bad argument #2 to '?' (number expected, got string)"},
      },
      Globals::guarded);
}

TEST(Pattern, goes_no_deeper_than_the_stack) {
  check({{"pcall(string.find,('a'):rep(20000),('a?'):rep(20000))", "false pattern too complex"},
         {"#('a'):rep(4000):match(('a?'):rep(4000))", "4000"}},
        Globals::guarded);
}

TEST(Pattern, repeats_text_within_the_memory_of_the_state) {
  constexpr std::size_t kLittle = std::size_t{16} << 20;
  Interpreter interpreter(kLittle, Globals::guarded);
  EXPECT_EQ(interpreter.evaluate("pcall(string.rep,'x',2147483647)"), "false not enough memory");
  EXPECT_EQ(interpreter.evaluate("pcall(string.rep,('x'):rep(1e6),2147483647)"), "false not enough memory");
  EXPECT_LE(interpreter.memory_in_use(), std::size_t{4} << 20);
}

}  // namespace
}  // namespace fairlane::scripting
