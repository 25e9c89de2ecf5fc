// Cuts text into the pieces that byte-pair encoding then works on, exactly where the split pattern
// of an encoding cuts it. Written by hand because a regular expression is the slowest part of every
// tokeniser that uses one. Called by encoding.cpp; the patterns stand in pieces.cpp.
#pragma once

#include "tokens/encoding.h"

namespace toolgate {

// The end of the piece that begins at `at`; at < end. Linear over a whole text.
const char* piece_end_o200k(const char* at, const char* end);
const char* piece_end_cl100k(const char* at, const char* end);

}  // namespace toolgate
