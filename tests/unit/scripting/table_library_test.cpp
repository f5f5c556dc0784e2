#include <gtest/gtest.h>

#include <string>

#include "scripting/sandbox.hpp"
#include "unit/scripting/vectors.hpp"

namespace fairlane::scripting {
namespace {

TEST(TableLibrary, inserts_and_removes) {
  check(
      {
          {R"((function() local t={1} table.insert(t,5,9) return #t,t[5] end)())", "1 9"},
          {R"((function() local t={1,2} table.insert(t,0,9) return t[0],t[1],t[2],t[3] end)())", "9 nil 1 2"},
          {R"((function() local t={1,2} table.insert(t,1,0) table.insert(t,9) return unpack(t) end)())", "0 1 2 9"},
          {R"(pcall(table.insert,{}))", "false wrong number of arguments to 'insert'"},
          {R"(pcall(table.insert,{},1,2,3))", "false wrong number of arguments to 'insert'"},
          {R"(pcall(table.insert,1,1))", "false bad argument #1 to '?' (table expected, got number)"},
          {R"(pcall(table.insert,{},'a',1))", "false bad argument #2 to '?' (number expected, got string)"},
          {R"((function() local t={1,2,3} return table.remove(t),table.remove(t,1),#t end)())", "3 1 1"},
          {R"(select('#',table.remove({})))", "0"},
          {R"(select('#',table.remove({1,2},7)))", "0"},
          {R"(select('#',table.remove({1,2},0)))", "0"},
          {R"(pcall(table.remove))", "false bad argument #1 to '?' (table expected, got no value)"},
          {R"(pcall(table.remove,{1},'a'))", "false bad argument #2 to '?' (number expected, got string)"},
      },
      Globals::guarded);
}

TEST(TableLibrary, visits_elements) {
  check(
      {
          {R"(table.foreach({1,2},function(k,v) if k==2 then return v end end))", "2"},
          {R"(table.foreachi({1,2,3},function(i,v) if i==2 then return v*10 end end))", "20"},
          {R"(select('#',table.foreachi({1},type)))", "1"},
          {R"(pcall(table.foreachi,{1}))", "false bad argument #2 to '?' (function expected, got no value)"},
          {R"(pcall(table.foreach,{}))", "false bad argument #2 to '?' (function expected, got no value)"},
          {R"(table.maxn({}), table.maxn({[3.5]=1,['9']=2,[-1]=1}), table.maxn({[1/0]=1}))", "0 3.5 inf"},
          {R"(pcall(table.maxn,1))", "false bad argument #1 to '?' (table expected, got number)"},
          {R"(pcall(table.setn,{},1))", "false 'setn' is obsolete"},
      },
      Globals::guarded);
}

TEST(TableLibrary, joins) {
  check(
      {
          {R"(table.concat({1,2,'x'},',',2,3))", "2,x"},
          {R"(table.concat({}))", ""},
          {R"(pcall(table.concat,{1,{},3}))", "false invalid value (table) at index 2 in table for 'concat'"},
          {R"(pcall(table.concat,{1,2},',',1,5))", "false invalid value (nil) at index 3 in table for 'concat'"},
          {R"(pcall(table.concat))", "false bad argument #1 to '?' (table expected, got no value)"},
          {R"(pcall(table.concat,{},{}))", "false bad argument #2 to '?' (string expected, got table)"},
      },
      Globals::guarded);
}

TEST(TableLibrary, sorts) {
  check(
      {
          {R"((function() local t={5,2,8} table.sort(t,function(a,b) return a>b end) return unpack(t) end)())",
           "8 5 2"},
          {R"((function() local t={} for i=1,100 do t[i]=(i*37)%101 end return pcall(table.sort,t,function() return true end) end)())",
           "false invalid order function for sorting"},
          {R"(pcall(table.sort,{3,1,'x'}))", "false attempt to compare string with number"},
          {R"(pcall(table.sort,{3,1,{}}))", "false attempt to compare table with number"},
          {R"(pcall(table.sort,{3,1,2},1))", "false bad argument #2 to '?' (function expected, got number)"},
          {R"(pcall(table.sort,{5,4,3},function() error('compared') end))", "false user_script:1: compared"},
          {R"(pcall(table.sort))", "false bad argument #1 to '?' (table expected, got no value)"},
      },
      Globals::guarded);
}

TEST(TableLibrary, sorts_many_as_few) {
  check(
      {
          {R"((function() local t={} for i=1,20000 do t[i]=(i*7919)%20011 end table.sort(t) return t[1],t[2],t[10000],t[20000] end)())",
           "1 2 10006 20010"},
          {R"((function() local t={} for i=1,20000 do t[i]=i end t[77]='x' return pcall(table.sort,t) end)())",
           "false attempt to compare string with number"},
      },
      Globals::guarded);
}

/// Ends what it is asked about often.
class PatientWatch final : public Watch {
 public:
  explicit PatientWatch(LuaState& state) noexcept : state_(state) {}
  void check(lua_State* lua) override {
    if (++looks_ == kEnough) state_.stop(lua, "ended");
  }

 private:
  static constexpr int kEnough = 20;
  LuaState& state_;
  int looks_ = 0;
};

TEST(TableLibrary, can_be_stopped) {
  for (const char* call :
       {"table.insert(t,1,'')", "table.remove(t,1) t[#t+1]=''", "table.maxn(t)", "table.concat(t)",
        "table.foreach(t,rawset)", "table.foreachi(t,pcall)", "table.sort(t)", "table.sort(t,rawequal)"}) {
    Interpreter interpreter(Interpreter::kPlenty, Globals::guarded);
    PatientWatch watch(interpreter.state());
    interpreter.state().set_watch(&watch);
    const std::string result = interpreter.evaluate(
        std::string("(function() local t={} for i=1,100000 do t[i]='' end while true do pcall(function() ") + call +
        " end) end end)()");
    EXPECT_TRUE(result.starts_with("error: table: ")) << call << ' ' << result;
    interpreter.state().set_watch(nullptr);
  }
}

/// The table is ready before anybody looks.
void expect_end_of_sort(const std::string& make, const std::string& call) {
  Interpreter interpreter(Interpreter::kPlenty, Globals::guarded);
  PatientWatch watch(interpreter.state());
  lua_State* lua = interpreter.state();
  ASSERT_EQ(load_text(lua, "local t={} " + make + " return function() " + call + " end", "=sort"), 0);
  lua_call(lua, 0, 1);
  interpreter.state().set_watch(&watch);
  EXPECT_NE(lua_pcall(lua, 0, 0, 0), 0) << call;
  EXPECT_TRUE(interpreter.state().stopped()) << call;
  interpreter.state().set_watch(nullptr);
}

TEST(TableLibrary, one_long_sort_can_be_stopped) {
  expect_end_of_sort("for i=1,1000000 do t[i]=i*7919%1000003 end", "table.sort(t)");
  expect_end_of_sort("for i=1,1000000 do t[i]=i*7919%1000003 end", "table.sort(t,function(a,b) return a<b end)");
  expect_end_of_sort("for i=1,1000000 do t[i]=i end", "table.sort(t,rawequal)");
}

}  // namespace
}  // namespace fairlane::scripting
