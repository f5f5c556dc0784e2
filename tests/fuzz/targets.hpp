#pragma once

#include <cstdint>
#include <span>

namespace fairlane::fuzz {

/// Each takes any bytes, and aborts when the code under test breaks a promise. The libFuzzer programs call them with
/// what the fuzzer invents, the ordinary tests with the files of corpus/<name>.

/// Any bytes, in any pieces, give the same requests and the same end. The first byte of the input seeds the cuts.
void request_parser(std::span<const std::uint8_t> input);

/// The bytes are a program of commands, run by two clients of a server in virtual time. Whatever it is, the replies are
/// RESP, and every request but a parked one has exactly one.
void command_program(std::span<const std::uint8_t> input);

/// The first byte chooses JSON, MessagePack or binary structures, which read the rest, write what they read and read
/// that. Whatever it is, the end is a value or a Lua error, within the memory of the Lua state.
void script_libraries(std::span<const std::uint8_t> input);

/// The bytes are a value as DUMP writes it, without the footer. Whatever they are, they are refused, or make a value
/// that is the same when it is written and read again.
void stored_value(std::span<const std::uint8_t> input);

}  // namespace fairlane::fuzz
