#include "builtin/html_blocks.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "builtin/html_tree.h"
#include "builtin/trimmed.h"

namespace toolgate {
namespace {

constexpr int kMostDepth = 200;   // deeper elements are read as plain text
constexpr int kMostIndents = 20;  // what is deeper in lists and quotations stands there
constexpr std::string_view kRestIsLeftOut =
    "[The rest is left out: as text this page is many times as long as it is as HTML.]";
constexpr std::size_t kMostLinkBytes = 1'000;
constexpr std::size_t kMostLanguageBytes = 20;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

// Characters that only say where a line may break, and the private ones that fonts with icons use.
bool is_layout_only(char32_t code) {
  return code == 0xAD || code == 0x200B || code == 0x2060 || code == 0xFEFF ||
         (code >= 0xE000 && code <= 0xF8FF);
}

struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
};

// The text is valid UTF-8.
Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (bytes == 1 || bytes > text.size()) return {lead, 1};
  char32_t code = lead & (0x7F >> bytes);
  for (std::size_t i = 1; i < bytes; ++i)
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3F);
  return {code, bytes};
}

int heading_level(GumboTag tag) {
  return tag >= GUMBO_TAG_H1 && tag <= GUMBO_TAG_H6 ? tag - GUMBO_TAG_H1 + 1 : 0;
}

bool is_block(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_ADDRESS:
    case GUMBO_TAG_ARTICLE:
    case GUMBO_TAG_BODY:
    case GUMBO_TAG_CENTER:
    case GUMBO_TAG_DETAILS:
    case GUMBO_TAG_DIV:
    case GUMBO_TAG_DL:
    case GUMBO_TAG_FIELDSET:
    case GUMBO_TAG_FIGCAPTION:
    case GUMBO_TAG_FIGURE:
    case GUMBO_TAG_FORM:
    case GUMBO_TAG_HEADER:
    case GUMBO_TAG_FOOTER:
    case GUMBO_TAG_HGROUP:
    case GUMBO_TAG_MAIN:
    case GUMBO_TAG_P:
    case GUMBO_TAG_SECTION:
    case GUMBO_TAG_SUMMARY:
    case GUMBO_TAG_LEGEND:
    case GUMBO_TAG_CAPTION:
    case GUMBO_TAG_TD:
    case GUMBO_TAG_TH:
    case GUMBO_TAG_TR:
      return true;
    default:
      return false;
  }
}

const GumboNode& child_at(const GumboNode& element, unsigned int index) {
  return *static_cast<const GumboNode*>(element.v.element.children.data[index]);
}

unsigned int count_of_children(const GumboNode& element) {
  return element.v.element.children.length;
}

// The names of languages in classes: "language-cpp", "lang-cpp", "highlight-source-cpp".
std::string language_of(const GumboNode& element) {
  const char* classes = attribute_of(element, "class");
  if (!classes) return {};
  const std::string_view text = classes;
  for (const std::string_view prefix : {"language-", "highlight-source-", "lang-"}) {
    const std::size_t at = text.find(prefix);
    if (at == text.npos) continue;
    std::string_view name = text.substr(at + prefix.size());
    name = name.substr(0, std::ranges::find_if(name, is_space) - name.begin());
    const bool is_name = std::ranges::all_of(name, [](char c) {
      return is_ascii_letter_or_digit(c) || c == '+' || c == '#' || c == '-' || c == '_';
    });
    if (is_name && name.size() <= kMostLanguageBytes) return std::string(name);
  }
  return {};
}

// More backticks than the text has in a row.
std::string fence_for(std::string_view text, std::size_t least) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(std::max(least, longest + 1), '`');
}

class BlockWriter {
 public:
  BlockWriter(const PageContent& content, const HttpUrl& base, std::size_t most_bytes)
      : content_(content), base_(base), most_bytes_(most_bytes) {}

  std::vector<ReadableBlock> write() {
    write_element(content_.start(), 0);
    end_paragraph();
    if (is_full()) blocks_.push_back({.text = std::string(kRestIsLeftOut)});
    return std::move(blocks_);
  }

 private:
  struct Row {
    std::vector<std::string> cells;
    bool is_header = false;
  };

  // Marks of lists stand before every line, and a short reference can be a long link.
  bool is_full() const { return bytes_ + row_bytes_ + line_.size() > most_bytes_; }

  void write_node(const GumboNode& node, int depth) {
    if (is_full()) return;
    if (node.type == GUMBO_NODE_TEXT || node.type == GUMBO_NODE_WHITESPACE ||
        node.type == GUMBO_NODE_CDATA)
      add_text(node.v.text.text);
    else if (is_element(node) && !content_.is_left_out(node))
      write_element(node, depth);
  }

