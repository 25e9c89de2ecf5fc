// Nearly every command is made of these.
#pragma once

#include "async.h"
#include "cli/command.h"
#include "cli/gateway_client.h"
