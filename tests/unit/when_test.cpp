#include "tools/when.h"

#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tools/when_regex.h"

namespace toolgate {
namespace {

WhenClause parsed(std::string_view text, WhenMode mode = WhenMode::Strict) {
  const ParsedWhen result = parse_when(text, {.mode = mode});
  if (!result.clause) throw std::runtime_error(describe(*result.first_fault()));
  return *result.clause;
}

std::string fault_of(std::string_view text) {
  const ParsedWhen result = parse_when(text);
  return std::string(result.clause ? "" : result.first_fault()->kind);
}

// Clauses over the keys a, b and c, from a generator that makes the same ones everywhere.
class Clauses {
 public:
  explicit Clauses(std::uint32_t seed) : state_(seed) {}

  std::string make(int depth) {
    if (depth == 0 || below(5) == 0) return comparison();
    const std::string left = make(depth - 1);
    const std::string right = make(depth - 1);
    switch (below(5)) {
      case 0:
        return fmt::format("!({})", left);
      case 1:
      case 2:
        return fmt::format("({}) && ({})", left, right);
      default:
        return fmt::format("({}) || {}", left, right);
    }
  }

 private:
  std::uint32_t below(std::uint32_t limit) {
    state_ = state_ * 1664525U + 1013904223U;
    return (state_ >> 8U) % limit;
  }
  std::string comparison() {
    static constexpr std::string_view kForms[] = {
        "{}",          "!{}",        "{} == x",        "{} != x",
        "{} == 'y z'", "{} in list", "{} not in list", "{} =~ /^x/",
        "{} =~ /y/",   "{} == true"};
    const char key = static_cast<char>('a' + below(3));
    return fmt::format(fmt::runtime(kForms[below(std::size(kForms))]), key);
  }

  std::uint32_t state_;
};

// Every assignment of a value, or none, to the keys a, b and c.
std::vector<ContextKeys> assignments() {
  const std::vector<json::value> values = {nullptr, false, "x", "y z", 7};
  std::vector<ContextKeys> all;
  const std::size_t choices = values.size() + 1;
  for (std::size_t i = 0; i < choices * choices * choices; ++i) {
    ContextKeys context;
    context.set("list", json::array{"x", 7});
    std::size_t rest = i;
    for (const char* key : {"a", "b", "c"}) {
      if (rest % choices < values.size()) context.set(key, values[rest % choices]);
      rest /= choices;
    }
    all.push_back(std::move(context));
  }
  return all;
}

std::vector<bool> truth_table(const WhenClause& clause) {
  static const std::vector<ContextKeys> kAll = assignments();
  std::vector<bool> table;
  for (const ContextKeys& context : kAll) table.push_back(clause.holds(context));
  return table;
}

TEST(When, NegationHoldsExactlyWhereTheClauseDoesNot) {
  Clauses clauses(1);
  for (int i = 0; i < 400; ++i) {
    const std::string text = clauses.make(1 + i % 3);
    const WhenClause clause = parsed(text);
    std::vector<bool> opposite = truth_table(clause);
    opposite.flip();
    EXPECT_EQ(truth_table(clause.negated()), opposite) << text;
    EXPECT_EQ(truth_table(clause.negated().negated()), truth_table(clause)) << text;
  }
}

TEST(When, WhatIsImpliedHoldsWheneverTheConditionDoes) {
  Clauses clauses(2);
  int implied = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string condition_text = clauses.make(i % 3);
    const std::string conclusion_text = clauses.make(i % 2);
    const WhenClause condition = parsed(condition_text);
    const WhenClause conclusion = parsed(conclusion_text);
    if (!condition.implies(conclusion)) continue;
    ++implied;
    const auto left = truth_table(condition);
    const auto right = truth_table(conclusion);
    for (std::size_t row = 0; row < left.size(); ++row)
      ASSERT_LE(left[row], right[row]) << condition_text << " and " << conclusion_text;
  }
  EXPECT_GT(implied, 50);
}

TEST(When, TextMeansTheSameWhenParsedAgain) {
  Clauses clauses(3);
  for (int i = 0; i < 400; ++i) {
    const std::string source = clauses.make(1 + i % 3);
    const WhenClause clause = parsed(source);
    for (const WhenMode mode : {WhenMode::Strict, WhenMode::Lenient}) {
      const WhenClause again = parsed(clause.text(), mode);
      EXPECT_EQ(truth_table(again), truth_table(clause)) << source << "\n" << clause.text();
    }
  }
}

TEST(When, TextOfSimpleClausesStandsStill) {
  for (const char* text :
       {"a", "!a", "a == 'x y'", "a != ''", "a in 'b'", "a not in 'b'", "a > 1", "a <= -1.5",
        "a =~ /x\\/y/im", "!(a =~ /x/)", "a > ", "a > 'x y'", "a < 'not'", "a >= Infinity",
        "c || a && b", "true", "false", "!bar || !foo", "(a || b) && c in 'd'"}) {
    EXPECT_EQ(parsed(text).text(), text);
    EXPECT_EQ(parsed(text, WhenMode::Lenient).text(), text);
  }
}

TEST(When, ClassicTextHasNoParentheses) {
  const WhenClause clause = parsed("(a || b) && c in d && e > 'x y'");
  EXPECT_EQ(clause.text(WhenText::Classic), "a || b && c in 'd' && e > x y");
  EXPECT_EQ(clause.text(), "(a || b) && c in 'd' && e > 'x y'");
}

TEST(When, SortsByUtf16Units) {
  EXPECT_EQ(parsed("\uFB00 && \U0001D4B3").text(), "\U0001D4B3 && \uFB00");
}

TEST(When, RefusesWhatIsTooLarge) {
  EXPECT_EQ(fault_of(std::string(kLongestWhen + 1, 'a')), "too_long");
  EXPECT_EQ(fault_of(std::string(kLongestWhen, 'a')), "");
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '(') + "a" + std::string(depth, ')');
  };
  EXPECT_EQ(fault_of(nested(kDeepestWhen)), "");
  EXPECT_EQ(fault_of(nested(kDeepestWhen + 1)), "too_deep");
}

