// Messages must not depend on packet borders, and what is written must read back the same. The
// first byte of the input is the packet size.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/require.h"
#include "wire/jsonrpc.h"

namespace {

using namespace toolgate;

struct Reading {
  std::vector<std::string> messages;
  bool failed = false;
  bool operator==(const Reading&) const = default;
};

Reading read_in_packets(std::string_view bytes, std::size_t size) {
  RpcFrameReader reader(4'096);
  Reading reading;
  for (std::size_t at = 0; at < bytes.size() && !reading.failed; at += size) {
    reader.feed(bytes.substr(at, size));
    auto message = reader.next();
    for (; message && *message; message = reader.next()) {
      require((*message)->size() <= 4'096, "a message is within its limit");
      reading.messages.push_back(std::move(**message));
    }
    reading.failed = !message;
  }
  if (reading.failed) require(!reader.next(), "after an error nothing is read");
  return reading;
}

void check_message(const std::string& text) {
  const auto message = parse_rpc_message(text);
  if (!message || message->kind != RpcMessage::Kind::Notification) return;
  const auto again = parse_rpc_message(write_rpc_notification(message->method, message->content));
  require(again && again->method == message->method, "a method is written as it was read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Reading whole = read_in_packets(bytes, bytes.size());
  require(whole == read_in_packets(bytes, data[0] % 32 + 1), "packet borders do not matter");
  std::string written;
  for (const std::string& message : whole.messages) {
    check_message(message);
    written += write_rpc_frame(message);
  }
  if (!written.empty())
    require(read_in_packets(written, written.size()).messages == whole.messages,
            "frames are written as they were read");
  check_message(std::string(bytes));
  return 0;
}
