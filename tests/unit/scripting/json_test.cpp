#include <gtest/gtest.h>

#include "unit/scripting/vectors.hpp"

namespace fairlane::scripting {
namespace {

TEST(Json, encodes_values) {
  check({
      {R"(cjson.encode({1,2,3}), cjson.encode({}), cjson.encode({a=1}), cjson.encode('x'), cjson.encode(nil))",
       "[1,2,3] {} {\"a\":1} \"x\" null"},
      {R"(cjson.encode({true,false,cjson.null,{},{{}}}))", "[true,false,null,{},[{}]]"},
      {R"(cjson.encode('a"b\\c/d\b\f\n\r\t\0\31\127\128\255'))",
       "\"a\\\"b\\\\c\\/d\\b\\f\\n\\r\\t\\u0000\\u001f\\u007f\200\377\""},
      {R"(cjson.encode({[1]='a',['2']='b'}), cjson.encode({1,2,a=3}), cjson.encode({[0]=1}), cjson.encode({[-1]=1}), cjson.encode({[1.5]=1}))",
       "{\"1\":\"a\",\"2\":\"b\"} {\"1\":1,\"2\":2,\"a\":3} {\"0\":1} {\"-1\":1} {\"1.5\":1}"},
      {R"(cjson.encode(setmetatable({1,2,3},{__index=function() return 7 end})))", "[1,2,3]"},
      {R"(cjson.encode(function() end))", "error: user_script:1: Cannot serialise function: type not supported"},
      {R"(cjson.encode({a={b={c=coroutine.create(function() end)}}}))",
       "error: user_script:1: Cannot serialise thread: type not supported"},
      {R"(cjson.encode({[true]=1}))",
       "error: user_script:1: Cannot serialise boolean: table key must be a number or string"},
      {R"(cjson.encode({[{}]=1}))",
       "error: user_script:1: Cannot serialise table: table key must be a number or string"},
      {R"(cjson.encode())", "error: user_script:1: bad argument #1 to 'encode' (expected 1 argument)"},
      {R"(cjson.encode(1,2))", "error: user_script:1: bad argument #1 to 'encode' (expected 1 argument)"},
  });
}

TEST(Json, encodes_numbers) {
  check({
      {R"(cjson.encode({0,-0,1,-1,1e14,1e15,99999999999999,123456789012345,123456789012345678,1e20,-1e20,1e300,5e-324,0.1,1/3,-0.5,2^53}))",
       "[0,0,1,-1,1e+14,1e+15,99999999999999,1.2345678901234e+14,1.2345678901235e+17,1e+20,-1e+20,1e+300,4."
       "9406564584125e-324,0.1,0.33333333333333,-0.5,9.007199254741e+15]"},
      {R"(cjson.encode({[1e15]=1}), cjson.encode({[123456789012345678]=1}), cjson.encode({[2.5]=1}))",
       "{\"1e+15\":1} {\"1.2345678901235e+17\":1} {\"2.5\":1}"},
      {R"(cjson.encode(0/0))", "error: user_script:1: Cannot serialise number: must not be NaN or Inf"},
      {R"(cjson.encode(-1/0))", "error: user_script:1: Cannot serialise number: must not be NaN or Inf"},
      {R"(cjson.encode({[1/0]=1}))", "error: user_script:1: Cannot serialise number: must not be NaN or Inf"},
  });
}

TEST(Json, decides_between_array_and_object) {
  check({
      {R"(cjson.encode({nil,2}), cjson.encode({[3]=3}), cjson.encode({[10]=3}))",
       "[null,2] [null,null,3] [null,null,null,null,null,null,null,null,null,3]"},
      {R"(cjson.encode({[11]=3}))", "error: user_script:1: Cannot serialise table: excessively sparse array"},
      {R"(cjson.encode({[100]=1,[1]=2}))", "error: user_script:1: Cannot serialise table: excessively sparse array"},
      {R"(cjson.encode({[1e20]=1}), cjson.encode({[2^31]=1}), cjson.encode({[2^63]=false,7}))",
       "{\"1e+20\":1} {\"2147483648\":1} {\"1\":7,\"9.2233720368548e+18\":false}"},
  });
}

TEST(Json, decodes_values) {
  check({
      {R"(cjson.decode('[1,2,[3,{"a":[]}]] ')[3][2].a[1], cjson.decode('{"a":{"b":"c"}}').a.b, #cjson.decode('[]'), cjson.decode('null') == cjson.null)",
       "nil c 0 true"},
      {R"(cjson.decode('"a\\u0041\\n\\t\\"\\\\\\/\\b\\f\\r"'))", "aA\n\011\"\\/\010\014\015"},
      {R"(hex(cjson.decode('"\\u00e9\\u20ac\\ud83d\\ude00\\u0000"')))", "c3a9e282acf09f988000"},
      {R"(cjson.decode('1e5'), cjson.decode('-0'), cjson.decode('0x10'), cjson.decode('01'), cjson.decode('1.'), cjson.decode('1e999'), cjson.decode('NaN') ~= cjson.decode('nan'), cjson.decode('-Infinity'), cjson.decode('9007199254740993'), cjson.decode('123456789012345'), cjson.decode('1234567890123456'))",
       "100000 -0 16 1 1 inf true -inf 9.007199254741e+15 1.2345678901234e+14 1.2345678901235e+15"},
      {R"(cjson.decode(5), cjson.decode('true'), cjson.decode('{"a":1,"a":2}').a)", "5 true 2"},
      {R"(cjson.decode('[]\0'), cjson.decode('1\0x'))",
       "error: user_script:1: JSON parser does not support UTF-16 or UTF-32"},
  });
}

TEST(Json, names_what_is_wrong_with_a_text) {
  check({
      {R"(cjson.decode(''))", "error: user_script:1: Expected value but found T_END at character 1"},
      {R"(cjson.decode('{bad'))",
       "error: user_script:1: Expected object key string but found invalid token at character 2"},
      {R"(cjson.decode('[1,'))", "error: user_script:1: Expected value but found T_END at character 4"},
      {R"(cjson.decode('[1 2]'))",
       "error: user_script:1: Expected comma or array end but found T_NUMBER at character 4"},
      {R"(cjson.decode('{"a"}'))", "error: user_script:1: Expected colon but found T_OBJ_END at character 5"},
      {R"(cjson.decode('{"a":1,}'))",
       "error: user_script:1: Expected object key string but found T_OBJ_END at character 8"},
      {R"(cjson.decode('{1:2}'))",
       "error: user_script:1: Expected object key string but found T_NUMBER at character 2"},
      {R"(cjson.decode('[1]x'))", "error: user_script:1: Expected the end but found invalid token at character 4"},
      {R"(cjson.decode('+1'))", "1"},
      {R"(cjson.decode('-'))", "error: user_script:1: Expected value but found invalid number at character 1"},
      {R"(cjson.decode('"abc'))",
       "error: user_script:1: Expected value but found unexpected end of string at character 5"},
      {R"(cjson.decode('"\\x"'))", "error: user_script:1: Expected value but found invalid escape code at character 2"},
      {R"(cjson.decode('"\\ud83d"'))",
       "error: user_script:1: Expected value but found invalid unicode escape code at character 2"},
      {R"(cjson.decode('"\\ude00"'))",
       "error: user_script:1: Expected value but found invalid unicode escape code at character 2"},
      {R"(cjson.decode('"\\u12"'))",
       "error: user_script:1: Expected value but found invalid unicode escape code at character 2"},
      {R"(cjson.decode('"a\0b"'))",
       "error: user_script:1: Expected value but found unexpected end of string at character 3"},
      {R"(cjson.decode('[\0'))", "error: user_script:1: JSON parser does not support UTF-16 or UTF-32"},
      {R"(cjson.decode())", "error: user_script:1: bad argument #1 to 'decode' (expected 1 argument)"},
      {R"(cjson.decode({}))", "error: user_script:1: bad argument #1 to 'decode' (string expected, got table)"},
      {R"(cjson.decode('1',2))", "error: user_script:1: bad argument #1 to 'decode' (expected 1 argument)"},
  });
}

TEST(Json, is_adjusted) {
  check({
      {R"((function() local c=cjson.new() return c.encode_max_depth(), c.decode_max_depth(), c.encode_number_precision(), c.encode_keep_buffer(), c.encode_invalid_numbers(), c.decode_invalid_numbers(), c.encode_sparse_array() end)())",
       "1000 1000 14 true false true false 2 10"},
      {R"((function() local c=cjson.new() return c.encode_number_precision(3), c.encode(3.14159), cjson.encode(3.14159) end)())",
       "3 3.14 3.14159"},
      {R"((function() local c=cjson.new() return c.encode_number_precision(14.5), c.encode_number_precision(2^32+3) end)())",
       "14 3"},
      {R"(cjson.new().encode_number_precision(15))",
       "error: user_script:1: bad argument #1 to 'encode_number_precision' (expected integer between 1 and 14)"},
      {R"(cjson.new().encode_max_depth(0))",
       "error: user_script:1: bad argument #1 to 'encode_max_depth' (expected integer between 1 and 2147483647)"},
      {R"(cjson.new().encode_max_depth(1,2))",
       "error: user_script:1: bad argument #2 to 'encode_max_depth' (found too many arguments)"},
      {R"(cjson.new().encode_keep_buffer('x'))",
       "error: user_script:1: bad argument #1 to 'encode_keep_buffer' (invalid option 'x')"},
      {R"(cjson.new().encode_invalid_numbers({}))",
       "error: user_script:1: bad argument #1 to 'encode_invalid_numbers' (string expected, got table)"},
      {R"(cjson.new().decode_invalid_numbers('null'))",
       "error: user_script:1: bad argument #1 to 'decode_invalid_numbers' (invalid option 'null')"},
      {R"((function() local c=cjson.new() c.encode_max_depth(2) return c.encode({{}}), c.encode({{{}}}) end)())",
       "error: user_script:1: Cannot serialise, excessive nesting (3)"},
      {R"((function() local c=cjson.new() c.decode_max_depth(2) return #c.decode('[[]]'), c.decode('[[[]]]') end)())",
       "error: user_script:1: Found too many nested data structures (3) at character 3"},
      {R"((function() local c=cjson.new() c.encode_sparse_array(true) return c.encode({[1]=1,[100]=2}) end)())",
       "{\"1\":1,\"100\":2}"},
      {R"((function() local c=cjson.new() c.encode_sparse_array(true,2^31-1,0) return c.encode({[100]=1,[200]=1}) end)())",
       "{\"100\":1,\"200\":1}"},
      {R"((function() local c=cjson.new() c.encode_invalid_numbers(true) return c.encode(0/0), c.encode(1/0), c.encode(-1/0) end)())",
       "nan inf -inf"},
      {R"((function() local c=cjson.new() c.encode_invalid_numbers('null') return c.encode({0/0,1/0}) end)())",
       "[null,null]"},
      {R"((function() local c=cjson.new() c.decode_invalid_numbers(false) return c.decode('+1') end)())",
       "error: user_script:1: Expected value but found invalid token at character 1"},
      {R"((function() local c=cjson.new() c.decode_invalid_numbers(false) return c.decode('0x10') end)())",
       "error: user_script:1: Expected value but found invalid number at character 1"},
      {R"((function() local c=cjson.new() c.decode_invalid_numbers(false) return c.decode('nan') end)())",
       "error: user_script:1: Expected value but found invalid token at character 1"},
      {R"(cjson._NAME, cjson._VERSION, tostring(cjson.null))", "cjson 2.1.0 userdata: (nil)"},
  });
}

TEST(Json, goes_as_deep_as_the_stack) {
  check({
      {R"((function() local t={} for i=1,999 do t={t} end return #cjson.encode(t) end)())", "2000"},
      {R"((function() local t={} for i=1,1000 do t={t} end return #cjson.encode(t) end)())",
       "error: user_script:1: Cannot serialise, excessive nesting (1001)"},
      {R"((function() local t={} t.t=t return cjson.encode(t) end)())",
       "error: user_script:1: Cannot serialise, excessive nesting (1001)"},
      {R"(#cjson.decode(string.rep('[',1001)..string.rep(']',1001)))",
       "error: user_script:1: Found too many nested data structures (1001) at character 1001"},
      {R"((function() local c=cjson.new() c.encode_max_depth(2^31-1) local t={} for i=1,1e6 do t={t} end return c.encode(t) end)())",
       "error: user_script:1: Cannot serialise, excessive nesting (7998)"},
      {R"((function() local c=cjson.new() c.encode_max_depth(2^31-1) local t={} for i=1,1e6 do t={a=t} end return c.encode(t) end)())",
       "error: user_script:1: Cannot serialise, excessive nesting (4000)"},
      {R"((function() local c=cjson.new() c.decode_max_depth(2^31-1) return c.decode(string.rep('[',1e6)) end)())",
       "error: user_script:1: Found too many nested data structures (7999) at character 7999"},
      {R"((function() local c=cjson.new() c.decode_max_depth(2^31-1) return c.decode(string.rep('{"a":',1e6)) end)())",
       "error: user_script:1: Found too many nested data structures (4000) at character 19996"},
      {R"((function() local c=cjson.new() c.decode_max_depth(2^31-1) return #c.decode(string.rep('[',7998)..'"\\n"'..string.rep(']',7998)) end)())",
       "1"},
  });
}

TEST(Json, takes_its_memory_from_the_state) {
  Interpreter interpreter(std::size_t{16} << 20);
  EXPECT_EQ(interpreter.evaluate("#cjson.encode(string.rep('\\1', 5e5))"), "3000002");
  EXPECT_EQ(interpreter.evaluate("cjson.encode(string.rep('\\1', 4e6))"), "error: not enough memory");
  EXPECT_EQ(interpreter.evaluate("cjson.decode('\"\\\\n' .. string.rep('x', 7e6) .. '\"')"),
            "error: not enough memory");
  EXPECT_LT(interpreter.memory_in_use(), std::size_t{1} << 18);
}

TEST(Json, can_be_stopped) {
  Interpreter interpreter;
  StoppingWatch watch;
  interpreter.state().set_watch(&watch);
  EXPECT_EQ(interpreter.evaluate("(function() local c=cjson.new() c.encode_sparse_array(false,0) "
                                 "return c.encode({[2^31-1]=1}) end)()"),
            "error: stopped");
  // What was stopped stays so until the state is watched anew.
  interpreter.state().set_watch(&watch);
  EXPECT_EQ(interpreter.evaluate("cjson.decode(string.rep('[1],', 1e5))"),
            "error: user_script:1: Expected the end but found T_COMMA at character 4");
  EXPECT_EQ(interpreter.evaluate("cjson.decode('[' .. string.rep('1,', 1e6))"), "error: stopped");
  interpreter.state().set_watch(nullptr);
}

}  // namespace
}  // namespace fairlane::scripting
