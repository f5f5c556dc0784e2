#include "fairlane/command/reference.hpp"

#include <gtest/gtest.h>

#include <string>

#include "testkit/wire_file.hpp"

namespace fairlane::command {
namespace {

TEST(Reference, names_every_command) {
  std::string text;
  print_reference(text);
  for (const char* line : {"**`GET key`**", "**`SLOWLOG GET [count]`**", "## Strings", "@string"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line;
  }
}

TEST(Reference, is_what_the_declarations_say) {
  std::string text;
  print_reference(text);
  EXPECT_TRUE(text == testkit::read_whole_file(FAIRLANE_REFERENCE))
      << "print it again: fairlane-server --print-commands > src/command/REFERENCE.md";
}

}  // namespace
}  // namespace fairlane::command
