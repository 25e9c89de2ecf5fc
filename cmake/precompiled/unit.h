// For the unit tests.
#pragma once

#include "async.h"
#include "builtin/all.h"
#include "gateway/request_context.h"
#include <gtest/gtest.h>

