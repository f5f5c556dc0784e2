#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "unit/scripting/vectors.hpp"

namespace fairlane::scripting {
namespace {

TEST(Sandbox, has_the_globals_of_redis) {
  check(
      {
          {R"((function() local o={} for k in pairs(_G) do if not ('KEYS ARGV redis __redis__err__handler '):find(k..' ',1,true) then o[#o+1]=k end end table.sort(o) return table.concat(o,' ') end)())",
           "_G _VERSION assert bit cjson cmsgpack collectgarbage coroutine error gcinfo getmetatable ipairs load "
           "loadstring math next pairs pcall rawequal rawget rawset select setmetatable string struct table tonumber "
           "tostring type unpack xpcall"},
          {R"((function() local o={} for k in pairs(string) do o[#o+1]=k end table.sort(o) return table.concat(o,' ') end)())",
           "byte char dump find format gfind gmatch gsub len lower match rep reverse sub upper"},
          {R"((function() local o={} for k in pairs(table) do o[#o+1]=k end table.sort(o) return table.concat(o,' ') end)())",
           "concat foreach foreachi getn insert maxn remove setn sort"},
          {R"((function() local o={} for k in pairs(math) do o[#o+1]=k end table.sort(o) return table.concat(o,' ') end)())",
           "abs acos asin atan atan2 ceil cos cosh deg exp floor fmod frexp huge ldexp log log10 max min mod modf pi "
           "pow rad random randomseed sin sinh sqrt tan tanh"},
          {R"((function() local o={} for k in pairs(coroutine) do o[#o+1]=k end table.sort(o) return table.concat(o,' ') end)())",
           "create resume running status wrap yield"},
      },
      Globals::guarded);
}

TEST(Sandbox, refuses_writes_to_globals) {
  check(
      {
          {R"(pcall(loadstring('x=1','@c')))", "false c:1: Attempt to modify a readonly table"},
          {R"(pcall(loadstring('string=nil','@c')))", "false c:1: Attempt to modify a readonly table"},
          {R"(pcall(loadstring('function f() end','@c')))", "false c:1: Attempt to modify a readonly table"},
          {R"(pcall(function() _G.x=1 end))", "false user_script:1: Attempt to modify a readonly table"},
          {R"(pcall(rawset,_G,'x',1))", "false Attempt to modify a readonly table"},
          {R"(pcall(setmetatable,_G,{}))", "false Attempt to modify a readonly table"},
          {R"(pcall(setmetatable,_G,nil))", "false Attempt to modify a readonly table"},
          {R"(pcall(table.insert,_G,1))", "false Attempt to modify a readonly table"},
          {R"((function() local t=setmetatable({},{__newindex=_G}) return pcall(function() t.x=1 end) end)())",
           "false user_script:1: Attempt to modify a readonly table"},
      },
      Globals::guarded);
}

TEST(Sandbox, refuses_writes_to_libraries) {
  check(
      {
          {R"(pcall(function() string.x=1 end))", "false user_script:1: Attempt to modify a readonly table"},
          {R"(pcall(function() string.len=nil end))", "false user_script:1: Attempt to modify a readonly table"},
          {R"(pcall(function() string.x.y=1 end))", "false user_script:1: attempt to index field 'x' (a nil value)"},
          {R"(pcall(rawset,math,'pi',3))", "false Attempt to modify a readonly table"},
          {R"(pcall(setmetatable,table,{}))", "false Attempt to modify a readonly table"},
          {R"(pcall(table.insert,string,1))", "false Attempt to modify a readonly table"},
          {R"(pcall(table.insert,string,1,1))", "false Attempt to modify a readonly table"},
          {R"(table.remove(string), table.getn(string), #string, table.concat(string))", "nil 0 0 "},
          {R"((function() local t=setmetatable({},{__newindex=string}) return pcall(function() t.len=1 end) end)())",
           "false user_script:1: Attempt to modify a readonly table"},
      },
      Globals::guarded);
}

TEST(Sandbox, refuses_writes_to_the_metatable_of_strings) {
  check(
      {
          {R"(pcall(function() getmetatable('').x=1 end))", "false user_script:1: Attempt to modify a readonly table"},
          {R"(pcall(function() getmetatable('').__index=1 end))",
           "false user_script:1: Attempt to modify a readonly table"},
          {R"(pcall(function() getmetatable('').__index.x=1 end))",
           "false user_script:1: Attempt to modify a readonly table"},
          {R"(pcall(rawset,getmetatable('').__index,'x',1))", "false Attempt to modify a readonly table"},
          {R"(pcall(table.insert,getmetatable('').__index,1))", "false Attempt to modify a readonly table"},
          {R"(pcall(setmetatable,getmetatable('').__index,{}))", "false Attempt to modify a readonly table"},
          {R"(getmetatable('').__index==string, rawequal(getmetatable('').__index,string), getmetatable('')==getmetatable('x'), getmetatable(getmetatable('')))",
           "true true true nil"},
          {R"(pcall(function() getmetatable(_G).__index=nil end))",
           "false user_script:1: Attempt to modify a readonly table"},
      },
      Globals::guarded);
}

TEST(Sandbox, refuses_unknown_globals) {
  check(
      {
          {R"(nothing)", "error: user_script:1: Script attempted to access nonexistent global variable 'nothing'"},
          {R"(_G.nothing)", "error: user_script:1: Script attempted to access nonexistent global variable 'nothing'"},
          {R"(pcall(function() return _G[1] end))",
           "false user_script:1: Script attempted to access nonexistent global variable '1'"},
          {R"(pcall(function() return _G[true] end))",
           "false user_script:1: Second argument to luaProtectedTableError must be a string or number"},
          {R"(pcall(function() return _G['a b'] end))",
           "false user_script:1: Script attempted to access nonexistent global variable 'a b'"},
          {R"(rawget(_G,'nothing'))", "nil"},
          {R"(pcall(loadstring('return nothing','@c')))",
           "false c:1: Script attempted to access nonexistent global variable 'nothing'"},
          {R"(pcall(coroutine.wrap(function() nothing() end)))",
           "false user_script:1: Script attempted to access nonexistent global variable 'nothing'"},
          {R"((function() local t=setmetatable({},{__index=_G}) return type(t.string), pcall(function() return t.nothing end) end)())",
           "table false user_script:1: Script attempted to access nonexistent global variable 'nothing'"},
      },
      Globals::guarded);
}

TEST(Sandbox, looks_through_guards) {
  check(
      {
          {R"(type(next(string)), _G._G==_G, rawequal(_G._G,_G), rawget(_G,'string')==string, rawget(string,'zz'))",
           "string true true true nil"},
          {R"((function() local n=0 for k,v in pairs(string) do n=n+1 end return n end)())", "15"},
          {R"((function() local n=0 table.foreach(string,function() n=n+1 end) return n end)())", "15"},
          {R"(pcall(next,string,{}))", "false invalid key to 'next'"},
          {R"(string.gsub('len zz','%w+',{len='x'}))", "x zz 2"},
          {R"(getmetatable(string), getmetatable(getmetatable(_G)))", "nil nil"},
      },
      Globals::guarded);
}

TEST(Sandbox, catches_errors_as_redis_does) {
  check(
      {
          {R"(pcall())", "false attempt to call a boolean value"},
          {R"(pcall(pcall))", "true false attempt to call a boolean value"},
          {R"(pcall(error))", "false nil"},
          {R"(select('#',pcall(error,{})))", "3"},
          {R"(select(3,pcall(error,{err=true})))", "true"},
          {R"(pcall(error,{err='text'}))", "false text"},
          {R"(pcall(error,{err=5}))", "false 5"},
          {R"(pcall(error,'a',0))", "false a"},
          {R"(xpcall(function() error('a') end,function(e) return e,1 end))", "false user_script:1: a"},
          {R"(xpcall(function() error('a') end,function() error('b') end))", "false error in error handling"},
          {R"(xpcall(error,error))", "false error in error handling"},
          {R"(xpcall(function() error('a') end,{}))", "false error in error handling"},
          {R"(xpcall(function() return 1,2,3 end,error))", "true 1 2 3"},
          {R"(pcall(xpcall))", "false bad argument #2 to '?' (value expected)"},
          {R"(pcall(xpcall,1))", "false bad argument #2 to '?' (value expected)"},
      },
      Globals::guarded);
}

TEST(Sandbox, loads_text_alone) {
  check(
      {
          {R"(loadstring('\27Lua'))", "nil [string \"\033Lua\"]:1: unexpected symbol near 'char(27)'"},
          {R"(loadstring(string.dump(function() return 1 end)))",
           "nil [string \"\033LuaQ\"]:1: unexpected symbol near 'char(27)'"},
          {R"(loadstring('x='))", "nil [string \"x=\"]:1: unexpected symbol near '<eof>'"},
          {R"(loadstring('x=','=n'))", "nil n:1: unexpected symbol near '<eof>'"},
          {R"(loadstring('return ...')(1,2))", "1 2"},
          {R"(loadstring('#!x\nreturn 1'))", "nil [string \"#!x...\"]:1: unexpected symbol near '#'"},
          {R"(load(function() return nil end)==nil)", "false"},
          {R"((function() local n=0 return load(function() n=n+1 return ({'return ','7'})[n] end)() end)())", "7"},
          {R"(pcall(load))", "false bad argument #1 to '?' (function expected, got no value)"},
          {R"(pcall(load,'x'))", "false bad argument #1 to '?' (function expected, got string)"},
          {R"(pcall(loadstring))", "false bad argument #1 to '?' (string expected, got no value)"},
      },
      Globals::guarded);
}

TEST(Sandbox, unpacks_what_the_stack_holds) {
  check(
      {
          {R"(unpack({1,2,3},2))", "2 3"},
          {R"(select('#',unpack({},1,7000)))", "7000"},
          {R"(pcall(unpack,{},0,2147483647))", "false too many results to unpack"},
          {R"(pcall(unpack,{},-2147483648,2147483647))", "false too many results to unpack"},
          {R"(pcall(unpack,{},1,1e6))", "false too many results to unpack"},
          {R"(select('#',unpack({},3,2)))", "0"},
      },
      Globals::guarded);
}

TEST(Sandbox, resumes_coroutines) {
  check(
      {
          {R"(coroutine.resume(coroutine.create(function(...) return ... end),1,2))", "true 1 2"},
          {R"(pcall(coroutine.wrap(function() error('in') end)))", "false user_script:1: in"},
          {R"(pcall(coroutine.resume,5))", "false bad argument #1 to '?' (coroutine expected)"},
          {R"(pcall(coroutine.create,string.rep))", "false bad argument #1 to '?' (Lua function expected)"},
          {R"((function() local c c=coroutine.create(function() return coroutine.resume(c) end) return coroutine.resume(c) end)())",
           "true false cannot resume running coroutine"},
          {R"((function() local c c=coroutine.create(function() local d=coroutine.create(function() return coroutine.resume(c) end) return coroutine.resume(d) end) return coroutine.resume(c) end)())",
           "true true false cannot resume normal coroutine"},
          {R"((function() local c=coroutine.create(function() end) coroutine.resume(c) return coroutine.resume(c) end)())",
           "false cannot resume dead coroutine"},
          {R"((function() local function n(k) if k==0 then return 'end' end return coroutine.wrap(n)(k-1) end return n(170) end)())",
           "end"},
      },
      Globals::guarded);
}

TEST(Sandbox, draws_the_numbers_of_redis) {
  check(
      {
          {R"((function() math.randomseed(42) return math.random(), math.random(100), math.random(-5,5) end)())",
           "0.74452500033403 35 -4"},
          {R"((function() math.randomseed(-1) return math.random() end)())", "0.30002572727391"},
          {R"((function() math.randomseed(2^40+5) return math.random() end)())", "0.52483957937213"},
          {R"(pcall(math.random,0))", "false bad argument #1 to '?' (interval is empty)"},
          {R"(pcall(math.random,3,2))", "false bad argument #2 to '?' (interval is empty)"},
          {R"(pcall(math.random,1,2,3))", "false wrong number of arguments"},
          {R"(math.random(-2^31,2^31-1))", "-2147483648"},
          {R"((function() math.randomseed(5) return math.random(-2^31,100), math.random(-1e9,2e9) end)())",
           "-3274568010 -1353337398"},
      },
      Globals::guarded);
}

/// Nested calls and nested coroutines, which Lua limits each by itself.
TEST(Sandbox, coroutines_within_calls_do_not_overflow_the_stack) {
  Interpreter interpreter(Interpreter::kPlenty, Globals::guarded);
  for (const char* level : {"('x'):gsub('x',call)", "table.foreach({1},call)", "table.sort({1,2},call)",
                            "tostring(setmetatable({},{__tostring=function() call() return '' end}))"}) {
    const std::string result = interpreter.evaluate(
        std::string("pcall((function() local function nest(n) local function go(k) if k==0 then if n>0 then "
                    "coroutine.wrap(nest)(n-1) end return end local call=function() go(k-1) end local r=") +
        level + " end go(60) end return nest end)(),1000)");
    EXPECT_TRUE(result.starts_with("false ") && result.ends_with("C stack overflow")) << level << ' ' << result;
  }
}

/// Ends a script when it is looked at first.
class EndingWatch final : public Watch {
 public:
  explicit EndingWatch(LuaState& state) noexcept : state_(state) {}
  void check(lua_State* lua) override {
    ++looks_;
    state_.stop(lua, "ended");
  }
  int looks() const noexcept { return looks_; }

