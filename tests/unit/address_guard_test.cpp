// Which addresses a tool behind a URL may be at: both ends of every network that is refused, and
// their neighbours.
#include "net/address_guard.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

bool is_public(const char* text) {
  return is_public_address(boost::asio::ip::make_address(text));
}

TEST(AddressGuard, RefusesEverySpecialNetworkOfIpv4FromEndToEnd) {
  for (const char* text :
       {"0.0.0.0",         "0.255.255.255",   "10.0.0.0",        "10.255.255.255",
        "100.64.0.0",      "100.100.100.200", "100.127.255.255", "127.0.0.0",
        "127.0.0.1",       "127.255.255.255", "168.63.129.16",   "169.254.0.0",
        "169.254.169.254", "169.254.255.255", "172.16.0.0",      "172.31.255.255",
        "192.0.0.0",       "192.0.0.192",     "192.0.0.255",     "192.0.2.0",
        "192.0.2.255",     "192.88.99.0",     "192.88.99.255",   "192.168.0.0",
        "192.168.255.255", "198.18.0.0",      "198.19.255.255",  "198.51.100.0",
        "198.51.100.255",  "203.0.113.0",     "203.0.113.255",   "224.0.0.0",
        "239.255.255.255", "240.0.0.0",       "255.255.255.254", "255.255.255.255"})
    EXPECT_FALSE(is_public(text)) << text;
}

TEST(AddressGuard, LetsTheNeighboursOfSpecialNetworksThrough) {
  for (const char* text :
       {"1.0.0.0",         "1.1.1.1",         "8.8.8.8",         "9.255.255.255",  "11.0.0.0",
        "100.63.255.255",  "100.128.0.0",     "126.255.255.255", "128.0.0.0",      "168.63.129.15",
        "168.63.129.17",   "169.253.255.255", "169.255.0.0",     "172.15.255.255", "172.32.0.0",
        "191.255.255.255", "192.0.1.0",       "192.0.3.0",       "192.88.98.255",  "192.88.100.0",
        "192.167.255.255", "192.169.0.0",     "198.17.255.255",  "198.20.0.0",     "198.51.99.255",
        "198.51.101.0",    "203.0.112.255",   "203.0.114.0",     "223.255.255.255"})
    EXPECT_TRUE(is_public(text)) << text;
}

TEST(AddressGuard, OfIpv6OnlyGlobalUnicastIsPublic) {
  for (const char* text : {"2000::", "2001:200::1", "2001:4860:4860::8888", "2003::1",
                           "2606:4700:4700::1111", "2620:fe::fe", "2a00:1450:4001::1",
                           "3fff:1000::1", "3ffe:ffff::1", "2001:db7:ffff::", "2001:db9::"})
    EXPECT_TRUE(is_public(text)) << text;
  for (const char* text :
       {"::",          "::1",        "::2",       "1::",          "100::1",      "1fff:ffff::1",
        "4000::",      "5f00::1",    "fc00::1",   "fd12:3456::1", "fdff:ffff::", "fe80::1",
        "febf::1",     "fec0::1",    "ff02::1",   "ff0e::1",      "2001:db8::1", "2001:db8:ffff::1",
        "2001:2::1",   "2001:10::1", "2001:20::", "2001:1ff::1",  "3fff::1",     "3fff:fff:ffff::1",
        "64:ff9b:1::1"})
    EXPECT_FALSE(is_public(text)) << text;
}

TEST(AddressGuard, IgnoresTheZoneOfALinkLocalAddress) {
  EXPECT_FALSE(is_public("fe80::1%1"));
}

// What reaches an IPv4 address in the end is judged by it.
TEST(AddressGuard, LooksIntoIpv6AddressesThatCarryIpv4) {
  for (const char* text :
       {"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0.0.0.0",
        "::ffff:192.168.1.1", "64:ff9b::127.0.0.1", "64:ff9b::10.1.2.3", "64:ff9b::169.254.169.254",
        "2002:7f00:1::1", "2002:a00:1::", "2002:c0a8:101::1", "2002:a9fe:a9fe::1",
        // Teredo: the server's address as it is, the client's inverted.
        "2001:0:808:808:0:0:80ff:fffe", "2001:0:7f00:1:0:0:f7f7:f7f7",
        "2001:0:808:808:0:0:f5ff:fffe"})
    EXPECT_FALSE(is_public(text)) << text;
  for (const char* text :
       {"::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1", "2001:0:808:808:0:0:f7f7:f7f7"})
    EXPECT_TRUE(is_public(text)) << text;
}

// Nothing answers there, and some systems take them for the IPv4 address.
TEST(AddressGuard, RefusesIpv4CompatibleAndTranslatedAddressesWhateverTheyCarry) {
  for (const char* text : {"::127.0.0.1", "::8.8.8.8", "::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8",
                           "64:ff9b:0:0:0:1:808:808"})
    EXPECT_FALSE(is_public(text)) << text;
}

}  // namespace
}  // namespace toolgate
