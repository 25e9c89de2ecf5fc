// catalog_bench FOLDER: what a catalogue of thousands of tools costs in process, in CPU time of all
// threads: building it, filtering and selecting, grouping, and adding tools to a chat request.
// FOLDER is a profile with extensions and has the requests of catalogue.py, which runs this. Prints
// one line of JSON.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <time.h>
#include <vector>

#include <fmt/format.h>

#include "agent/offer_tools.h"
#include "base/json.h"
#include "gateway/tool_catalog.h"
#include "gateway/tools_reply.h"
#include "toolgate/run.h"
#include "tools/catalog_build.h"
#include "tools/tool_record.h"
#include "wire/openai_chat.h"

namespace {

using namespace toolgate;

constexpr int kRounds = 15;
constexpr std::size_t kBuiltInSets = 4;  // build_catalog() adds them itself

[[noreturn]] void die(std::string_view what) {
  fmt::print(stderr, "catalog_bench: {}\n", what);
  std::exit(1);
}

double cpu_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

// The processor's caches hold nothing of ours afterwards.
void evict_caches() {
  static std::vector<char> memory(std::size_t{96} << 20);
  for (std::size_t i = 0; i < memory.size(); i += 64) ++memory[i];
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

enum class Caches { Kept, Emptied };

// Microseconds of `run`, which gets what `prepare` made: the median of several rounds.
template <class Prepare, class Run>
double measure_cold(int rounds, Prepare prepare, Run run, Caches caches = Caches::Emptied) {
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    auto prepared = prepare();
    if (caches == Caches::Emptied) evict_caches();
    const double begin = cpu_microseconds();
    run(prepared);
    times.push_back(cpu_microseconds() - begin);
  }
  return median(std::move(times));
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) die(path.string() + " cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

// A gateway's parts on the way of a chat request, without sockets.
class Desk {
 public:
  explicit Desk(std::shared_ptr<const Catalog> catalog) : catalog_(std::move(catalog)) {}

  // The upstream's body gets as many bytes.
  Task<std::size_t> handle(std::string_view body) {
    auto request = parse_chat_request(body);
    if (!request) die(request.error().message);
    TurnReport report;
    const OfferSettings settings{model_, families_.changes_for(model_.family)};
    const auto offered =
        co_await offer_tools(*request, *catalog_, settings, offers_, report, cancel_);
    if (!offered) die(offered.error().message);
    if (const auto chosen = check_tool_choice(*request); !chosen) die(chosen.error().message);
    offered_ = request->added ? request->added->tools.size() : 0;
    co_return make_upstream_body(*request, "upstream-model").size;
  }

  // Microseconds of one request, once everything is known.
  Task<double> handle_often(std::string_view body) {
    constexpr int kTimes = 2000;
    co_await handle(body);
    std::vector<double> times;
    for (int round = 0; round < kRounds; ++round) {
      const double begin = cpu_microseconds();
      for (int i = 0; i < kTimes; ++i) co_await handle(body);
      times.push_back((cpu_microseconds() - begin) / kTimes);
    }
    co_return median(std::move(times));
  }

  const Catalog& catalog() const { return *catalog_; }
  std::size_t offered() const { return offered_; }

 private:
  std::shared_ptr<const Catalog> catalog_;
  ModelInfo model_{.id = "gpt-4.1", .owned_by = "bench", .family = "gpt-4.1"};
  Families families_;
  ToolOffers offers_;
  CancelSource cancel_;
  std::size_t offered_ = 0;
};

std::unique_ptr<ToolCatalog> load_tools(const std::filesystem::path& folder) {
  ToolFiles files;
  files.profile = files.workspace = folder;
  auto tools = std::make_unique<ToolCatalog>(std::move(files));
  tools->load(Settings{});
  for (const CatalogProblem& problem : tools->problems()) die(problem.message);
  return tools;
}

CatalogParts parts_of(const Catalog& catalog, const Registry& registry) {
  CatalogParts parts;
  const auto context = parse_json(registry.context_json());
  for (const auto& member : context->as_object()) parts.context.set(member.key(), member.value());
  for (const CatalogTool& tool : catalog.tools)
    parts.tools.push_back({tool.record, tool.implementation});
  for (std::size_t i = kBuiltInSets; i < catalog.sets.size(); ++i)
    parts.sets.push_back(catalog.sets[i].data);
  return parts;
}

ToolFilter filter_of(std::string_view body) {
  auto request = parse_chat_request(body);
  if (!request) die(request.error().message);
  ToolFilter filter;
  filter.include = std::move(request->include_tools);
  filter.exclude = std::move(request->exclude_tools);
  return filter;
}

double measure_grouping(const Catalog& catalog) {
  std::vector<std::string> keys;
  for (const CatalogTool& tool : catalog.tools)
    keys.push_back(source_group_key(tool.data().source));
  std::vector<OfferedTool> offered;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const CatalogTool& tool = catalog.tools[i];
    offered.push_back({tool.data().id, tool.data().model_description, keys[i],
                       tool.data().source.label, catalog.sets[tool.sets.at(0)].reference_name});
  }
  return measure_cold(
      kRounds, [] { return 0; }, [&](int) { return group_tools(offered, GroupSettings{}); });
}

class Report {
 public:
  void add(std::string_view name, double value) {
    text_ += fmt::format("{}\"{}\":{:.3f}", text_.empty() ? "{" : ",", name, value);
  }
  void print() const { fmt::print("{}}}\n", text_); }

