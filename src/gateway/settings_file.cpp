#include "gateway/settings_file.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <boost/json/parser.hpp>

#include "base/utf8.h"

namespace toolgate {
namespace {

constexpr double kMostSeconds = 365.0 * 24 * 3600;
constexpr std::size_t kMostShownBytes = 80;

class OpenFile {
 public:
  // Not blocking, because a workspace may hold a pipe under the name of a settings file.
  explicit OpenFile(const std::filesystem::path& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

std::unexpected<Error> refuse_file(const std::filesystem::path& path, std::string_view reason) {
  return fail_at(path.string(), Errc::InvalidSettings, "{}: {}", path.string(), reason);
}

std::unexpected<Error> refuse_file_for_errno(const std::filesystem::path& path) {
  return refuse_file(path, "cannot be read: " + std::generic_category().message(errno));
}

std::string position_text(const std::filesystem::path& path, std::string_view text,
                          std::size_t offset) {
  const auto position = text_position(text, offset);
  return fmt::format("{}:{}:{}", path.string(), position.line, position.column);
}

std::unexpected<Error> refuse_at(const SettingsFile& file, std::size_t offset,
                                 std::string_view reason) {
  return fail_at(file.path.string(), Errc::InvalidSettings, "{}: {}",
                 position_text(file.path, file.text, offset), reason);
}

Result<std::optional<std::string>> read_bytes(const std::filesystem::path& path) {
  const OpenFile file(path);
  if (file.descriptor() < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    return refuse_file_for_errno(path);
  }
  struct stat status{};
  if (::fstat(file.descriptor(), &status) != 0) return refuse_file_for_errno(path);
  if (S_ISDIR(status.st_mode)) return refuse_file(path, "is a folder, not a file");
  if (!S_ISREG(status.st_mode)) return refuse_file(path, "is not a regular file");

  std::string bytes;
  for (;;) {
    char block[16 << 10];
    const auto count = ::read(file.descriptor(), block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return refuse_file_for_errno(path);
    if (count == 0) return bytes;
    bytes.append(block, static_cast<std::size_t>(count));
    if (bytes.size() > kMaxSettingsBytes)
      return refuse_file(path, fmt::format("is larger than {} MiB", kMaxSettingsBytes >> 20));
  }
}

// Offset of the first ill-formed sequence of a text that has one.
std::size_t first_invalid_utf8(std::string_view text) {
  const auto whole_characters = [&](std::size_t size) {
    return text.substr(0, size - incomplete_utf8_tail(text.substr(0, size)));
  };
  std::size_t good = 0;
  std::size_t bad = text.size() + 1;
  while (bad - good > 1) {
    const auto middle = good + (bad - good) / 2;
    (is_valid_utf8(whole_characters(middle)) ? good : bad) = middle;
  }
  return whole_characters(good).size();
}

// Own use of the parser, because the offset of the error is wanted.
Result<void> parse_into(SettingsFile& file) {
  json::parse_options options;
  options.allow_comments = true;
  options.allow_trailing_commas = true;
  options.max_depth = kMaxJsonDepth;
  json::parser parser({}, options);
  json::error_code error;
  auto offset = parser.write_some(file.text.data(), file.text.size(), error);
  if (!error && offset < file.text.size()) error = json::error::extra_data;
  if (error) return refuse_at(file, offset, "is not valid JSON: " + error.message());
  file.root = parser.release();
  return {};
}

}  // namespace

Result<std::optional<SettingsFile>> read_settings_file(const std::filesystem::path& path) {
  auto bytes = read_bytes(path);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  if (!*bytes) return std::nullopt;

  SettingsFile file{path, std::move(**bytes), json::object()};
  if (file.text.starts_with("\xEF\xBB\xBF")) file.text.erase(0, 3);
  if (!is_valid_utf8(file.text))
    return refuse_at(file, first_invalid_utf8(file.text), "is not valid UTF-8");
  const auto start = locate_json(file.text, {}).value;
  if (start == file.text.size()) return file;  // nothing but comments
  if (auto parsed = parse_into(file); !parsed) return std::unexpected(std::move(parsed.error()));
  if (!file.root.is_object()) return refuse_at(file, start, "must be a JSON object");
  return file;
}

std::string SettingsValue::name() const {
  std::string name;
  for (const auto& step : path_) {
    if (const auto* index = std::get_if<std::size_t>(&step)) {
      name += fmt::format("[{}]", *index);
    } else {
      if (!name.empty()) name += '.';
      name += std::get<std::string>(step);
    }
  }
  return name;
}

SettingsValue SettingsValue::child(JsonStep step, const json::value& value) const {
  auto result = *this;
  result.path_.push_back(std::move(step));
  result.value_ = &value;
  return result;
}

SettingsValue SettingsValue::member(std::string_view key) const {
  return child(std::string(key), value_->as_object().at(key));
}

SettingsValue SettingsValue::item(std::size_t index) const {
  return child(index, value_->as_array().at(index));
}

std::optional<SettingsValue> SettingsValue::find_member(std::string_view key) const {
  if (!find(*value_, key)) return std::nullopt;
  return member(key);
}

std::string SettingsValue::value_position() const {
  return position_text(file_->path, file_->text, locate_json(file_->text, path_).value);
}

std::string SettingsValue::key_position() const {
  return position_text(file_->path, file_->text, locate_json(file_->text, path_).key);
}

std::unexpected<Error> SettingsValue::refuse(const std::string& reason) const {
  return fail_at(file_->path.string(), Errc::InvalidSettings, "{}: {} {}", value_position(), name(),
                 reason);
}

std::string in_quotes(std::string_view text) {
  std::string result;
  const auto start = text.substr(0, kMostShownBytes);
  if (start.size() == text.size()) {
    append_json_string(result, text);
  } else {
    append_json_string(result, start.substr(0, start.size() - incomplete_utf8_tail(start)));
    result += "…";
  }
  return result;
}

Result<std::string> read_text(const SettingsValue& value) {
  const auto* string = value.value().if_string();
  if (!string || string->empty()) return value.fail("must be a string that is not empty");
  for (const unsigned char c : *string)
    if (c < 0x20 || c == 0x7f) return value.fail("must not contain control characters");
  return std::string(*string);
}

Result<std::vector<std::string>> read_texts(const SettingsValue& value, std::string_view expected) {
  const auto* list = value.value().if_array();
  if (!list) return value.fail("{}", expected);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto text = read_text(value.item(i));
    if (!text) return std::unexpected(std::move(text.error()));
    texts.push_back(std::move(*text));
  }
  return texts;
}

Result<bool> read_bool(const SettingsValue& value) {
  const auto* flag = value.value().if_bool();
  if (!flag) return value.fail("must be true or false");
  return *flag;
}

Result<std::int64_t> read_integer(const SettingsValue& value, std::int64_t least,
                                  std::int64_t most) {
  json::error_code error;
  const auto number = value.value().to_number<std::int64_t>(error);
  if (!value.value().is_number() || error || number < least || number > most)
    return value.fail("must be an integer from {} to {}", least, most);
  return number;
}

Result<double> read_seconds(const SettingsValue& value) {
  json::error_code error;
  const auto seconds = value.value().to_number<double>(error);
  if (!value.value().is_number() || error || !(seconds > 0) || seconds > kMostSeconds)
    return value.fail("must be a number of seconds over 0 and at most {}", kMostSeconds);
  return seconds;
}

bool is_variable_name(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  return std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  });
}

}  // namespace toolgate
