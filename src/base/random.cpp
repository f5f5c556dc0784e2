#include "fairlane/base/random.hpp"

#include <sys/random.h>

#include <string_view>

namespace fairlane::base {

std::string secret_digits(std::size_t count) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits(count, '\0');
  for (std::size_t done = 0; done < count;) {
    // An interrupted call has given less than was asked for, or nothing.
    const ssize_t got = ::getrandom(digits.data() + done, count - done, 0);
    if (got > 0) done += static_cast<std::size_t>(got);
  }
  for (char& digit : digits) digit = kDigits[static_cast<unsigned char>(digit) & 15U];
  return digits;
}

}  // namespace fairlane::base
