// Written lists of the catalogue, ready to be sent. One per loop.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "toolgate/catalog.h"

namespace toolgate {

class ToolLists {
 public:
  using Text = std::shared_ptr<const std::string>;

  // Null: not written yet for this catalogue.
  Text find(const Catalog& catalog, std::string_view key);
  void keep(const Catalog& catalog, std::string key, Text text);

 private:
  struct Entry {
    std::string key;
    Text text;
  };

  // Forgets all of an older catalogue; false when this one is older still.
  bool turn_to(const Catalog& catalog);

  std::uint64_t version_ = 0;
  std::list<Entry> entries_;  // newest first
  std::size_t bytes_ = 0;     // of their texts, some MiB at most
};

}  // namespace toolgate
