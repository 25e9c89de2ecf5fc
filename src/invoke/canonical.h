// Forms of JSON and definitions that are the same whenever they mean the same, and their hashes:
// what an approval is bound to. Shown to a person, hashed, stored and compared by book.h.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "toolgate/error.h"
#include "toolgate/tool.h"

namespace toolgate {

// Members sorted by their UTF-16 units as RFC 8785 says, numbers the shortest way (but integers
// beyond 2^53 exactly), no spaces; of members of one name the last. Half of a surrogate pair has no
// such form and is refused.
Result<std::string> canonical_json(std::string_view json);

std::string sha256_hex(std::string_view bytes);

// What a tool is to a model and to a person: id, source, descriptions and schema, as canonical
// JSON.
std::string definition_text(const ToolData& tool);

// Texts one after the other so that no two lists of them look the same.
std::string with_lengths(std::initializer_list<std::string_view> texts);
void append_with_length(std::string& out, std::string_view text);

// What was shown is what runs: a hash of all that decides about a call.
std::string binding_hash(std::string_view tool_id, std::string_view definition_hash,
                         std::string_view canonical_arguments, std::string_view caller);

// Of one tool and exactly these arguments: Approval::key and ApprovalQuery::arguments_key.
std::string arguments_key(std::string_view tool_id, std::string_view canonical_arguments);
// The same where the tool says itself what is exactly the same: PreparedCall::approval_key. Empty
// where it does not.
std::string meaning_key(std::string_view tool_id, std::string_view approval_key);

// VS Code's key of a remembered combination of a tool and its parameters, in the order given.
std::string combination_key(std::string_view tool_id, std::string_view parameters_json);

}  // namespace toolgate
