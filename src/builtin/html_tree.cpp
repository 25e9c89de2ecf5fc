#include "builtin/html_tree.h"

#include <csetjmp>
#include <cstdlib>
#include <ctime>

namespace toolgate {

// What the parser allocates, as a list. It is freed without the parser: Gumbo does so by recursion,
// as deep as a stranger nested the elements of a page.
class HtmlTree::Memory {
 public:
  explicit Memory(HtmlLimits limits) : limits_(limits), started_(processor_time()) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  ~Memory() {
    while (first_) release(first_ + 1);
  }

  // The parser cannot be told to stop, and does not look at what an allocation returned: what is
  // over a limit leaves it by a jump. Its frames are plain C and hold nothing but this memory.
  GumboOutput* parse(const std::string& html) {
    GumboOptions options = kGumboDefaultOptions;
    options.userdata = this;
    options.max_errors = 0;
    options.allocator = [](void* memory, std::size_t size) {
      return static_cast<Memory*>(memory)->allocate(size);
    };
    options.deallocator = [](void* memory, void* block) {
      static_cast<Memory*>(memory)->release(static_cast<Block*>(block));
    };
    if (setjmp(way_out_) != 0) return nullptr;
    return gumbo_parse_with_options(&options, html.data(), html.size());
  }

 private:
  struct alignas(std::max_align_t) Block {
    Block* previous;
    Block* next;
    std::size_t size;
  };

  static std::chrono::nanoseconds processor_time() {
    timespec time = {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }

  void* allocate(std::size_t size) {
    constexpr std::size_t kBetweenLooks = 256;
    const bool is_late =
        ++allocations_ % kBetweenLooks == 0 && processor_time() - started_ > limits_.processor_time;
    if (is_late || size > limits_.memory - used_) std::longjmp(way_out_, 1);
    auto* block = static_cast<Block*>(std::malloc(sizeof(Block) + size));
    if (!block) std::longjmp(way_out_, 1);
    *block = {nullptr, first_, size};
    if (first_) first_->previous = block;
    first_ = block;
    used_ += size;
    return block + 1;
  }

  void release(Block* after) {
    if (!after) return;
    Block* block = after - 1;
    (block->previous ? block->previous->next : first_) = block->next;
    if (block->next) block->next->previous = block->previous;
    used_ -= block->size;
    std::free(block);
  }

  const HtmlLimits limits_;
  const std::chrono::nanoseconds started_;
  std::jmp_buf way_out_ = {};
  Block* first_ = nullptr;
  std::size_t used_ = 0;
  std::size_t allocations_ = 0;
};

HtmlTree::HtmlTree(std::unique_ptr<std::string> html, std::unique_ptr<Memory> memory,
                   const GumboNode* root)
    : html_(std::move(html)), memory_(std::move(memory)), root_(root) {}
HtmlTree::HtmlTree(HtmlTree&&) noexcept = default;
HtmlTree& HtmlTree::operator=(HtmlTree&&) noexcept = default;
HtmlTree::~HtmlTree() = default;

Result<HtmlTree> HtmlTree::parse(std::string html, HtmlLimits limits) {
  auto text = std::make_unique<std::string>(std::move(html));
  auto memory = std::make_unique<Memory>(limits);
  const GumboOutput* output = memory->parse(*text);
  if (!output || !output->root)
    return fail(Errc::TooLarge, "is nested too deeply or too large to be read as HTML");
  return HtmlTree(std::move(text), std::move(memory), output->root);
}

const char* attribute_of(const GumboNode& element, const char* name) {
  const GumboAttribute* found = gumbo_get_attribute(&element.v.element.attributes, name);
  return found ? found->value : nullptr;
}

}  // namespace toolgate
