// What /v1/edits answers: the endpoints and `toolgate undo` without a gateway. Everything blocks as
// files do.
#pragma once

#include <string>
#include <string_view>

#include "builtin/edits.h"
#include "invoke/ledger.h"

namespace toolgate {

// {"object":"list","data":[…],"has_more"}: newest first; of one workspace, if it is named.
std::string write_edit_list(Edits& edits, std::size_t limit, std::string_view workspace);

// The edit, and what undoing it would do: "undo":{"possible","problem"?,"diff"?}.
Result<std::string> write_edit(Edits& edits, std::string_view id, bool force);

// Undoes it; the edit that did. The audit trail has that it begins before a file is touched, or
// nothing is, and then how it ended.
Result<std::string> write_undo(Edits& edits, Ledger& ledger, std::string_view id,
                               const EditUndo& how);

}  // namespace toolgate
