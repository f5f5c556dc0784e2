#include <gtest/gtest.h>

#include "unit/scripting/vectors.hpp"

namespace fairlane::scripting {
namespace {

TEST(MessagePack, packs_values) {
  check({
      {R"(hex(cmsgpack.pack(-1,200,65536,2^31,2^32,2^53,2^63,1.5,1.1)))",
       "ffccc8ce00010000ce80000000cf0000000100000000cf0020000000000000ca5f000000ca3fc00000cb3ff199999999999a"},
      {R"(hex(cmsgpack.pack(true,false,nil,-32,-33,-128,-129,-32768,-32769,-2147483648,-2147483649,127,128,255,256,65535,65536,4294967295,-2^63,1e300,1/0,-0.0)))",
       "c3c2c0e0d0dfd080d1ff7fd18000d2ffff7fffd280000000d3ffffffff7fffffff7fcc80ccffcd0100cdffffce00010000ceffffffffd38"
       "000000000000000cb7e37e43c8800759cca7f80000000"},
      {R"(hex(cmsgpack.pack('','abc',string.rep('x',31))), hex(cmsgpack.pack(string.rep('x',32)):sub(1,3)), hex(cmsgpack.pack(string.rep('x',256)):sub(1,4)), hex(cmsgpack.pack(string.rep('x',65536)):sub(1,6)))",
       "a0a3616263bf78787878787878787878787878787878787878787878787878787878787878 d92078 da010078 db0001000078"},
      {R"(hex(cmsgpack.pack({},{1,2,3},{1,nil,3},{a=1},{[0]=1},{[2]=1},{[1.5]=1})))",
       "9093010203820101030381a1610181000181020181ca3fc0000001"},
      {R"(hex(cmsgpack.pack(function() end, cjson.null, coroutine.create(function() end))))", "c0c0c0"},
      {R"((function() local t={} for i=1,16 do t[i]=i end return hex(cmsgpack.pack(t)) end)())",
       "dc00100102030405060708090a0b0c0d0e0f10"},
      {R"((function() local t={} for i=1,70000 do t[i]=1 end return hex(cmsgpack.pack(t):sub(1,8)) end)())",
       "dd00011170010101"},
      {R"(cmsgpack.pack())", "error: user_script:1: bad argument #0 to 'pack' (MessagePack pack needs input.)"},
  });
}

TEST(MessagePack, packs_sixteen_levels) {
  check({
      {R"((function() local t={1} for i=1,20 do t={t} end return hex(cmsgpack.pack(t)) end)())",
       "91919191919191919191919191919191c0"},
      {R"((function() local t={} t[1]=t return hex(cmsgpack.pack(t)) end)())", "91919191919191919191919191919191c0"},
      {R"((function() local t={} for i=1,1e6 do t={t} end return hex(cmsgpack.pack(t)) end)())",
       "91919191919191919191919191919191c0"},
  });
}

TEST(MessagePack, unpacks_values) {
  check({
      {R"(cmsgpack.unpack(cmsgpack.pack(1,'a',true,nil,-5,2^53,1.5)))", "1 a true nil -5 9.007199254741e+15 1.5"},
      {R"(cmsgpack.unpack('\207\255\255\255\255\255\255\255\255'), cmsgpack.unpack('\211\128\0\0\0\0\0\0\0'), cmsgpack.unpack('\210\255\255\255\254'), cmsgpack.unpack('\202\63\192\0\0'))",
       "-1 -9.2233720368548e+18 -2 1.5"},
      {R"(cmsgpack.unpack('\217\2ab'), cmsgpack.unpack('\218\0\2ab'), cmsgpack.unpack('\219\0\0\0\2ab'))", "ab ab ab"},
      {R"(cmsgpack.unpack('\147\1\2\3')[3], cmsgpack.unpack('\220\0\1\5')[1], cmsgpack.unpack('\129\161a\2').a, cmsgpack.unpack('\222\0\1\161a\2').a)",
       "3 5 2 2"},
      {R"(select('#', cmsgpack.unpack('')))", "0"},
  });
}

TEST(MessagePack, refuses_what_it_does_not_know) {
  check({
      {R"(cmsgpack.unpack('\193'))", "error: user_script:1: Bad data format in input."},
      {R"(cmsgpack.unpack('\196\2ab'))", "error: user_script:1: Bad data format in input."},
      {R"(cmsgpack.unpack('\199\2\1ab'))", "error: user_script:1: Bad data format in input."},
      {R"(cmsgpack.unpack('\212\1\2'))", "error: user_script:1: Bad data format in input."},
      {R"(cmsgpack.unpack('\129\192\1'))", "error: table index is nil"},
      {R"(cmsgpack.unpack('\129\203\127\248\0\0\0\0\0\0\1'))", "error: table index is NaN"},
      {R"(cmsgpack.unpack('\217'))", "error: user_script:1: Missing bytes in input."},
      {R"(cmsgpack.unpack('\219\255\255\255\255abc'))", "error: user_script:1: Missing bytes in input."},
      {R"(cmsgpack.unpack('\221\255\255\255\255\1'))", "error: user_script:1: Missing bytes in input."},
      {R"(cmsgpack.unpack('\223\255\255\255\255\1\1'))", "error: user_script:1: Missing bytes in input."},
      {R"(cmsgpack.unpack('\220\0\2\1'))", "error: user_script:1: Missing bytes in input."},
      {R"(cmsgpack.unpack())", "error: user_script:1: bad argument #1 to 'unpack' (string expected, got no value)"},
      {R"(cmsgpack.unpack({}))", "error: user_script:1: bad argument #1 to 'unpack' (string expected, got table)"},
  });
}

TEST(MessagePack, unpacks_a_few_at_a_time) {
  check({
      {R"(cmsgpack.unpack_one(cmsgpack.pack(1,2,3)))", "1 1"},
      {R"(cmsgpack.unpack_one(cmsgpack.pack(1,2,3),2))", "-1 3"},
      {R"(cmsgpack.unpack_one(cmsgpack.pack(1,2,3),3))", "-1"},
      {R"(cmsgpack.unpack_one(cmsgpack.pack(1,2,3),4))",
       "error: user_script:1: Start offset 4 greater than input length 3."},
      {R"(cmsgpack.unpack_one(cmsgpack.pack(1,2,3),-1))",
       "error: user_script:1: Invalid request to unpack with offset of -1 and limit of 3."},
      {R"(cmsgpack.unpack_one(cmsgpack.pack(1,2,3),2^32))",
       "error: user_script:1: Start offset 0 greater than input length 3."},
      {R"(cmsgpack.unpack_one(cmsgpack.pack(1,2,3),1e300))",
       "error: user_script:1: Invalid request to unpack with offset of 0 and limit of 3."},
      {R"(cmsgpack.unpack_limit(cmsgpack.pack(1,2,3),2))", "2 1 2"},
      {R"(cmsgpack.unpack_limit(cmsgpack.pack(1,2,3),2,1))", "-1 2 3"},
      {R"(cmsgpack.unpack_limit(cmsgpack.pack(1,2,3),0))", "1 2 3"},
      {R"(cmsgpack.unpack_limit(cmsgpack.pack(1,2,3),0,1))", "1"},
      {R"(cmsgpack.unpack_limit(cmsgpack.pack(1,2,3),-1))",
       "error: user_script:1: Invalid request to unpack with offset of 0 and limit of 3."},
      {R"(cmsgpack.unpack_limit(cmsgpack.pack(1,2,3),10))", "-1 1 2 3"},
      {R"(cmsgpack.unpack_limit('x'))",
       "error: user_script:1: bad argument #2 to 'unpack_limit' (number expected, got no value)"},
  });
}

TEST(MessagePack, goes_as_deep_as_the_stack) {
  check({
      {R"(type(cmsgpack.unpack(string.rep('\145',3999)..'\1')))", "table"},
      {R"(cmsgpack.unpack(string.rep('\145',4000)..'\1'))",
       "error: user_script:1: stack overflow (in function mp_decode_to_lua_array)"},
      {R"(type(cmsgpack.unpack(string.rep('\129\1',3999)..'\1')))", "table"},
      {R"(cmsgpack.unpack(string.rep('\129\1',4000)..'\1'))",
       "error: user_script:1: stack overflow (too many return values at once; use unpack_one or unpack_limit "
       "instead.)"},
      {R"(type(cmsgpack.unpack(string.rep('\129',7997)..string.rep('\1',7998))))", "table"},
      {R"(cmsgpack.unpack(string.rep('\145',1e6)))",
       "error: user_script:1: stack overflow (in function mp_decode_to_lua_array)"},
      {R"(cmsgpack.unpack(string.rep('\129',1e6)))",
       "error: user_script:1: stack overflow (too many return values at once; use unpack_one or unpack_limit "
       "instead.)"},
      {R"(select('#',cmsgpack.unpack(string.rep('\1',7999))))", "7999"},
      {R"(cmsgpack.unpack(string.rep('\1',8000)))",
       "error: user_script:1: stack overflow (too many return values at once; use unpack_one or unpack_limit "
       "instead.)"},
      {R"(#cmsgpack.pack(cmsgpack.unpack(string.rep('\1',4000))))", "4000"},
      {R"(cmsgpack.pack(cmsgpack.unpack(string.rep('\1',4001))))",
       "error: user_script:1: bad argument #0 to 'pack' (Too many arguments for MessagePack pack.)"},
      {R"(cmsgpack.unpack_limit(string.rep('\1',7999),10000))",
       "error: user_script:1: stack overflow (in function mp_unpack_full)"},
  });
}

TEST(MessagePack, takes_its_memory_from_the_state) {
  Interpreter interpreter(std::size_t{16} << 20);
  EXPECT_EQ(interpreter.evaluate("(function() local s, t=string.rep('x', 1e6), {} for i=1,20 do t[i]=s end "
                                 "return cmsgpack.pack(t) end)()"),
            "error: not enough memory");
  EXPECT_EQ(interpreter.evaluate("cmsgpack.unpack('\\221\\0\\32\\0\\0' .. string.rep('\\144', 2097152))"),
            "error: not enough memory");
  EXPECT_LT(interpreter.memory_in_use(), std::size_t{1} << 18);
}

TEST(MessagePack, can_be_stopped) {
  Interpreter interpreter;
  const std::string packed = "cmsgpack.unpack('\\221\\0\\2\\0\\0' .. string.rep('\\1', 131072))";
  EXPECT_EQ(interpreter.evaluate("#" + packed), "131072");
  StoppingWatch watch;
  interpreter.state().set_watch(&watch);
  EXPECT_EQ(interpreter.evaluate(packed), "error: stopped");
  interpreter.state().set_watch(nullptr);
  EXPECT_EQ(interpreter.evaluate("(function() list=" + packed + " end)()"), "");
  interpreter.state().set_watch(&watch);
  EXPECT_EQ(interpreter.evaluate("cmsgpack.pack(list)"), "error: stopped");
  interpreter.state().set_watch(nullptr);
}

}  // namespace
}  // namespace fairlane::scripting
