// toolgate chat: a conversation with a model in the terminal, or one prompt and its answer for a
// script. Through the running gateway, or one of its own where none runs.
#include <memory>

#include "base/ids.h"
#include "base/utf8.h"
#include "cli/catalog_options.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/private_gateway.h"
#include "cli/process.h"
#include "cli/terminal_chat.h"

namespace toolgate {
namespace {

constexpr int kUsage = 2;

struct ChatCommand {
  CatalogOptions catalog;
  GatewayChoice gateway;
  ChatOptions chat;
  std::string prompt;
  bool no_tools = false;
  bool as_json = false;
};

// PROMPT, a blank line, and what was piped in. Empty: the person at the terminal will say.
Result<std::string> read_prompt(const ChatCommand& command) {
  if (Terminal(stdin).is_terminal()) return command.prompt;
  auto piped = read_input("-");
  if (!piped) return piped;
  *piped = mend_utf8(*piped);  // of a binary file in a diff, say
  while (piped->ends_with('\n')) piped->pop_back();
  if (command.prompt.empty() || piped->empty()) return command.prompt + *piped;
  return command.prompt + "\n\n" + *piped;
}

// Where the answers come from.
struct Source {
  std::unique_ptr<PrivateGateway> own;  // null: one was running
  std::unique_ptr<GatewayPlace> place;
};

Result<Source> open_source(const ChatCommand& command) {
  auto link = find_gateway(command.gateway);
  if (!link) return std::unexpected(std::move(link.error()));
  Source source;
  if (*link) {
    if (auto agreed = check_workspace(**link, command.catalog); !agreed)
      return std::unexpected(std::move(agreed.error()));
  } else {
    auto own = PrivateGateway::open(command.catalog);
    if (!own && own.error().message.contains("data folder"))
      own.error().message += "; one that 'toolgate serve' runs can be shared";
    if (!own) return std::unexpected(std::move(own.error()));
    source.own = std::move(*own);
    auto own_link = source.own->link();
    if (!own_link) return std::unexpected(std::move(own_link.error()));
    *link = std::move(*own_link);
  }
  source.place = std::make_unique<GatewayPlace>(std::move(**link));
  return source;
}

ChatView::TextTo text_to(const ChatCommand& command) {
  if (command.as_json) return ChatView::TextTo::Nowhere;
  return Terminal(stdout).is_terminal() ? ChatView::TextTo::Screen : ChatView::TextTo::Pipe;
}

void say_how_to_allow(const ChatOutcome& outcome) {
  if (outcome.denied_unasked.empty()) return;
  fmt::print(stderr,
             "toolgate: nobody could be asked about {}, so it did not run. --yes allows what would "
             "ask, once each;\n          'toolgate chat' on a terminal asks, and what you allow "
             "there for longer holds here too\n",
             visible(fmt::format("{}", fmt::join(outcome.denied_unasked, ", "))));
}

int answer_once(const ChatCommand& command, TerminalChat& session, Loop& loop, std::string prompt) {
  const ChatOutcome outcome = run_on(loop, session.answer(std::move(prompt)));
  say_how_to_allow(outcome);
  if (command.as_json && !outcome.failure && !outcome.is_cancelled)
    fmt::print("{}\n", write_chat_answer(outcome.answer));
  const std::string& text = outcome.answer.text;
  if (text_to(command) == ChatView::TextTo::Pipe && !text.empty() && !text.ends_with('\n'))
    fmt::print("\n");
  return outcome.failure || outcome.is_cancelled ? 1 : 0;
}

int chat(const ChatCommand& command) {
  auto prompt = read_prompt(command);
  if (!prompt) return report_failure(prompt.error());
  const bool reads_input = Terminal(stdin).is_terminal();
  const bool converses = prompt->empty() && reads_input;
  if (prompt->empty() && !converses) {
    fmt::print(stderr, "toolgate: standard input is empty, so there is nothing to ask\n");
    return kUsage;
  }
  if (converses && (command.as_json || !Terminal(stdout).is_terminal())) {
    fmt::print(stderr, "toolgate: without a terminal for the answers a PROMPT is needed\n");
    return kUsage;
  }
  auto source = open_source(command);
  if (!source) return report_failure(source.error());
  GatewayPlace& place = *source->place;
  const Terminal screen(text_to(command) == ChatView::TextTo::Screen ? stdout : stderr);
  Desk desk(place.loop(), screen, !command.chat.allows_all || converses, !reads_input);
  ChatView view(desk.terminal, text_to(command));
  ChatOptions options = command.chat;
  if (options.session.empty()) options.session = make_id("chat_");
  options.may_ask = desk.keyboard || options.allows_all;
  TerminalChat session(place, desk, view, std::move(options));
  if (converses && !desk.keyboard)
    return report_failure({Errc::Io, "keys cannot be read from this terminal", {}});
  const auto history = command.catalog.data.empty() ? std::filesystem::path()
                                                    : command.catalog.data / "chat-history";
  const int status = converses ? run_on(place.loop(), session.converse(history))
                               : answer_once(command, session, place.loop(), std::move(*prompt));
  source->own.reset();  // while Ctrl-C is still ours: what it did is written when it stops
  return status;
}

}  // namespace

void add_chat(CLI::App& app, Run& run) {
  auto options = std::make_shared<ChatCommand>();
  ChatOptions& chat_options = options->chat;
  CLI::App* command =
      app.add_subcommand("chat", "Talk to a model, with tools that run here and ask you here");
  command->add_option("PROMPT", options->prompt, "Ask this, print the answer and end")
      ->type_name("");
  command->add_option("-m,--model", chat_options.model, "The model; else the gateway's default")
      ->type_name("NAME");
  command->add_option("--system", chat_options.system, "What the model is told first")
      ->type_name("TEXT");
  command
      ->add_option("--session", chat_options.session,
                   "The chat session it counts to, for approvals of a session")
      ->type_name("ID");
  command
      ->add_option("--include", chat_options.include_tools, "Only these tools and tool sets: a,b")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES");
  command->add_option("--exclude", chat_options.exclude_tools, "Not these tools and tool sets: a,b")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES");
  command
      ->add_option("--max-rounds", chat_options.max_rounds,
                   "How often tools may run for one answer; 0: as often as the model wants")
      ->type_name("N");
  command->add_flag("--no-tools", options->no_tools, "Offer the model no tools")
      ->excludes("--include")
      ->excludes("--exclude");
  command->add_flag("--yes", chat_options.allows_all, "Allow once whatever would ask");
  command->add_flag("--json", options->as_json,
                    "Print the object that POST /v1/chat/completions answers with");
  add_url_option(*command, options->gateway);
  add_catalog_options(*command, options->catalog);
  command->footer(
      "Without PROMPT it is a conversation; /help there says what there is. A pipe into it is the\n"
      "prompt, or stands behind PROMPT; a pipe out of it gets the answer's text and nothing else.\n"
      "Exit status: 0 when there was an answer, 1 when not, 2 when used wrongly.");
  command->callback([options, &run] {
    complete_catalog_options(options->catalog);
    options->gateway.data = options->catalog.data;
    options->chat.uses_tools = !options->no_tools;
    run = [options] {
      prepare_process();
      return chat(*options);
    };
  });
}

}  // namespace toolgate
