// See formats_network.h: RFC 5321 (mail), 1123 and 5890 (host names), 3986 and 3987 (URIs), 6570
// (templates).
#include "schema/formats_network.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "schema/idna.h"

namespace toolgate {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_beyond_ascii(char c) {
  return static_cast<unsigned char>(c) >= 0x80;
}
bool is_one_of(char c, std::string_view set) {
  return set.find(c) != set.npos;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == text.npos) return parts;
    text.remove_prefix(at + 1);
  }
}

bool is_quoted_local(std::string_view text, bool international) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return false;
  text = text.substr(1, text.size() - 2);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_beyond_ascii(c) ? !international : c < 32 || c == 127) return false;
    if (c == '"') return false;
    if (c == '\\' && ++i == text.size()) return false;
  }
  return true;
}

bool is_local_part(std::string_view text, bool international) {
  if (text.starts_with('"')) return is_quoted_local(text, international);
  for (const auto atom : split(text, '.')) {
    if (atom.empty()) return false;
    for (const char c : atom) {
      if (is_beyond_ascii(c) ? international : is_letter(c) || is_digit(c)) continue;
      if (!is_one_of(c, "!#$%&'*+-/=?^_`{|}~")) return false;
    }
  }
  return true;
}

bool is_plain_label(std::string_view label) {
  if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-')
    return false;
  return std::ranges::all_of(label, [](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
}

// Characters of a URI; percent signs must begin an escape.
bool is_made_of(std::string_view text, std::string_view extra, bool international) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
      i += 2;
      continue;
    }
    if (is_beyond_ascii(c) && international) continue;
    if (is_letter(c) || is_digit(c) || is_one_of(c, "-._~!$&'()*+,;=") || is_one_of(c, extra)) {
      continue;
    }
    return false;
  }
  return true;
}

bool is_ip_future(std::string_view text) {
  if (!text.starts_with('v') && !text.starts_with('V')) return false;
  const auto dot = text.find('.');
  if (dot == text.npos || dot < 2 || dot + 1 == text.size()) return false;
  return std::ranges::all_of(text.substr(1, dot - 1), is_hex) && text.find('%') == text.npos &&
         is_made_of(text.substr(dot + 1), ":", false);
}

bool is_authority(std::string_view text, bool international) {
  if (const auto at = text.find('@'); at != text.npos) {
    if (!is_made_of(text.substr(0, at), ":", international)) return false;
    text.remove_prefix(at + 1);
  }
  std::string_view port;
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == text.npos) return false;
    const auto inside = text.substr(1, close - 1);
    if (!is_ipv6(inside) && !is_ip_future(inside)) return false;
    port = text.substr(close + 1);
  } else {
    const auto colon = text.find(':');
    if (!is_made_of(text.substr(0, colon), "", international)) return false;
    if (colon != text.npos) port = text.substr(colon);
  }
  if (port.empty()) return true;
  return port.front() == ':' && std::ranges::all_of(port.substr(1), is_digit);
}

bool is_scheme(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) return false;
  return std::ranges::all_of(
      text, [](char c) { return is_letter(c) || is_digit(c) || is_one_of(c, "+-."); });
}

}  // namespace

bool is_email(std::string_view text, bool international) {
  const auto at = text.rfind('@');
  if (at == text.npos || at == 0) return false;
  const auto domain = text.substr(at + 1);
  if (!is_local_part(text.substr(0, at), international)) return false;
  if (domain.starts_with('[') && domain.ends_with(']')) {
    const auto inside = domain.substr(1, domain.size() - 2);
    return inside.starts_with("IPv6:") ? is_ipv6(inside.substr(5)) : is_ipv4(inside);
  }
  return is_hostname(domain, international);
}

bool is_hostname(std::string_view text, bool international) {
  constexpr std::size_t kLongest = 253;
  std::string ascii_dots;
  if (text.size() > kLongest * 3) return false;
  if (international) {  // the other full stops that IDNA knows
    ascii_dots = text;
    for (const std::string_view stop : {"\u3002", "\uff0e", "\uff61"}) {
      for (auto at = ascii_dots.find(stop); at != std::string::npos; at = ascii_dots.find(stop)) {
        ascii_dots.replace(at, stop.size(), ".");
      }
    }
    text = ascii_dots;
  }
  if (text.empty() || text.size() > kLongest) return false;
  for (const auto label : split(text, '.')) {
    const bool encoded = label.size() >= 4 && is_one_of(label[0], "xX") &&
                         is_one_of(label[1], "nN") && label.substr(2, 2) == "--";
    if (encoded) {
      if (!is_plain_label(label) || !is_encoded_label(label.substr(4))) return false;
    } else if (international && std::ranges::any_of(label, is_beyond_ascii)) {
      if (!is_international_label(label)) return false;
    } else if (!is_plain_label(label) || (label.size() >= 4 && label.substr(2, 2) == "--")) {
      return false;
    }
  }
  return true;
}

