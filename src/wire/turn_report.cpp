// Writes the turn report; agent/ and the stream normaliser fill it.
#include "wire/turn_report.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/utf8.h"

namespace toolgate {

namespace {

void append_text(std::string& out, const std::string& text) {
  append_json_string(out, is_valid_utf8(text) ? text : mend_utf8(text));
}

}  // namespace

void append_turn_report(std::string& out, const TurnReport& report) {
  out += R"({"rounds":)";
  out += fmt::format_int(report.rounds).str();
  out += R"(,"invocations":[)";
  for (const std::string& invocation : report.invocations) {
    if (&invocation != report.invocations.data()) out += ',';
    out += invocation;
  }
  out += R"(],"warnings":[)";
  bool first = true;
  for (const std::string& warning : report.warnings) {
    if (!first) out += ',';
    first = false;
    append_text(out, warning);
  }
  out += R"(],"fixes":[)";
  for (const ToolFix& fix : report.fixes) {
    out += &fix == report.fixes.data() ? R"({"tool":)" : R"(,{"tool":)";
    append_text(out, fix.tool);
    out += R"(,"message":)";
    append_text(out, fix.message);
    out += '}';
  }
  out += "]}";
}

}  // namespace toolgate
