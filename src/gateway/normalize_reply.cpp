#include "gateway/normalize_reply.h"

#include "base/json.h"

namespace toolgate {
namespace {

struct NormalizeRequest {
  std::string family;
  const JsonNode* tools = nullptr;
  BadTools bad_tools = BadTools::Quarantine;
};

void append_member(std::string& out, std::string_view name, std::string_view text) {
  if (out.back() != '{') out += ',';
  append_json_string(out, name);
  out += ':';
  append_json_string(out, text);
}

void append_error(std::string& out, const NormalizedTool& tool, std::size_t number) {
  out += fmt::format(R"({{"index":{})", number);
  append_member(out, "tool", tool.name);
  append_member(out, "path", tool.fault->path);
  append_member(out, "message", tool.fault->reason);
  append_member(out, "advice", tool.fault->advice);
  append_member(out, "classic", tool.classic_error());
  out += '}';
}

Result<std::string_view> text_member(const JsonNode& request, std::string_view name) {
  const JsonNode* member = request.find(name);
  if (member == nullptr || member->is(JsonNode::Kind::Null)) return std::string_view();
  if (!member->is(JsonNode::Kind::String))
    return fail_at(std::string(name), Errc::InvalidRequest, "{}: must be a string", name);
  return member->text;
}

Result<std::string> read_family(const JsonNode& request, const Snapshot& snapshot) {
  const auto family = text_member(request, "family");
  if (!family) return std::unexpected(family.error());
  if (!family->empty()) return std::string(*family);
  const auto model = text_member(request, "model");
  if (!model) return std::unexpected(model.error());
  if (model->empty())
    return fail_at("family", Errc::InvalidRequest,
                   "family: the field is required, such as \"gpt-4.1\"; or give \"model\"");
  const ChatProvider* found = snapshot.find_model(*model);
  if (!found) return std::unexpected(unknown_model(snapshot, *model));
  return found->info().family;
}

Result<NormalizeRequest> read_request(const JsonNode& request, const Snapshot& snapshot) {
  if (!request.is(JsonNode::Kind::Object))
    return fail(Errc::InvalidRequest, "the request body must be a JSON object");
  auto family = read_family(request, snapshot);
  if (!family) return std::unexpected(family.error());
  const auto mode = text_member(request, "mode");
  if (!mode) return std::unexpected(mode.error());
  if (!mode->empty() && *mode != "strict" && *mode != "quarantine")
    return fail_at("mode", Errc::InvalidRequest, "mode: must be \"quarantine\" or \"strict\"");
  const JsonNode* tools = request.find("tools");
  if (tools != nullptr && tools->is(JsonNode::Kind::Null)) tools = nullptr;
  return NormalizeRequest{std::move(*family), tools,
                          *mode == "strict" ? BadTools::Reject : BadTools::Quarantine};
}

}  // namespace

std::string write_normalized(const NormalizedList& list) {
  std::string out = R"({"tools":)";
  out += list.absent || !list.error.empty() ? "null" : list.text();
  out += R"(,"fixes":[)";
  bool first = true;
  for (const auto& tool : list.tools) {
    for (const SchemaFix& fix : tool->fixes) {
      out += std::exchange(first, false) ? "{" : ",{";
      append_member(out, "tool", tool->name);
      append_member(out, "path", fix.path);
      append_member(out, "message", fix.message);
      out += '}';
    }
  }
  out += R"(],"coercions":[)";
  first = true;
  for (const auto& tool : list.tools) {
    for (const Repair& repair : tool->coerced) {
      out += std::exchange(first, false) ? "{" : ",{";
      append_member(out, "tool", tool->name);
      append_member(out, "path", repair.path);
      append_member(out, "from", repair.from);
      append_member(out, "to", repair.to);
      out += '}';
    }
  }
  out += R"(],"errors":[)";
  first = true;
  for (std::size_t i = 0; i < list.tools.size(); ++i) {
    if (!list.tools[i]->fault) continue;
    if (!std::exchange(first, false)) out += ',';
    append_error(out, *list.tools[i], i);
  }
  std::size_t unlisted = 0;
  for (const auto& tool : list.tools) unlisted += tool->fixes_left_out + tool->coerced_left_out;
  out += unlisted > 0 ? fmt::format(R"(],"unlisted":{}}})", unlisted) : "]}";
  return out;
}

Result<std::string> answer_normalize(std::string_view body, const Snapshot& snapshot) {
  JsonTree tree;
  const auto root = tree.parse(body);
  if (!root)
    return fail(Errc::InvalidJson, "the request body cannot be read: {}", root.error().message);
  const auto request = read_request(**root, snapshot);
  if (!request) return std::unexpected(request.error());
  const NormalizeOptions options{.changes =
                                     snapshot.settings.families.changes_for(request->family)};
  const auto list = normalize_tools(request->tools, options, request->bad_tools);
  if (!list) return std::unexpected(list.error());
  return write_normalized(*list);
}

}  // namespace toolgate