  void write_children(const GumboNode& element, int depth) {
    if (depth >= kMostDepth) return add_text(plain_text(element));
    for (unsigned int i = 0; i < count_of_children(element); ++i)
      write_node(child_at(element, i), depth + 1);
  }

  void write_element(const GumboNode& element, int depth) {
    const GumboTag tag = element.v.element.tag;
    if (const int level = heading_level(tag)) return write_heading(element, level, depth);
    switch (tag) {
      case GUMBO_TAG_BR:
        line_ += '\n';
        return;
      case GUMBO_TAG_HR:
        end_paragraph();
        return;
      case GUMBO_TAG_IMG:
        return add_image(element);
      case GUMBO_TAG_MATH:
        return add_formula(element);
      case GUMBO_TAG_A:
        return add_link(element, depth);
      case GUMBO_TAG_CODE:
      case GUMBO_TAG_KBD:
      case GUMBO_TAG_SAMP:
      case GUMBO_TAG_TT:
        return add_code(element);
      case GUMBO_TAG_PRE:
      case GUMBO_TAG_LISTING:
      case GUMBO_TAG_XMP:
        return write_preformatted(element);
      case GUMBO_TAG_UL:
      case GUMBO_TAG_OL:
      case GUMBO_TAG_MENU:
        return write_list(element, depth);
      case GUMBO_TAG_BLOCKQUOTE:
        return write_indented(element, "> ", "> ", depth);
      case GUMBO_TAG_LI:
        return write_indented(element, "- ", "  ", depth);
      case GUMBO_TAG_DT:
        return write_indented(element, "", "", depth);
      case GUMBO_TAG_DD:
        return write_definition(element, depth);
      case GUMBO_TAG_TABLE:
        return write_table(element, depth);
      default:
        break;
    }
    const bool is_own_block = is_block(tag);
    if (is_own_block) end_paragraph();
    write_children(element, depth);
    if (is_own_block) end_paragraph();
  }

  // Spaces become one, none stands at the beginning of a line.
  void add_text(std::string_view text) {
    while (!text.empty()) {
      const Character next = first_character(text);
      if (is_space(text[0]) || next.code == 0xA0)
        add_space();
      else if (!is_layout_only(next.code))
        line_.append(text.substr(0, next.bytes));
      text.remove_prefix(next.bytes);
    }
  }

  void add_space() {
    if (!line_.empty() && !is_space(line_.back())) line_ += ' ';
  }

  void add_image(const GumboNode& element) {
    const char* words = attribute_of(element, "alt");
    if (!words || trimmed(words).empty()) return;
    line_ += "[image: ";
    add_text(trimmed(words));
    line_ += ']';
  }

  // Pages keep what a formula was written as, for those who do not see it.
  void add_formula(const GumboNode& element) {
    const char* written = attribute_of(element, "alttext");
    add_text(written ? fmt::format("${}$", trimmed(written)) : plain_text(element));
  }

  // The text that an element adds, as one line. Blocks in it are words here.
  std::string inline_text(const GumboNode& element, int depth) {
    BlockWriter inside(content_, base_, most_bytes_);
    inside.bytes_ = bytes_ + row_bytes_ + line_.size();
    inside.is_inline_ = true;
    inside.is_in_link_ = is_in_link_;
    inside.write_children(element, depth);
    std::string text(trimmed(inside.line_));
    std::ranges::replace(text, '\n', ' ');
    return text;
  }

  void add_link(const GumboNode& element, int depth) {
    const char* reference = attribute_of(element, "href");
    const std::string target = reference ? link_target(base_, reference) : std::string();
    // A link around headings or paragraphs is a card: what it says counts more.
    if (target.empty() || is_in_link_ || has_blocks(element)) return write_children(element, depth);
    is_in_link_ = true;
    const std::string text = inline_text(element, depth);
    is_in_link_ = false;
    if (text.empty()) return;
    line_ += text == target ? target : fmt::format("[{}]({})", text, target);
  }

  static bool has_blocks(const GumboNode& element) {
    for (unsigned int i = 0; i < count_of_children(element); ++i) {
      const GumboNode& child = child_at(element, i);
      if (!is_element(child)) continue;
      const GumboTag tag = child.v.element.tag;
      if (is_block(tag) || heading_level(tag) != 0 || tag == GUMBO_TAG_UL || tag == GUMBO_TAG_PRE)
        return true;
    }
    return false;
  }

  void add_code(const GumboNode& element) {
    const std::string text = plain_text(element);
    if (trimmed(text).empty()) return add_text(text);
    const std::string fence = fence_for(text, 1);
    const std::string_view space = fence.size() > 1 ? " " : "";
    line_.append(fence).append(space);
    add_text(trimmed(text));
    line_.append(space).append(fence);
  }

