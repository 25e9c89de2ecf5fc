// chat.tools.urls.autoApprove: which URLs a tool may fetch without asking, and whose answers a
// model may see without asking. As VS Code reads it, its own URI parser included.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate {

// Whether `url` is one that `pattern` means.
bool matches_url(std::string_view url, std::string_view pattern);

struct UrlRule {
  std::string pattern;
  std::optional<bool> approve_request;
  std::optional<bool> approve_response;
};

enum class UrlSide { Request, Response };

// The first rule that matches and says something about this side decides; none: not approved.
// Gives that rule's pattern where it approves. The case of hosts and a port that goes without
// saying do not matter here, and a URL that programs read differently is never approved.
std::optional<std::string> approving_pattern(std::string_view url, std::span<const UrlRule> rules,
                                             UrlSide side);
// Every one of them; an empty list is not approved.
bool approves_urls(std::span<const std::string> urls, std::span<const UrlRule> rules, UrlSide side);

// Patterns to offer to a person for this URL: all of it, its domain, parents, path prefixes.
std::vector<std::string> offered_url_patterns(std::string_view url);

}  // namespace toolgate
