// All of the library's API in one include. docs/embedding.md shows how it is used.
//
//   registry.h       tools and tool sets come and go; makes catalogues
//   catalog.h        what there is at one moment: find, list, check inputs
//   selection.h      which of a catalogue's tools a request gets
//   tool.h           what a tool is; tool_set.h: tools under one name
//   function_tool.h  a tool from a plain function
//   run.h            waits for a Task without an event loop
//   error.h          Result and Error; task.h, cancel.h: coroutines and their end
#pragma once

// IWYU pragma: begin_exports
#include "toolgate/cancel.h"
#include "toolgate/catalog.h"
#include "toolgate/error.h"
#include "toolgate/function_tool.h"
#include "toolgate/registration.h"
#include "toolgate/registry.h"
#include "toolgate/run.h"
#include "toolgate/selection.h"
#include "toolgate/task.h"
#include "toolgate/tool.h"
#include "toolgate/tool_set.h"
// IWYU pragma: end_exports