 private:
  std::string text_;
};

void measure_catalog(const std::filesystem::path& folder, const Catalog& catalog,
                     const CatalogParts& parts, Report& report) {
  report.add("tools", static_cast<double>(catalog.tools.size()));
  report.add("load_us",
             measure_cold(3, [] { return 0; }, [&](int) { load_tools(folder)->catalog(); }));
  report.add("build_us",
             measure_cold(kRounds, [] { return 0; }, [&](int) { return build_catalog(parts, 1); }));
  report.add("group_us", measure_grouping(catalog));
  std::size_t list_bytes = 0;
  report.add("list_us", measure_cold(
                            kRounds, [] { return 0; },
                            [&](int) { list_bytes = write_tool_list(catalog, {}).size(); }));
  report.add("list_bytes", static_cast<double>(list_bytes));
}

void measure_requests(const std::filesystem::path& folder, const CatalogParts& parts,
                      Report& report) {
  const std::string filtered = read_file(folder / "filtered.json");
  const ToolFilter filter = filter_of(filtered);
  const auto fresh_catalog = [&] { return build_catalog(parts, 1); };
  const auto select = [&](const auto& fresh) {
    const auto selection = select_tools(*fresh, nullptr, filter);
    if (!selection || selection->unknown.empty()) die("the filter has no unknown name");
  };
  report.add("select_fresh_us", measure_cold(kRounds, fresh_catalog, select, Caches::Kept));
  report.add("select_cold_us", measure_cold(kRounds, fresh_catalog, select));
  for (const std::string_view name : {"plain", "filtered", "attached", "everything"}) {
    const std::string body = read_file(folder / fmt::format("{}.json", name));
    const auto handle = [&](Desk& desk) { run_task(desk.handle(body)); };
    // Of a gateway that has just read its extensions, then after a change of the catalogue.
    report.add(fmt::format("{}_first_us", name),
               measure_cold(3, [&] { return Desk(load_tools(folder)->catalog()); }, handle));
    report.add(fmt::format("{}_cold_us", name),
               measure_cold(kRounds, [&] { return Desk(fresh_catalog()); }, handle));
    Desk desk(fresh_catalog());
    report.add(fmt::format("{}_us", name), run_task(desk.handle_often(body)));
    report.add(fmt::format("{}_bytes", name), static_cast<double>(run_task(desk.handle(body))));
    report.add(fmt::format("{}_offered", name), static_cast<double>(desk.offered()));
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) die("usage: catalog_bench FOLDER");
  const std::filesystem::path folder = words[1];
  const auto tools = load_tools(folder);
  const auto catalog = tools->catalog();
  const CatalogParts parts = parts_of(*catalog, tools->registry());
  Report report;
  measure_catalog(folder, *catalog, parts, report);
  measure_requests(folder, parts, report);
  report.print();
}
