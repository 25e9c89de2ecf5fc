// Nearly every endpoint takes one.
#pragma once

#include "async.h"
#include "gateway/request_context.h"
