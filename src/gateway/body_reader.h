// Reads the members of a request's JSON body, for endpoints with small bodies. The first member
// that is not as it must be is kept as the fault; reading goes on.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_tree.h"
#include "gateway/request_context.h"

namespace toolgate {

class BodyReader {
 public:
  // An empty body is an empty object.
  static Result<BodyReader> parse(std::string body);

  std::string text(std::string_view name) const;  // empty: missing
  std::optional<std::string> optional_text(std::string_view name) const;
  std::optional<std::string> json(std::string_view name) const;  // any value, as it was written
  std::optional<std::size_t> integer(std::string_view name, std::size_t least,
                                     std::size_t most) const;
  std::optional<Error> fault() const { return state_->fault; }
  const std::string& body() const { return state_->text; }

  // Members beside these are a fault.
  void only(std::initializer_list<std::string_view> names) const;

 private:
  struct State {
    std::string text;
    JsonTree tree;
    const JsonNode* root = nullptr;
    std::optional<Error> fault;
  };
  explicit BodyReader(std::shared_ptr<State> state) : state_(std::move(state)) {}
  void blame(std::string_view name, std::string_view must_be) const;

  std::shared_ptr<State> state_;
};

Task<Result<BodyReader>> read_body_object(RequestContext& context);

}  // namespace toolgate