 private:
  LuaState& state_;
  int looks_ = 0;
};

/// The script would go on for hours.
void expect_end(std::string_view script) {
  Interpreter interpreter(Interpreter::kPlenty, Globals::guarded);
  EndingWatch watch(interpreter.state());
  interpreter.state().set_watch(&watch);
  const std::string result = interpreter.evaluate(std::string("(function() ").append(script).append(" end)()"));
  EXPECT_TRUE(result.starts_with("error: table: ")) << script << ' ' << result;
  EXPECT_EQ(watch.looks(), 1) << script;
  interpreter.state().set_watch(nullptr);
  EXPECT_EQ(interpreter.evaluate("'runs again'"), "runs again");
}

TEST(Sandbox, no_protected_call_holds_back_the_end) {
  expect_end("while true do pcall(function() while true do end end) end");
  expect_end("while true do xpcall(function() while true do end end, function() while true do end end) end");
  expect_end("while true do coroutine.resume(coroutine.create(function() while true do end end)) end");
  expect_end("local function f() while true do pcall(coroutine.wrap(f)) end end f()");
  expect_end("while true do load(function() while true do end end) end");
  expect_end("local function f(n) if n == 0 then return end for i=1,1000 do coroutine.wrap(f)(n-1) end end f(30)");
}

TEST(Sandbox, library_functions_can_be_stopped) {
  expect_end("while true do load(function() return ' ' end) end");
  expect_end("local s=(' '):rep(1e6) while true do loadstring(s) end");
  expect_end("while true do string.rep('',2147483647) string.rep('x',1e6) end");
  expect_end("local s=('x'):rep(1e6) while true do s:upper() end");
  expect_end("local a=('a'):rep(2e6) return a:find(('a'):rep(1e6)..'b',1,true)");
  expect_end("local a=('a'):rep(2e6) return a:find(('a'):rep(1e6)..'b')");
  expect_end("return ('a'):rep(40):find(('a*'):rep(40)..'b')");
  expect_end("while true do ('a'):rep(1000):gsub('b','') end");
  expect_end("while true do collectgarbage() end");
  expect_end("while true do select('#',unpack({},1,5000)) end");
}

}  // namespace
}  // namespace fairlane::scripting
