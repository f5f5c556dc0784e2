#include "server/process.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>

// The linker's: where the program begins in memory, and where its code ends.
extern "C" const char __executable_start;
extern "C" const char etext;

namespace fairlane::server {
namespace {

/// Listening sockets, the epoll descriptors, the log, and some to spare.
constexpr rlim_t kOwnDescriptors = 32;

}  // namespace

void daemonize() {
  const pid_t child = ::fork();
  if (child != 0) std::_Exit(child > 0 ? 0 : 1);
  ::setsid();
  const int nothing = ::open("/dev/null", O_RDWR);
  if (nothing < 0) return;
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, descriptor);
  if (nothing > STDERR_FILENO) ::close(nothing);
}

int descriptor_of(pid_t process) noexcept {
  // The C library's own function cannot be linked from C++ (Debian 12).
  return static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
}

int become(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  ::execvp(pointers[0], pointers.data());
  return errno;
}

bool write_pid_file(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return false;
  std::fprintf(file, "%d\n", static_cast<int>(::getpid()));
  return std::fclose(file) == 0;
}

std::int64_t make_room_for_clients(std::int64_t clients) noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return clients;
  const rlim_t wanted = static_cast<rlim_t>(clients) + kOwnDescriptors;
  if (limit.rlim_cur >= wanted) return clients;
  limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) ::getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= wanted) return clients;
  return limit.rlim_cur > kOwnDescriptors ? static_cast<std::int64_t>(limit.rlim_cur - kOwnDescriptors) : 1;
}

std::uint64_t random_seed() noexcept {
  std::uint64_t seed = 0;
  if (::getrandom(&seed, sizeof(seed), 0) != sizeof(seed)) seed = static_cast<std::uint64_t>(::getpid());
  return seed;
}

std::string random_id() {
  constexpr std::size_t kDigits = 40;
  std::string id;
  char digits[17];
  while (id.size() < kDigits) {
    std::snprintf(digits, sizeof(digits), "%016llx", static_cast<unsigned long long>(random_seed()));
    id += digits;
  }
  id.resize(kDigits);
  return id;
}

void leave_start_up_code() noexcept {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(&__executable_start) / page * page;
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(&etext) / page * page;
  // Nothing is lost when the system does not want to.
  ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

std::string executable_path(const char* called) {
  std::array<char, PATH_MAX> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  return size > 0 ? std::string(path.data(), static_cast<std::size_t>(size)) : std::string(called);
}

}  // namespace fairlane::server