  // Without regard to what is deep; invisible elements are left out.
  std::string plain_text(const GumboNode& element) const {
    std::string text;
    std::vector<std::pair<const GumboNode*, unsigned int>> open{{&element, 0}};
    while (!open.empty()) {
      auto& [at, next] = open.back();
      if (next == count_of_children(*at)) {
        open.pop_back();
        continue;
      }
      const GumboNode& child = child_at(*at, next++);
      if (child.type == GUMBO_NODE_TEXT || child.type == GUMBO_NODE_WHITESPACE ||
          child.type == GUMBO_NODE_CDATA)
        text += child.v.text.text;
      else if (is_element(child, GUMBO_TAG_BR))
        text += '\n';
      else if (is_element(child) && !is_invisible(child))
        open.emplace_back(&child, 0);
    }
    return text;
  }

  void write_heading(const GumboNode& element, int level, int depth) {
    end_paragraph();
    const std::string text = inline_text(element, depth);
    if (text.empty()) return;
    if (is_inline_) return add_words(text);
    add_block(fmt::format("{} {}", std::string(static_cast<std::size_t>(level), '#'), text), level);
  }

  void add_words(std::string_view text) {
    add_space();
    line_.append(text);
    add_space();
  }

  void write_preformatted(const GumboNode& element) {
    end_paragraph();
    std::string text = plain_text(element);
    if (is_inline_) return add_words(trimmed(text));
    if (trimmed(text).empty()) return;
    while (is_space(text.back())) text.pop_back();
    std::erase(text, '\r');
    std::string language = language_of(element);
    for (unsigned int i = 0; language.empty() && i < count_of_children(element); ++i)
      if (is_element(child_at(element, i))) language = language_of(child_at(element, i));
    if (language.empty() && element.parent && is_element(*element.parent))
      language = language_of(*element.parent);
    const std::string fence = fence_for(text, 3);
    add_block(fmt::format("{}{}\n{}\n{}", fence, language, text, fence));
  }

  void write_list(const GumboNode& list, int depth) {
    end_paragraph();
    const bool is_numbered = is_element(list, GUMBO_TAG_OL);
    int number = 1;
    if (const char* start = attribute_of(list, "start")) {
      const std::string_view text = start;
      std::from_chars(text.data(), text.data() + text.size(), number);
    }
    if (depth >= kMostDepth) return write_children(list, depth);
    for (unsigned int i = 0; i < count_of_children(list); ++i) {
      const GumboNode& item = child_at(list, i);
      if (!is_element(item, GUMBO_TAG_LI) || content_.is_left_out(item)) {
        write_node(item, depth + 1);
        continue;
      }
      const std::string mark = is_numbered ? fmt::format("{}. ", number) : std::string("- ");
      number = number < 1'000'000 ? number + 1 : number;
      write_indented(item, mark, std::string(mark.size(), ' '), depth + 1);
    }
  }

  void write_definition(const GumboNode& element, int depth) {
    write_indented(element, ": ", "  ", depth);
  }

  // `mark` stands before the first line, `indent` before the others.
  void write_indented(const GumboNode& element, std::string_view mark, std::string_view indent,
                      int depth) {
    end_paragraph();
    const std::string outer_mark = mark_;
    const std::string outer_indent = indent_;
    if (++indents_ <= kMostIndents) {
      mark_ += mark;
      indent_ += indent;
    }
    const std::size_t before = blocks_.size();
    const bool is_item = std::exchange(is_item_, mark != "> ");
    write_children(element, depth);
    end_paragraph();
    --indents_;
    is_item_ = is_item;
    // The outer mark has been written with the first block in it.
    mark_ = blocks_.size() == before ? outer_mark : outer_indent;
    indent_ = outer_indent;
  }