bool is_ipv4(std::string_view text) {
  const auto parts = split(text, '.');
  if (parts.size() != 4) return false;
  return std::ranges::all_of(parts, [](std::string_view part) {
    if (part.empty() || part.size() > 3 || !std::ranges::all_of(part, is_digit)) return false;
    if (part.size() > 1 && part[0] == '0') return false;
    return part.size() < 3 || part <= "255";
  });
}

bool is_ipv6(std::string_view text) {
  std::size_t groups = 0;
  bool gap = false;
  if (text.starts_with("::")) {
    gap = true;
    text.remove_prefix(2);
    if (text.empty()) return true;
  }
  for (;;) {
    const auto end = text.find(':');
    const auto group = text.substr(0, end);
    if (end == text.npos && group.find('.') != group.npos) {
      if (!is_ipv4(group)) return false;
      groups += 2;
      break;
    }
    if (group.empty() || group.size() > 4 || !std::ranges::all_of(group, is_hex)) return false;
    ++groups;
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
    if (text.starts_with(':')) {
      if (gap) return false;
      gap = true;
      text.remove_prefix(1);
      if (text.empty()) break;
    }
  }
  return gap ? groups < 8 : groups == 8;
}

bool is_uri(std::string_view text, bool relative, bool international) {
  const auto first = text.find_first_of(":/?#");
  const bool has_scheme = first != text.npos && text[first] == ':';
  if (has_scheme) {
    if (!is_scheme(text.substr(0, first))) return false;
    text.remove_prefix(first + 1);
  } else if (!relative) {
    return false;
  }
  if (const auto hash = text.find('#'); hash != text.npos) {
    if (!is_made_of(text.substr(hash + 1), ":@/?", international)) return false;
    text = text.substr(0, hash);
  }
  if (const auto question = text.find('?'); question != text.npos) {
    if (!is_made_of(text.substr(question + 1), ":@/?", international)) return false;
    text = text.substr(0, question);
  }
  if (text.starts_with("//")) {
    const auto end = text.find('/', 2);
    if (!is_authority(text.substr(2, end == text.npos ? end : end - 2), international))
      return false;
    text = end == text.npos ? std::string_view{} : text.substr(end);
  }
  return is_made_of(text, ":@/", international);
}

bool is_uri_template(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '}' || is_one_of(c, " \"<>\\^`|") || (!is_beyond_ascii(c) && (c < 33 || c == 127))) {
      return false;
    }
    if (c != '{') continue;
    const auto close = text.find('}', i);
    if (close == text.npos) return false;
    auto inside = text.substr(i + 1, close - i - 1);
    if (!inside.empty() && is_one_of(inside[0], "+#./;?&=,!@|")) inside.remove_prefix(1);
    for (auto variable : split(inside, ',')) {
      if (variable.ends_with('*')) variable.remove_suffix(1);
      if (const auto colon = variable.find(':'); colon != variable.npos) {
        const auto digits = variable.substr(colon + 1);
        const bool length = !digits.empty() && digits.size() < 5 && digits[0] != '0' &&
                            std::ranges::all_of(digits, is_digit);
        if (!length) return false;
        variable = variable.substr(0, colon);
      }
      const bool dots = variable.starts_with('.') || variable.ends_with('.') ||
                        variable.find("..") != variable.npos;
      if (variable.empty() || dots) return false;
      for (std::size_t v = 0; v < variable.size(); ++v) {
        const char d = variable[v];
        const bool escape = d == '%' && v + 2 < variable.size() && is_hex(variable[v + 1]) &&
                            is_hex(variable[v + 2]);
        if (!escape && !is_letter(d) && !is_digit(d) && d != '_' && d != '.') return false;
      }
    }
    i = close;
  }
  return true;
}

}  // namespace toolgate
