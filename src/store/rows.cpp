#include "store/rows.h"

namespace toolgate {
namespace {

std::optional<ApprovalSide> parse_approval_side(std::string_view name) {
  for (const ApprovalSide side : {ApprovalSide::Before, ApprovalSide::Results})
    if (name_of(side) == name) return side;
  return std::nullopt;
}

template <class Value>
bool take(std::optional<Value> read, Value& value) {
  if (read) value = *read;
  return read.has_value();
}

}  // namespace

void bind_value(Statement& statement, int parameter, std::string_view text) {
  statement.bind(parameter, text);
}

void bind_value(Statement& statement, int parameter, std::int64_t number) {
  statement.bind(parameter, number);
}

void bind_value(Statement& statement, int parameter, bool truth) {
  statement.bind(parameter, std::int64_t{truth});
}

// By its number, which is VS Code's and stays; it is indexed.
void bind_value(Statement& statement, int parameter, InvocationState state) {
  statement.bind(parameter, static_cast<std::int64_t>(state));
}

void bind_value(Statement& statement, int parameter, AuditKind kind) {
  statement.bind(parameter, name_of(kind));
}

void bind_value(Statement& statement, int parameter, ApprovalSide side) {
  statement.bind(parameter, name_of(side));
}

void bind_value(Statement& statement, int parameter, ApprovalTarget target) {
  statement.bind(parameter, name_of(target));
}

void bind_value(Statement& statement, int parameter, ApprovalScope scope) {
  statement.bind(parameter, name_of(scope));
}

bool read_value(const Statement& statement, int column, std::string& text) {
  text = statement.text(column);
  return true;
}

bool read_value(const Statement& statement, int column, std::int64_t& number) {
  number = statement.number(column);
  return true;
}

bool read_value(const Statement& statement, int column, bool& truth) {
  truth = statement.number(column) != 0;
  return true;
}

bool read_value(const Statement& statement, int column, InvocationState& state) {
  const std::int64_t number = statement.number(column);
  if (number < 0 || number > static_cast<std::int64_t>(InvocationState::WaitingForAuthentication))
    return false;
  state = static_cast<InvocationState>(number);
  return true;
}

bool read_value(const Statement& statement, int column, AuditKind& kind) {
  return take(parse_audit_kind(statement.text(column)), kind);
}

bool read_value(const Statement& statement, int column, ApprovalSide& side) {
  return take(parse_approval_side(statement.text(column)), side);
}

bool read_value(const Statement& statement, int column, ApprovalTarget& target) {
  return take(parse_approval_target(statement.text(column)), target);
}

bool read_value(const Statement& statement, int column, ApprovalScope& scope) {
  return take(parse_approval_scope(statement.text(column)), scope);
}

}  // namespace toolgate
