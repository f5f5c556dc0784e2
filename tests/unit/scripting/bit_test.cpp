#include <gtest/gtest.h>

#include "unit/scripting/vectors.hpp"

namespace fairlane::scripting {
namespace {

TEST(Bit, combines_bits) {
  check({
      {R"(bit.bnot(0), bit.band(7,3,1), bit.bor(1,2,4), bit.bxor(5,1), bit.band(-1,0xff), bit.band('5',1), bit.band(1))",
       "-1 1 7 4 255 1 1"},
      {R"(bit.lshift(1,33), bit.rshift(-1,28), bit.arshift(-256,4), bit.rol(0x12345678,12), bit.ror(0x12345678,12), bit.lshift(1,-1), bit.bswap(0x12345678))",
       "2 15 -16 1164411171 1736516421 -2147483648 2018915346"},
  });
}

TEST(Bit, takes_any_number) {
  check({
      {R"(bit.tobit(2^31), bit.tobit(1.5), bit.tobit(2.5), bit.tobit(-1), bit.tobit(2^32+5), bit.tobit(2^53), bit.tobit(-2^53), bit.tobit(1e300), bit.tobit(0/0), bit.tobit(1/0), bit.tobit(-1/0))",
       "-2147483648 2 2 -1 5 0 0 -2013235812 0 0 0"},
  });
}

TEST(Bit, writes_hexadecimal) {
  check({
      {R"(bit.tohex(255), bit.tohex(255,4), bit.tohex(255,-4), bit.tohex(1,20), bit.tohex(1,0), bit.tohex(1,-8), bit.tohex(-1), bit.tohex(0xabcdef,2^32-8))",
       "000000ff 00ff 00FF 00000001  00000001 ffffffff 00ABCDEF"},
      {R"(bit.tohex(0xabcdef,-2147483648), bit.tohex(0xabcdef,2147483647), bit.tohex(0xabcdef,-2147483647), bit.tohex(0xabcdef,0/0))",
       "00ABCDEF 00abcdef 00ABCDEF "},
  });
}

TEST(Bit, refuses_what_is_no_number) {
  check({
      {R"(bit.band())", "error: user_script:1: bad argument #1 to 'band' (number expected, got no value)"},
      {R"(bit.band('x'))", "error: user_script:1: bad argument #1 to 'band' (number expected, got string)"},
      {R"(bit.tobit({}))", "error: user_script:1: bad argument #1 to 'tobit' (number expected, got table)"},
      {R"(bit.lshift(1))", "error: user_script:1: bad argument #2 to 'lshift' (number expected, got no value)"},
      {R"(bit.tohex(1,nil))", "error: user_script:1: bad argument #2 to 'tohex' (number expected, got nil)"},
      {R"(bit.tohex())", "error: user_script:1: bad argument #1 to 'tohex' (number expected, got no value)"},
  });
}

}  // namespace
}  // namespace fairlane::scripting
