// The inputs that the fuzzers have kept, past crashes among them, in the ordinary test run.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/targets.hpp"

namespace fairlane::fuzz {
namespace {

using Target = void (*)(std::span<const std::uint8_t>);

/// Every file, in alphabetical order, so that an abort names its place.
std::vector<std::filesystem::path> files_of(const std::string& name) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(FAIRLANE_CORPUS_FOLDER "/") + name)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void replay(const std::string& name, Target target) {
  const auto files = files_of(name);
  ASSERT_FALSE(files.empty());
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename());
    std::ifstream stream(file, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    target({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  }
}

TEST(FuzzCorpus, the_request_parser_takes_every_kept_input) { replay("request_parser", request_parser); }

TEST(FuzzCorpus, the_server_takes_every_kept_program) { replay("command_program", command_program); }

TEST(FuzzCorpus, the_libraries_of_scripts_take_every_kept_input) { replay("script_libraries", script_libraries); }

TEST(FuzzCorpus, the_reader_of_values_takes_every_kept_input) { replay("stored_value", stored_value); }

}  // namespace
}  // namespace fairlane::fuzz
