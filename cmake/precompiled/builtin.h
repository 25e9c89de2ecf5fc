// Nearly every tool is made of these.
#pragma once

#include "async.h"
#include "builtin/all.h"
