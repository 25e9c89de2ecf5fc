// Brings a database file to the format this program knows. sqlite_store.cpp calls it when it opens
// one; docs/formats.md describes the tables.
#pragma once

#include <span>

#include "toolgate/error.h"

namespace toolgate {

class Database;

// Step n makes a database of version n + 1 from one of version n. Steps that were ever released
// stay as they are.
std::span<const char* const> migrations();

// Each step is a transaction. A file of a newer version or of another program is refused.
Result<void> migrate(Database& database, std::span<const char* const> steps = migrations());

}  // namespace toolgate
