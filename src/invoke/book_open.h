// What the book holds in memory of a call that has not ended. For the book_*.cpp files only.
#pragma once

#include <memory>
#include <string>

#include "invoke/book.h"

namespace toolgate {

struct InvocationBook::Open {
  Row row;
  Invocation machine;
  std::uint64_t number = 0;      // in the order in which they came
  ApprovalQuery approvals = {};  // by which an approval of it would be found again
  std::shared_ptr<const std::string> definition =
      nullptr;  // null: the call is from a process before us
  std::shared_ptr<const std::string> server_definition = nullptr;
  std::shared_ptr<const CallFacts> facts = nullptr;  // only where a person sees the result first
  std::int64_t confirmation_time = 0;                // milliseconds; 0: without end
  bool approved = false;                             // but nobody held it
};

}  // namespace toolgate
