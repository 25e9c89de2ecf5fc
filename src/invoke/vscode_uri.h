// URIs as VS Code reads them: no case is folded, no port and no dot segment removed, and the parts
// are percent-decoded. Patterns and URLs of url_approval.h go through it, so that they mean what
// they mean there.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace toolgate {

struct VscodeUri {
  std::string scheme;  // "file" where the text has none
  std::string authority;
  std::string path;
  std::string query;
  std::string fragment;
  bool has_scheme = false;  // in the text

  // Without slashes at the end, query and fragment; what http, https and file then have is "/".
  VscodeUri without_ending() const;

  // A text that parse_vscode_uri() reads as this one again, its authority in lower case.
  std::string text() const;
};

// Nothing for what VS Code's parser throws at.
std::optional<VscodeUri> parse_vscode_uri(std::string_view text);

}  // namespace toolgate
