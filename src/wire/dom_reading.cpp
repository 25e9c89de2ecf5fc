#include "wire/dom_reading.h"

namespace toolgate {

simdjson::dom::parser& thread_parser(std::size_t size) {
  constexpr std::size_t kUsualSize = std::size_t{16} << 10;
  constexpr std::size_t kKeptSize = std::size_t{1} << 20;
  thread_local simdjson::dom::parser parser;
  if (parser.capacity() == 0 || (parser.capacity() > kKeptSize && size <= kKeptSize)) {
    parser = simdjson::dom::parser();
    // A failure shows again when the text is parsed.
    (void)parser.allocate(kUsualSize);
  }
  return parser;
}

}  // namespace toolgate
