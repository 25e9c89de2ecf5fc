// What a person may answer to a waiting call, by key. Pure; call_session.h reads the keys.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "cli/waiting_call.h"

namespace toolgate {

class CallChoices {
 public:
  // `is_cut`: not all of the call is shown.
  CallChoices(const WaitingCall& call, bool is_cut);

  // The answer that a key stands for. Nothing: it stands for none here.
  std::optional<Answer> answer_to(char key) const;

  bool can_edit() const { return can_edit_; }
  bool can_show_all() const { return is_cut_; }
  // What longer approvals are for, in turn: the tool, exactly these arguments, the whole server.
  bool next_target();
  // "this tool"
  std::string target_words() const;

  // "  o once   s this session …", on as many lines as it takes.
  std::string print(const Terminal& terminal) const;

 private:
  struct Choice {
    char key;
    std::string words;
    std::optional<Answer> answer = {};
  };
  void offer(char key, std::string words, std::optional<Answer> answer = {});
  void offer_scope(char key, std::string words, std::string scope);

  std::vector<Choice> choices_;
  std::vector<std::string> targets_;
  std::size_t target_ = 0;
  bool can_edit_;
  bool is_cut_;
};

}  // namespace toolgate
