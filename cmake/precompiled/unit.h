// For the unit tests.
#pragma once

#include <gtest/gtest.h>

#include "async.h"
#include "builtin/all.h"
#include "gateway/request_context.h"
