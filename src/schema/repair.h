// What a model sent as a tool's input: parsed, coerced and repaired where the schema says what was
// meant, and checked. Every change is reported; the model's own text is used where there was none.
// `toolgate validate` calls it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_tree.h"
#include "schema/check.h"
#include "schema/compile.h"

namespace toolgate {

struct RepairOptions {
  // Exactly what the original does: strings under keys with `/` or `~` and in type lists stay
  // closed, flattened keys stay, only the first fault is found.
  bool classic = false;
  // The schema's own tree: flattened keys are rebuilt only where it is given.
  const JsonNode* schema_root = nullptr;
  bool rebuild_keys = true;
  std::uint64_t max_steps = kDefaultCheckSteps;  // of all checks that the repairs take
};

struct InputFault {
  std::string path;     // JSON pointer; "" is the whole input
  std::string keyword;  // "json" for text that is no JSON, "limit" for a check cut short
  std::string message;  // what would be allowed and what was there
  std::uint32_t offset = JsonNode::kNowhere;  // of the value in the model's text
};

struct InputCheck {
  bool valid = false;
  bool absent = false;  // the text was empty; `input` is then {} unless classic
  std::string input;    // to hand to the tool; the model's own text where nothing was repaired
  std::vector<InputFault> faults;
  std::size_t faults_left_out = 0;
  std::vector<Repair> repairs;  // in the order they were made; also when the input stays invalid
  std::size_t repairs_left_out = 0;  // too many to list

  std::string message;  // for the model when invalid: every fault with its path
  std::string classic;  // the original's message, byte for byte
};

// `schema` is null for a tool without one: then any JSON will do.
InputCheck check_input(std::string_view text, const Schema* schema,
                       const RepairOptions& options = {});

// The original's answer to a call of a tool that does not exist.
std::string unknown_tool_message(std::string_view name);

// A name that is legal in a request: every UTF-16 unit outside [A-Za-z0-9_-] becomes `_`.
std::string clean_tool_name(std::string_view name);

}  // namespace toolgate
