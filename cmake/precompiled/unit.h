// For the unit tests: no header of ours, or each change of it would compile all of them anew.
#pragma once

#include <gtest/gtest.h>

#include "async.h"
