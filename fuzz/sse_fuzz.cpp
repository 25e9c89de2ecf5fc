// Events must not depend on packet borders, and views must stay inside readable memory. The first
// byte of the input is the packet size.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "wire/json_padding.h"
#include "wire/sse.h"

namespace {

using toolgate::SseReader;

struct Reading {
  std::vector<std::string> events;
  bool failed = false;
  bool operator==(const Reading&) const = default;
};

void take(const toolgate::SseEvent& event, Reading& reading) {
  if (event.data.empty()) std::abort();
  // Reading the padding is the test: AddressSanitizer watches.
  volatile char last = 0;
  for (std::size_t i = 0; i < event.data.size() + toolgate::kJsonPadding; ++i)
    last = event.data.data()[i];
  static_cast<void>(last);
  reading.events.push_back(std::string(event.event) + "|" + std::string(event.data));
}

Reading read_in_packets(std::string_view bytes, std::size_t size, std::size_t limit) {
  SseReader reader(limit);
  Reading reading;
  for (std::size_t at = 0; at < bytes.size() && !reading.failed; at += size) {
    reader.feed(bytes.substr(at, size));
    auto event = reader.next();
    for (; event && *event; event = reader.next()) take(**event, reading);
    reading.failed = !event;
  }
  if (reading.failed) {
    if (reader.next()) std::abort();
    return reading;
  }
  const auto last = reader.finish();
  if (last && *last) take(**last, reading);
  reading.failed = !last;
  return reading;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  constexpr std::size_t kNoLimit = std::size_t{1} << 30;
  const std::size_t packet = data[0] % 32 + 1;
  if (!(read_in_packets(bytes, bytes.size(), kNoLimit) == read_in_packets(bytes, packet, kNoLimit)))
    std::abort();
  read_in_packets(bytes, packet, 64);
  return 0;
}
