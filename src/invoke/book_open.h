// What the book holds in memory of a call that has not ended. For the book_*.cpp files only.
#pragma once

#include <memory>
#include <string>

#include "invoke/book.h"

namespace toolgate {

struct InvocationBook::Open {
  Row row = nullptr;
  std::uint64_t number = 0;     // in the order in which they came
  std::string server_key = {};  // of the tool's server, if it has one
  std::string server_definition_hash = {};
  std::string approval_key = {};  // meaning_key() of PreparedCall::approval_key; empty: none
  std::shared_ptr<const std::string> definition =
      nullptr;  // null: the call is from a process before us
  std::shared_ptr<const std::string> server_definition = nullptr;
  std::shared_ptr<const CallFacts> facts = nullptr;  // only where a person sees the result first
  std::int64_t confirmation_time = 0;                // milliseconds; 0: without end
  bool may_be_remembered = true;                     // an approval of it
  bool confirm_results = false;                      // a person sees the result before the model
  bool approved = false;                             // but nobody held it
  bool written_later = false;                        // neither row nor audit entries are there yet
  std::shared_ptr<const Decision> decision = nullptr;  // of one that is

  // To move it; the row is where it stands.
  Invocation machine() const { return Invocation::at(row->state, confirm_results); }
};

}  // namespace toolgate
