#include <algorithm>

#include "base/json.h"
#include "gateway/endpoints/endpoints.h"

namespace toolgate {
namespace {

json::object describe(const ModelInfo& info) {
  json::object model;
  model["id"] = info.id;
  model["object"] = "model";
  model["created"] = info.created;
  model["owned_by"] = info.owned_by;
  if (!info.family.empty()) model["family"] = info.family;
  if (info.max_input_tokens) model["max_input_tokens"] = *info.max_input_tokens;
  if (info.max_output_tokens) model["max_output_tokens"] = *info.max_output_tokens;
  model["tool_calling"] = info.tool_calling;
  return model;
}

}  // namespace

Task<> list_models(RequestContext& context) {
  json::array models;
  for (const auto& model : context.snapshot->models) models.push_back(describe(model->info()));
  json::object list;
  list["object"] = "list";
  list["data"] = std::move(models);
  co_await reply_json(context, write_json(list));
}

Task<> show_model(RequestContext& context) {
  const auto& models = context.snapshot->models;
  const auto found = std::ranges::find_if(
      models, [&](const auto& model) { return model->info().id == context.parameter; });
  if (found == models.end()) {
    co_await reply_error(context, unknown_model(*context.snapshot, context.parameter));
    co_return;
  }
  co_await reply_json(context, write_json(describe((*found)->info())));
}

}  // namespace toolgate
