#include "net/address_guard.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace toolgate {
namespace {

using boost::asio::ip::address_v6;
using Bytes = address_v6::bytes_type;

struct Network4 {
  std::uint32_t address;
  int prefix;
};

// IANA's special-purpose registry, and one address that looks public and is not.
constexpr std::array kSpecial4{
    Network4{0x00000000, 8},   // this network
    Network4{0x0A000000, 8},   // private
    Network4{0x64400000, 10},  // shared between a carrier and its customers
    Network4{0x7F000000, 8},   // loopback
    Network4{0xA83F8110, 32},  // 168.63.129.16: Azure's services for its machines
    Network4{0xA9FE0000, 16},  // link-local, and the metadata of clouds
    Network4{0xAC100000, 12},  // private
    Network4{0xC0000000, 24},  // protocol assignments
    Network4{0xC0000200, 24},  // documentation
    Network4{0xC0586300, 24},  // 6to4 relays
    Network4{0xC0A80000, 16},  // private
    Network4{0xC6120000, 15},  // benchmarking
    Network4{0xC6336400, 24},  // documentation
    Network4{0xCB007100, 24},  // documentation
    Network4{0xE0000000, 4},   // multicast
    Network4{0xF0000000, 4},   // reserved, and broadcast
};

bool is_public(std::uint32_t address) {
  return std::ranges::none_of(kSpecial4, [address](const Network4& network) {
    return (address ^ network.address) >> (32 - network.prefix) == 0;
  });
}

std::uint32_t ipv4_at(const Bytes& bytes, std::size_t at) {
  std::uint32_t address = 0;
  for (std::size_t i = 0; i < 4; ++i) address = address << 8 | bytes[at + i];
  return address;
}

struct Network6 {
  std::array<std::uint8_t, 12> bytes;
  int prefix;

  bool contains(const Bytes& address) const {
    for (int bit = 0; bit < prefix; ++bit) {
      const auto differs = address[bit / 8] ^ bytes[bit / 8];
      if ((differs >> (7 - bit % 8) & 1) != 0) return false;
    }
    return true;
  }
};

constexpr Network6 kMapped{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF}, 96};
constexpr Network6 kNat64{{0, 0x64, 0xFF, 0x9B}, 96};
constexpr Network6 kSixToFour{{0x20, 0x02}, 16};
constexpr Network6 kTeredo{{0x20, 0x01, 0, 0}, 32};
constexpr Network6 kGlobalUnicast{{0x20}, 3};
constexpr std::array kSpecial6{
    Network6{{0x20, 0x01, 0x00}, 23},        // protocol assignments, benchmarking
    Network6{{0x20, 0x01, 0x0D, 0xB8}, 32},  // documentation
    Network6{{0x3F, 0xFF, 0x00}, 20},        // documentation
};

bool is_public(const Bytes& bytes) {
  if (kMapped.contains(bytes) || kNat64.contains(bytes)) return is_public(ipv4_at(bytes, 12));
  if (kSixToFour.contains(bytes)) return is_public(ipv4_at(bytes, 2));
  if (kTeredo.contains(bytes))
    return is_public(ipv4_at(bytes, 4)) && is_public(~ipv4_at(bytes, 12));
  return kGlobalUnicast.contains(bytes) &&
         std::ranges::none_of(kSpecial6, [&](const Network6& net) { return net.contains(bytes); });
}

}  // namespace

bool is_public_address(const boost::asio::ip::address& address) {
  if (address.is_v4()) return is_public(address.to_v4().to_uint());
  return is_public(address.to_v6().to_bytes());
}

}  // namespace toolgate
