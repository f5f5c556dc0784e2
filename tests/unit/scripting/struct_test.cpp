#include <gtest/gtest.h>

#include "unit/scripting/vectors.hpp"

namespace fairlane::scripting {
namespace {

TEST(Struct, packs_values) {
  check({
      {R"(hex(struct.pack('<i4',1)), hex(struct.pack('>I2',258)), hex(struct.pack('s','ab')), hex(struct.pack('b',-1)), hex(struct.pack('H',65535)), hex(struct.pack('l',-2)), hex(struct.pack('T',7)))",
       "01000000 0102 616200 ff ffff feffffffffffffff 0700000000000000"},
      {R"(hex(struct.pack('<d>f',1.5,2.5)), hex(struct.pack('c3','abcd')), hex(struct.pack('c0','xyz')), hex(struct.pack('x')), hex(struct.pack('<!4bi4',1,2)), hex(struct.pack('>!8 b d',1,2)))",
       "000000000000f83f40200000 616263 78797a 00 0100000002000000 01000000000000004000000000000000"},
      {R"(hex(struct.pack('<i16',-3)), hex(struct.pack('>i16',-3)), hex(struct.pack('<i3',-3)), hex(struct.pack('<I8',2^63)), hex(struct.pack('<I8',2^64)), hex(struct.pack('<i8',-2^63)), hex(struct.pack('<i8',1e300)), hex(struct.pack('<i8',0/0)))",
       "fdffffffffffffff0000000000000000 0000000000000000fffffffffffffffd fdffff 0000000000000080 0000000000000000 "
       "0000000000000080 0000000000000000 0000000000000080"},
      {R"(hex(struct.pack('i0',5)), hex(struct.pack('  i1 ',5)), hex(struct.pack('i1\0i1',5,6)), hex(struct.pack('bb','1',2.9)))",
       " 05 05 0102"},
  });
}

TEST(Struct, refuses_what_it_cannot_pack) {
  check({
      {R"(struct.pack('c5','abc'))", "error: user_script:1: bad argument #3 to 'pack' (string too short)"},
      {R"(struct.pack('y',1))", "error: user_script:1: bad argument #1 to 'pack' (invalid format option 'y')"},
      {R"(struct.pack('i33',1))", "error: user_script:1: integral size 33 is larger than limit of 32"},
      {R"(struct.pack('i99999999999',1))", "error: user_script:1: integral size overflow"},
      {R"(struct.pack('!3i4',1))", "error: user_script:1: alignment 3 is not a power of 2"},
      {R"(struct.pack('!0i4',1))", "error: user_script:1: alignment 0 is not a power of 2"},
      {R"(struct.pack('i'))", "error: user_script:1: bad argument #2 to 'pack' (number expected, got nil)"},
      {R"(struct.pack('ii',1))", "error: user_script:1: bad argument #3 to 'pack' (number expected, got nil)"},
      {R"(struct.pack('i','x'))", "error: user_script:1: bad argument #2 to 'pack' (number expected, got string)"},
      {R"(struct.pack('s'))", "error: user_script:1: bad argument #2 to 'pack' (string expected, got nil)"},
      {R"(struct.pack())", "error: user_script:1: bad argument #1 to 'pack' (string expected, got no value)"},
      {R"(struct.pack('c2000000000','abc'))", "error: user_script:1: bad argument #3 to 'pack' (string too short)"},
  });
}

TEST(Struct, unpacks_values) {
  check({
      {R"(struct.unpack('<I2>I2','\1\0\0\2'))", "1 2 5"},
      {R"(struct.unpack('bBhH','\255\255\255\255\255\255'))", "-1 255 -1 65535 7"},
      {R"(struct.unpack('s','ab\0c'))", "ab 4"},
      {R"(struct.unpack('bc0','\2abc'))", "ab 4"},
      {R"(struct.unpack('dc0',struct.pack('d',-0.5)..'abc'))", " 9"},
      {R"(struct.unpack('dc0',struct.pack('d',1e300)..'abc'))", " 9"},
      {R"(struct.unpack('sc0','5\0abcdefg'))", "abcde 8"},
      {R"(struct.unpack('xb','\1\2'), struct.unpack('!4bi4','\1\0\0\0\2\0\0\0'))", "2 1 2 9"},
      {R"(struct.unpack('<I8','\255\255\255\255\255\255\255\255'))", "1.844674407371e+19 9"},
      {R"(struct.unpack('<i16',struct.pack('<i16',-5)))", "-5 17"},
      {R"(struct.unpack('c2','abc',2))", "bc 4"},
      {R"(struct.unpack('','abc',10))", "10"},
      {R"(struct.unpack('','abc',-1))", "-1"},
  });
}

TEST(Struct, refuses_what_is_too_short) {
  check({
      {R"(struct.unpack('<i4','abc'))", "error: user_script:1: bad argument #2 to 'unpack' (data string too short)"},
      {R"(struct.unpack('s','abc'))", "error: user_script:1: unfinished string in data"},
      {R"(struct.unpack('c0','abc'))", "error: user_script:1: format 'c0' needs a previous size"},
      {R"(struct.unpack('bc0','\9abc'))", "error: user_script:1: bad argument #2 to 'unpack' (data string too short)"},
      {R"(struct.unpack('bc0','\255abc'))",
       "error: user_script:1: bad argument #2 to 'unpack' (data string too short)"},
      {R"(struct.unpack('dc0',struct.pack('d',2^63)..'abc'))",
       "error: user_script:1: bad argument #2 to 'unpack' (data string too short)"},
      {R"(struct.unpack('dc0',struct.pack('d',0/0)..'abc'))",
       "error: user_script:1: bad argument #2 to 'unpack' (data string too short)"},
      {R"(struct.unpack('c2','abc',3))", "error: user_script:1: bad argument #2 to 'unpack' (data string too short)"},
      {R"(struct.unpack('c2','abc',0))",
       "error: user_script:1: bad argument #3 to 'unpack' (offset must be 1 or greater)"},
      {R"(struct.unpack('c2','abc',-1))", "error: user_script:1: bad argument #2 to 'unpack' (data string too short)"},
      {R"(struct.unpack('<','abc',5))", "error: user_script:1: bad argument #2 to 'unpack' (data string too short)"},
      {R"(struct.unpack('!3b','abc',5))", "error: user_script:1: bad argument #2 to 'unpack' (data string too short)"},
      {R"(struct.unpack('b','abc',2^32))", "error: user_script:1: bad argument #2 to 'unpack' (data string too short)"},
      {R"(struct.unpack('c1000000000','abc'))",
       "error: user_script:1: bad argument #2 to 'unpack' (data string too short)"},
      {R"(struct.unpack('y','abc'))", "error: user_script:1: bad argument #1 to 'unpack' (invalid format option 'y')"},
      {R"(struct.unpack('b'))", "error: user_script:1: bad argument #2 to 'unpack' (string expected, got no value)"},
      {R"(select('#', struct.unpack(string.rep('b',7997),string.rep('x',7997))))", "7998"},
      {R"(struct.unpack(string.rep('b',7998),string.rep('x',7998)))",
       "error: user_script:1: stack overflow (too many results)"},
  });
}

TEST(Struct, knows_sizes) {
  check({
      {R"(struct.size('<i8!4bi4'), struct.size('c10'), struct.size('y'), struct.size('!'), struct.size('!8bd'), struct.size('!bd'), struct.size('bd'), struct.size('c2147483647c2147483647'))",
       "16 10 0 0 16 16 9 4294967294"},
      {R"(struct.size('s'))", "error: user_script:1: bad argument #1 to 'size' (option 's' has no fixed size)"},
      {R"(struct.size('c0'))", "error: user_script:1: bad argument #1 to 'size' (option 'c0' has no fixed size)"},
      {R"(struct.size('b,'))", "error: user_script:1: bad argument #1 to 'size' (invalid format option ',')"},
      {R"(struct.size('i33'))", "error: user_script:1: integral size 33 is larger than limit of 32"},
      {R"(struct.size('!3'))", "error: user_script:1: alignment 3 is not a power of 2"},
      {R"(#struct.pack(string.rep('x',1e6)), struct.size(string.rep('c1000000000',1000)))", "1000000 1000000000000"},
      {R"(#struct.pack('c100000000',string.rep('x',1e8)))", "100000000"},
  });
}

TEST(Struct, takes_its_memory_from_the_state) {
  Interpreter interpreter(std::size_t{16} << 20);
  EXPECT_EQ(interpreter.evaluate("#struct.pack(string.rep('x', 1e6))"), "1000000");
  EXPECT_EQ(interpreter.evaluate("struct.pack(string.rep('x', 1e6) .. 'xd')"),
            "error: user_script:1: bad argument #2 to 'pack' (number expected, got nil)");
  EXPECT_EQ(interpreter.evaluate("struct.pack('c0c0c0c0', string.rep('y', 4e6), string.rep('y', 4e6))"),
            "error: not enough memory");
  EXPECT_LT(interpreter.memory_in_use(), std::size_t{1} << 18);
}

TEST(Struct, can_be_stopped) {
  Interpreter interpreter;
  StoppingWatch watch;
  interpreter.state().set_watch(&watch);
  EXPECT_EQ(interpreter.evaluate("struct.size(string.rep('b', 1e6))"), "error: stopped");
  EXPECT_EQ(interpreter.evaluate("struct.pack(string.rep('x', 1e6))"), "error: stopped");
  EXPECT_EQ(interpreter.evaluate("struct.unpack(string.rep('<', 1e6), 'x')"), "error: stopped");
  interpreter.state().set_watch(nullptr);
}

}  // namespace
}  // namespace fairlane::scripting
