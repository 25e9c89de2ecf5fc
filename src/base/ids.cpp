// Random characters come from the kernel through a small buffer per thread, so that an id costs no
// system call and no lock.
#include "base/ids.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <sys/random.h>

namespace toolgate {
namespace {

void fill_random(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = getrandom(bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) std::abort();  // Linux documents no other failure for a valid buffer.
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

std::uint8_t random_byte() {
  thread_local std::array<std::uint8_t, 1024> buffer;
  thread_local std::size_t used = buffer.size();
  if (used == buffer.size()) {
    fill_random(buffer);
    used = 0;
  }
  return buffer[used++];
}

}  // namespace

std::string make_id(std::string_view prefix) {
  constexpr std::string_view kAlphabet =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  constexpr std::size_t kLength = 24;
  std::string id(prefix);
  id.reserve(prefix.size() + kLength);
  while (id.size() < prefix.size() + kLength) {
    const std::size_t pick = random_byte() & 63U;
    if (pick < kAlphabet.size()) id += kAlphabet[pick];
  }
  return id;
}

void fill_random_bytes(std::span<std::uint8_t> bytes) {
  for (std::uint8_t& byte : bytes) byte = random_byte();
}

const std::string& instance_name() {
  static const std::string name = make_id("toolgate-");
  return name;
}

std::string make_secret() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<std::uint8_t, 32> bytes;
  fill_random(bytes);
  std::string secret;
  for (const std::uint8_t byte : bytes) {
    secret += kDigits[byte >> 4U];
    secret += kDigits[byte & 15U];
  }
  return secret;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;  // how long a key is, is no secret
  std::uint8_t difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<std::uint8_t>(a[i]) ^ static_cast<std::uint8_t>(b[i]);
  const volatile std::uint8_t result = difference;
  return result == 0;
}

}  // namespace toolgate
