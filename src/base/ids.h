// Random identifiers. Safe to call from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace toolgate {

// `prefix` and 24 random characters of [a-zA-Z0-9]: "chatcmpl-", "call_", "req_".
std::string make_id(std::string_view prefix);

// Of the same source.
void fill_random_bytes(std::span<std::uint8_t> bytes);

// This process among others: "toolgate-" and random characters.
const std::string& instance_name();

// 64 hexadecimal digits from the system's random source, for tokens and keys.
std::string make_secret();

// Compares without telling by its duration where the first difference is.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace toolgate