std::string factors(int count, std::string_view inner, std::string_view outer) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += fmt::format("{}(a{}{}b{})", i == 0 ? "" : outer, i, inner, i);
  return text;
}

TEST(When, RefusesNormalFormsThatExplode) {
  EXPECT_EQ(fault_of(factors(6, " || ", " && ")), "");
  EXPECT_EQ(fault_of(factors(40, " || ", " && ")), "too_complex");
  EXPECT_EQ(fault_of("!(" + factors(40, " && ", " || ") + ")"), "too_complex");
}

TEST(When, NegatesWhatWouldExplodeWithoutSpellingItOut) {
  const WhenClause clause = parsed(factors(40, " && ", " || "));
  const WhenClause negated = clause.negated();
  ContextKeys context;
  EXPECT_TRUE(negated.holds(context));
  context.set("a7", true);
  context.set("b7", true);
  EXPECT_FALSE(negated.holds(context));
  EXPECT_TRUE(negated.text().starts_with("!(a0 && b0 || "));
  EXPECT_EQ(negated.keys(), clause.keys());
  EXPECT_EQ(negated.negated().text(), clause.text());
  EXPECT_TRUE(negated.implies(clause.negated()));
  EXPECT_FALSE(negated.implies(clause));
}

TEST(When, OutlivesWhatItWasParsedFrom) {
  std::optional<WhenClause> negated;
  {
    std::string text = "someRatherLongKeyName == 'some value' && other";
    negated = parsed(text).negated();
    text.assign(text.size(), 'x');
  }
  EXPECT_EQ(negated->text(), "!other || someRatherLongKeyName != 'some value'");
}

TEST(When, MendsBrokenUtf8) {
  EXPECT_EQ(fault_of("a == '\xFF'"), "");
  EXPECT_EQ(fault_of("a\xC3"), "");  // no letter: passed over
}

TEST(When, SaysWhatIsWrong) {
  EXPECT_EQ(describe(*parse_when("a & b").first_fault()),
            "at character 3, '&': a single '&' means nothing; write '&&'");
  EXPECT_EQ(describe(*parse_when("a b").first_fault()),
            "at character 3, 'b': nothing may follow here; is '&&' or '||' missing before it?");
  EXPECT_EQ(describe(*parse_when("(a").first_fault()),
            "at character 3, at the end: a closing parenthesis is missing");
}

bool matches(std::string_view pattern, std::string_view flags, std::string_view text) {
  const auto regex = make_when_regex(pattern, flags);
  EXPECT_TRUE(regex) << pattern;
  return regex && (*regex)->matches(text);
}

TEST(WhenRegex, ReadsWhatJavaScriptReadsWithoutTheUnicodeFlag) {
  EXPECT_TRUE(matches("^\\a\\_{,2}]}$", "", "a_{,2}]}"));
  EXPECT_TRUE(matches("^\\u{3}$", "", "uuu"));
  EXPECT_TRUE(matches("^[\\w-:]+$", "", "a-:"));
  EXPECT_TRUE(matches("^\\1(a)\\2$", "", "a\x02"));
  EXPECT_TRUE(matches("^\\c\\x$", "", "\\cx"));
  EXPECT_TRUE(matches("^(?<year>\\d)\\k<year>$", "", "22"));
  EXPECT_TRUE(matches("^b$", "m", "a\u2028b\rc"));
  EXPECT_FALSE(matches("^b$", "", "a\nb"));
  EXPECT_TRUE(matches("a.b", "s", "a\nb"));
  EXPECT_FALSE(matches("a.b", "", "a\nb"));
  EXPECT_TRUE(matches("É", "i", "é"));
  EXPECT_TRUE(matches("^\\p{L}\\u{1F600}.$", "u", "é😀😀"));
}

TEST(WhenRegex, RefusesWhatJavaScriptRefuses) {
  for (const char* pattern :
       {"(", ")", "a**", "a++", "a{2}{3}", "{1}", "[b-a]", "(?i:a)", "(?>a)", "(?P<n>a)",
        "(?<n>a)(?<n>b)", "(?<n>a)\\k", "^*", "a{3,1}", "(*UTF)", "[a", "\\", "(?<=a)*", "(?R)"})
    EXPECT_FALSE(make_when_regex(pattern, "")) << pattern;
  for (const char* pattern : {"{", "]", "\\_", "\\1", "\\c", "[\\w-a]", "(?=a)*", "\\p{Nope}"})
    EXPECT_FALSE(make_when_regex(pattern, "u")) << pattern;
  for (const char* flags : {"ii", "q", "uv"}) EXPECT_FALSE(make_when_regex("a", flags)) << flags;
}

TEST(WhenRegex, IsMadeOnceForAllClauses) {
  EXPECT_EQ(*make_when_regex("made once", "mi"), *make_when_regex("made once", "im"));
}

TEST(WhenRegex, EndsWhereMatchingTakesTooLong) {
  EXPECT_FALSE(matches("^(a+)+$", "", std::string(200, 'a') + "b"));
}

}  // namespace
}  // namespace toolgate
