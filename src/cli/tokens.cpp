// toolgate tokens: how many tokens a text, a list of messages or a list of tools takes.
#include <memory>

#include "base/json_tree.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/terminal.h"
#include "gateway/tokens_reply.h"
#include "tokens/costs.h"

namespace toolgate {
namespace {

struct TokensCommand {
  std::string encoding = "o200k_base";
  std::string model;
  std::string as = "text";
  std::string file;
  bool special = false;
  bool ids = false;
  bool show = false;
  bool as_json = false;
};

Encoding choose_encoding(const TokensCommand& command) {
  if (!command.model.empty()) return encoding_for({}, {}, command.model);
  return encoding_named(command.encoding).value_or(Encoding::O200kBase);
}

SpecialTokens special_of(const TokensCommand& command) {
  return command.special ? SpecialTokens::AsTokens : SpecialTokens::AsText;
}

Result<std::size_t> count(const TokensCommand& command, std::string_view text, Encoding encoding) {
  if (command.as == "text") return count_tokens(encoding, text, special_of(command));
  JsonTree tree;
  const auto root = tree.parse(text);
  if (!root) return std::unexpected(root.error());
  // A whole request has both.
  const JsonNode* list = (*root)->find(command.as);
  const JsonNode& value = list ? *list : **root;
  if (!value.is(JsonNode::Kind::Array) && !value.is(JsonNode::Kind::Object))
    return fail(Errc::InvalidRequest, "the file holds no {}", command.as);
  return command.as == "messages" ? messages_cost(value, encoding) : tools_cost(value, encoding);
}

// Each token in the colour after its neighbour's; between bars where there is no colour.
void show_tokens(const std::vector<std::uint32_t>& ids, Encoding encoding,
                 const Terminal& terminal) {
  constexpr Paint kPaints[] = {Paint::Cyan, Paint::Yellow, Paint::Green, Paint::Red};
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto text = decode_tokens(encoding, std::span(&ids[i], 1));
    const std::string shown = visible(text ? *text : "");
    terminal.print(terminal.colour() ? terminal.paint(kPaints[i % std::size(kPaints)], shown)
                                     : (i ? "|" : "") + shown);
  }
  terminal.print("\n");
}

int print_tokens(const TokensCommand& command) {
  const auto text = read_input(command.file);
  if (!text) return report_failure(text.error());
  const Encoding encoding = choose_encoding(command);
  const auto tokens = count(command, *text, encoding);
  if (!tokens) return report_failure(tokens.error());
  std::vector<std::uint32_t> ids;
  if (command.ids || command.show) ids = encode_tokens(encoding, *text, special_of(command));
  if (command.as_json) {
    std::string reply = write_token_count(*tokens, encoding);
    if (command.ids) {
      reply.pop_back();
      reply += fmt::format(R"(,"ids":[{}]}})", fmt::join(ids, ","));
    }
    fmt::print("{}\n", reply);
    return 0;
  }
  const Terminal terminal(stdout);
  if (command.ids || command.show) {
    if (command.show) show_tokens(ids, encoding, terminal);
    if (command.ids) terminal.print(fmt::format("{}\n", fmt::join(ids, " ")));
  }
  terminal.print(
      fmt::format("{} tokens{}\n", terminal.paint(Paint::Bold, with_commas(*tokens)),
                  terminal.paint(Paint::Dim, fmt::format("  {}, {} bytes", encoding_name(encoding),
                                                         with_commas(text->size())))));
  return 0;
}

}  // namespace

void add_tokens(CLI::App& app, Run& run) {
  auto options = std::make_shared<TokensCommand>();
  CLI::App* command = app.add_subcommand("tokens", "Count the tokens of a text");
  auto* encoding =
      command->add_option("--encoding", options->encoding, "What the model counts with")
          ->check(CLI::IsMember({"o200k_base", "cl100k_base"}))
          ->capture_default_str();
  command->add_option("--model", options->model, "A model's name, to choose the encoding by")
      ->type_name("NAME")
      ->excludes(encoding);
  command->add_option("--as", options->as, "What the file holds")
      ->check(CLI::IsMember({"text", "messages", "tools"}))
      ->capture_default_str();
  command->add_option("FILE", options->file, "The file; standard input when absent or -");
  command->add_flag("--show", options->show, "Show where one token ends and the next begins");
  command->add_flag("--ids", options->ids, "Print the numbers of the tokens");
  command->add_flag("--special", options->special,
                    "Count <|endoftext|> and its like as the tokens they name");
  command->add_flag("--json", options->as_json, "Print one object: tokens, encoding");
  command->callback([options, &run] { run = [options] { return print_tokens(*options); }; });
}

}  // namespace toolgate