  void write_table(const GumboNode& table, int depth) {
    end_paragraph();
    std::vector<Row> rows;
    std::size_t columns = 0;
    const bool is_table = !is_inline_ && depth < kMostDepth && read_rows(table, rows, depth);
    row_bytes_ = 0;
    if (!is_table) return write_children(table, depth);
    for (const Row& row : rows) columns = std::max(columns, row.cells.size());
    if (columns < 2) return write_children(table, depth);
    std::string text;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      text += fmt::format("| {} |\n", fmt::join(rows[i].cells, " | "));
      if (i == 0 && rows[i].is_header)
        for (std::size_t column = 0; column < columns; ++column)
          text += column + 1 < columns ? "| --- " : "| --- |\n";
    }
    text.pop_back();
    add_block(text);
  }

  // False: it is there for the layout.
  bool read_rows(const GumboNode& part, std::vector<Row>& rows, int depth) {
    const char* role = attribute_of(part, "role");
    if (role && (equal_ignoring_case(role, "presentation") || equal_ignoring_case(role, "none")))
      return false;
    for (unsigned int i = 0; i < count_of_children(part); ++i) {
      const GumboNode& child = child_at(part, i);
      if (!is_element(child) || content_.is_left_out(child)) continue;
      const GumboTag tag = child.v.element.tag;
      if (tag == GUMBO_TAG_THEAD || tag == GUMBO_TAG_TBODY || tag == GUMBO_TAG_TFOOT) {
        if (!read_rows(child, rows, depth + 1)) return false;
      } else if (tag == GUMBO_TAG_TR) {
        auto row = read_row(child, depth + 1);
        if (!row) return false;
        if (!row->cells.empty()) rows.push_back(std::move(*row));
      } else if (tag == GUMBO_TAG_CAPTION) {
        write_node(child, depth + 1);
      }
    }
    return true;
  }

  std::optional<Row> read_row(const GumboNode& element, int depth) {
    Row row{.is_header = true};
    for (unsigned int i = 0; i < count_of_children(element); ++i) {
      const GumboNode& cell = child_at(element, i);
      const bool is_heading = is_element(cell, GUMBO_TAG_TH);
      if (!is_heading && !is_element(cell, GUMBO_TAG_TD)) continue;
      if (content_.is_left_out(cell)) continue;
      if (holds_layout(cell)) return std::nullopt;
      row.is_header = row.is_header && is_heading;
      std::string text;
      for (const char c : inline_text(cell, depth)) text += c == '|' ? "\\|" : std::string(1, c);
      row_bytes_ += text.size();
      row.cells.push_back(std::move(text));
    }
    return row;
  }

  static bool holds_layout(const GumboNode& cell) {
    std::vector<const GumboNode*> open{&cell};
    while (!open.empty()) {
      const GumboNode& at = *open.back();
      open.pop_back();
      for (unsigned int i = 0; i < count_of_children(at); ++i) {
        const GumboNode& child = child_at(at, i);
        if (!is_element(child)) continue;
        const GumboTag tag = child.v.element.tag;
        if (tag == GUMBO_TAG_TABLE || tag == GUMBO_TAG_PRE || heading_level(tag) != 0) return true;
        open.push_back(&child);
      }
    }
    return false;
  }

  void end_paragraph() {
    if (is_inline_) return add_space();
    const std::string text(trimmed(std::exchange(line_, {})));
    if (!text.empty()) add_block(text);
  }

  void add_block(std::string_view text, int heading = 0) {
    ReadableBlock block{.heading = heading, .follows_line = is_item_ && was_item_};
    was_item_ = is_item_;
    bool is_first = true;
    while (is_first || (!text.empty() && bytes_ + block.text.size() <= most_bytes_)) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      if (!is_first) block.text += '\n';
      block.text.append(is_first ? mark_ : indent_).append(text.substr(0, end));
      while (block.text.ends_with(' ')) block.text.pop_back();
      text.remove_prefix(std::min(end + 1, text.size()));
      is_first = false;
    }
    mark_ = indent_;
    bytes_ += block.text.size();
    blocks_.push_back(std::move(block));
  }

  const PageContent& content_;
  const HttpUrl& base_;
  const std::size_t most_bytes_;
  std::vector<ReadableBlock> blocks_;
  std::size_t bytes_ = 0;      // of the blocks
  std::size_t row_bytes_ = 0;  // of the table under way
  int indents_ = 0;
  std::string line_;    // of the paragraph under way
  std::string mark_;    // before the first line of the next block
  std::string indent_;  // before its other lines
  bool is_inline_ = false;
  bool is_in_link_ = false;
  bool is_item_ = false;
  bool was_item_ = false;
};

}  // namespace

std::string link_target(const HttpUrl& base, std::string_view reference) {
  std::string text(trimmed(reference));
  std::erase_if(text, [](char c) { return c == '\n' || c == '\t' || c == '\r'; });
  if (text.empty() || text.starts_with('#') || text.size() > kMostLinkBytes) return {};
  const std::size_t colon = text.find_first_of(":/?#");
  const bool has_scheme = colon != text.npos && text[colon] == ':';
  const std::string_view scheme = std::string_view(text).substr(0, has_scheme ? colon : 0);
  if (has_scheme && equal_ignoring_case(scheme, "mailto")) return text;
  if (has_scheme && !equal_ignoring_case(scheme, "http") && !equal_ignoring_case(scheme, "https"))
    return {};
  const std::size_t hash = std::min(text.find('#'), text.size());
  const std::string fragment = text.substr(hash);
  // From a base without TLS, so that a link from https to http is a link.
  HttpUrl from = base;
  if (has_scheme) from.origin.tls = false;
  const auto target = resolve_location(from, std::string_view(text).substr(0, hash));
  if (!target) return {};
  return target->origin.url + target->target + fragment;
}

std::vector<ReadableBlock> make_blocks(const PageContent& content, const HttpUrl& base,
                                       std::size_t most_bytes) {
  return BlockWriter(content, base, most_bytes).write();
}

}  // namespace toolgate
