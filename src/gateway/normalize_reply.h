// POST /v1/normalize without HTTP: from the request's text to the reply's. The endpoint uses it,
// and `toolgate normalize --json` prints the same object.
#pragma once

#include <string>
#include <string_view>

#include "gateway/snapshot.h"
#include "schema/normalize.h"

namespace toolgate {

// {"tools":[…] or null,"fixes":[{tool,path,message}],"coercions":[{tool,path,from,to}],
//  "errors":[{index,tool,path,message,advice,classic}]}
std::string write_normalized(const NormalizedList& list);

Result<std::string> answer_normalize(std::string_view body, const Snapshot& snapshot);

}  // namespace toolgate
