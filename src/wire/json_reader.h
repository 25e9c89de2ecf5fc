// Reads a JSON text in place, once, front to back, without building values. wire/openai_chat uses
// it for request bodies, where all but a few members are only passed over. simdjson finds the
// tokens (vectorised, with the UTF-8 check); the grammar is checked here, because simdjson's own
// on-demand skipping lets `[}` and `1 2` pass and does not tell where a value ends.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate {

class JsonReader {
 public:
  enum class Kind { Object, Array, String, Number, Bool, Null, Bad };

  // `text` must outlive the reader. No byte behind its end is read.
  JsonReader(std::string_view text, std::size_t max_depth);
  ~JsonReader();
  JsonReader(const JsonReader&) = delete;
  JsonReader& operator=(const JsonReader&) = delete;

  // Once something is wrong everything below answers false or empty. Escapes are checked only in
  // strings that are read, not in those passed over.
  bool failed() const { return fault_ != nullptr; }
  const char* fault() const { return fault_; }
  // The byte the fault is at, or kUnknown when only the whole text is known to be wrong.
  static constexpr std::size_t kUnknown = SIZE_MAX;
  std::size_t fault_offset() const { return fault_offset_; }

  Kind kind() const;  // of the value that stands next
  // Where the next token begins.
  std::size_t offset() const { return at_ < count_ ? tokens_[at_] : text_.size(); }
  std::size_t end_offset() const;  // where the value just passed ended

  // After kind() said so: while (next_member()) { read or skip the value }. The call that answers
  // false has passed the closing bracket.
  void enter();
  bool next_member();
  bool next_element();
  std::size_t key_offset() const { return key_offset_; }
  std::string_view key() const { return key_; }  // unescaped; until the next member or read_string

  bool skip();                     // any value, checked
  std::string_view read_string();  // unescaped; until the next read
  std::string_view read_token();   // number, true, false or null as written
  bool at_end();                   // fails when more than white space follows

 private:
  struct Index;
  static std::unique_ptr<Index>& spare_index();  // of this thread

  char token() const { return at_ < count_ ? text_[tokens_[at_]] : '\0'; }
  std::size_t scalar_end(std::size_t token_number) const;
  std::string_view scalar() const;
  bool next_key();
  bool pass_key();
  bool step();
  void leave();
  bool unescape(std::string_view raw, std::string& buffer, std::string_view& out);
  bool fail_here(const char* reason);

  std::string_view text_;
  std::unique_ptr<Index> index_;
  const std::uint32_t* tokens_ =
      nullptr;  // offsets of brackets, ':', ',' and beginnings of scalars
  std::size_t count_ = 0;
  std::size_t at_ = 0;
  std::size_t max_depth_;
  std::vector<char> open_;  // the brackets that are open
  std::size_t key_offset_ = 0;
  std::string_view key_raw_;
  std::string_view key_;
  std::string key_buffer_;
  std::string string_buffer_;
  const char* fault_ = nullptr;
  std::size_t fault_offset_ = kUnknown;
};

}  // namespace toolgate
