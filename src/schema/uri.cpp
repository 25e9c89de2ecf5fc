// See uri.h.
#include "schema/uri.h"

#include <cctype>

namespace toolgate {

namespace {

struct Parts {
  std::string_view scheme;     // with its colon
  std::string_view authority;  // with its slashes
  std::string_view path;
  std::string_view query;     // with its question mark
  std::string_view fragment;  // with its hash
};

std::size_t scheme_length(std::string_view uri) {
  if (uri.empty() || !std::isalpha(static_cast<unsigned char>(uri[0]))) return 0;
  for (std::size_t i = 1; i < uri.size(); ++i) {
    const auto c = static_cast<unsigned char>(uri[i]);
    if (c == ':') return i + 1;
    if (!std::isalnum(c) && c != '+' && c != '-' && c != '.') return 0;
  }
  return 0;
}

std::string_view take(std::string_view& rest, std::size_t count) {
  const auto part = rest.substr(0, count);
  rest.remove_prefix(part.size());
  return part;
}

Parts split(std::string_view uri) {
  Parts parts;
  parts.scheme = take(uri, scheme_length(uri));
  if (uri.starts_with("//")) parts.authority = take(uri, uri.find_first_of("/?#", 2));
  parts.path = take(uri, uri.find_first_of("?#"));
  if (uri.starts_with('?')) parts.query = take(uri, uri.find('#'));
  parts.fragment = uri;
  return parts;
}

std::string remove_dots(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    if (path.starts_with("../")) {
      path.remove_prefix(3);
    } else if (path.starts_with("./")) {
      path.remove_prefix(2);
    } else if (path.starts_with("/./")) {
      path.remove_prefix(2);
    } else if (path == "/.") {
      path = "/";
    } else if (path.starts_with("/../") || path == "/..") {
      path = path.size() == 3 ? std::string_view("/") : path.substr(3);
      const auto slash = out.rfind('/');
      out.resize(slash == std::string::npos ? 0 : slash);
    } else if (path == "." || path == "..") {
      break;
    } else {
      out += take(path, path.find('/', 1));
    }
  }
  return out;
}

std::string merge(const Parts& base, std::string_view path) {
  if (!base.authority.empty() && base.path.empty()) return "/" + std::string(path);
  const auto slash = base.path.rfind('/');
  if (slash == base.path.npos) return std::string(path);
  return std::string(base.path.substr(0, slash + 1)) + std::string(path);
}

std::string join(std::string_view scheme, std::string_view authority, std::string_view path,
                 std::string_view query, std::string_view fragment) {
  std::string out(scheme);
  for (const auto part : {authority, path, query, fragment}) out += part;
  return out;
}

}  // namespace

std::string resolve_uri(std::string_view base, std::string_view reference) {
  if (base.empty()) return std::string(reference);
  const Parts to = split(reference);
  if (!to.scheme.empty()) return std::string(reference);
  const Parts from = split(base);
  if (!to.authority.empty()) {
    return join(from.scheme, to.authority, remove_dots(to.path), to.query, to.fragment);
  }
  if (to.path.empty()) {
    return join(from.scheme, from.authority, from.path, to.query.empty() ? from.query : to.query,
                to.fragment);
  }
  const std::string path = to.path.starts_with('/') ? std::string(to.path) : merge(from, to.path);
  return join(from.scheme, from.authority, remove_dots(path), to.query, to.fragment);
}

std::pair<std::string_view, std::string_view> split_fragment(std::string_view uri) {
  const auto hash = uri.find('#');
  if (hash == uri.npos) return {uri, {}};
  return {uri.substr(0, hash), uri.substr(hash + 1)};
}

}  // namespace toolgate
