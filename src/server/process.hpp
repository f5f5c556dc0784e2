#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

/// What the server asks the operating system for.
namespace fairlane::server {

/// Goes on in a child without a terminal; the parent exits.
void daemonize();
/// A descriptor that is readable when the process has ended; negative when there is no such process.
int descriptor_of(pid_t process) noexcept;
/// Becomes another program, which PATH may lead to. Returns only when it fails, with errno.
int become(const std::vector<std::string>& words);
/// False when it cannot be written.
bool write_pid_file(const std::string& path);
/// Makes room for the descriptors of so many clients; returns for how many there is.
std::int64_t make_room_for_clients(std::int64_t clients) noexcept;
std::uint64_t random_seed() noexcept;
/// 40 hexadecimal digits.
std::string random_id();
/// Lets go of the pages of the program that nothing runs any more after the start: those that are needed come back one
/// by one from the system's cache.
void leave_start_up_code() noexcept;
/// The path of this program.
std::string executable_path(const char* called);

}  // namespace fairlane::server
