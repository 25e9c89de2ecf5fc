// See pattern.h. The machine code is made when a pattern is first used, under a lock of its own;
// match data and the JIT's stack belong to each thread.
#include "schema/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace toolgate {

namespace {

constexpr std::size_t kLongestPattern = 65536;
constexpr std::uint32_t kHeapKilobytes = 20'000;
constexpr std::size_t kStackBytes = std::size_t{1} << 20;

// What one thread needs to match with.
struct MatchTools {
  MatchTools()
      : data(pcre2_match_data_create(1, nullptr)),
        context(pcre2_match_context_create(nullptr)),
        stack(pcre2_jit_stack_create(32768, kStackBytes, nullptr)) {
    pcre2_set_heap_limit(context, kHeapKilobytes);
    pcre2_jit_stack_assign(context, nullptr, stack);
  }
  ~MatchTools() {
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
    pcre2_jit_stack_free(stack);
  }
  MatchTools(const MatchTools&) = delete;
  MatchTools& operator=(const MatchTools&) = delete;

  pcre2_match_data* data;
  pcre2_match_context* context;
  pcre2_jit_stack* stack;
};

MatchTools& tools() {
  thread_local MatchTools made;
  return made;
}

}  // namespace

Result<std::shared_ptr<const Pattern>> Pattern::make(std::string_view ecma, bool strict) {
  if (ecma.size() > kLongestPattern) {
    return fail(Errc::TooLarge, "it is longer than {} bytes", kLongestPattern);
  }
  const auto translated = translate_pattern(ecma, strict);
  if (!translated) return std::unexpected(translated.error());
  return make_translated(ecma, *translated);
}

Result<std::shared_ptr<const Pattern>> Pattern::make_translated(std::string_view source,
                                                                std::string_view translated) {
  constexpr std::uint32_t kOptions = PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_DOLLAR_ENDONLY |
                                     PCRE2_MATCH_UNSET_BACKREF | PCRE2_ALLOW_EMPTY_CLASS |
                                     PCRE2_NEVER_BACKSLASH_C;
  int code = 0;
  std::size_t offset = 0;
  pcre2_code* compiled = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()),
                                       translated.size(), kOptions, &code, &offset, nullptr);
  if (compiled == nullptr) {
    char message[256];
    pcre2_get_error_message(code, reinterpret_cast<PCRE2_UCHAR*>(message), sizeof(message));
    return fail(Errc::InvalidRequest, "{}", message);
  }
  return std::shared_ptr<const Pattern>(new Pattern(source, compiled));
}

Pattern::~Pattern() {
  pcre2_code_free(static_cast<pcre2_code*>(code_));
}

std::size_t Pattern::bytes() const {
  std::size_t code = 0;
  pcre2_pattern_info(static_cast<pcre2_code*>(code_), PCRE2_INFO_SIZE, &code);
  return sizeof(Pattern) + source_.size() + code;
}

Pattern::Outcome Pattern::match(std::string_view text, std::uint32_t units) const {
  auto* code = static_cast<pcre2_code*>(code_);
  std::call_once(translated_to_machine_code_,
                 [code] { pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); });
  MatchTools& own = tools();
  pcre2_set_match_limit(own.context, units);
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.empty() ? "" : text.data());
  const int found =
      pcre2_match(code, subject, text.size(), 0, PCRE2_NO_UTF_CHECK, own.data, own.context);
  if (found >= 0) return Outcome::Match;
  return found == PCRE2_ERROR_NOMATCH ? Outcome::NoMatch : Outcome::Exhausted;
}

}  // namespace toolgate
