#include "runtime/functions/body_descriptions.h"

#include <algorithm>
#include <memory>
#include <mutex>  // std::lock_guard
#include <tuple>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/steady_clock.h"
#include "object/debugger_registration.h"
#include "object/elf_object.h"
#include "object/symbol_addresses.h"

namespace firstcall {
namespace {

// A debugger takes time for each registration, and the functions of one object share their types.
constexpr size_t kFunctionsTogether = 64;

// A thread of the program goes on after that, and others can remove modules, fork and exit.
constexpr absl::Duration kLongestWork = absl::Milliseconds(500);

absl::string_view NameOf(FunctionKey key) { return key.module->index().at(key.ordinal).name; }

bool IsOneOf(absl::Span<const SymbolOrdinal> functions, SymbolOrdinal function) {
  return std::find(functions.begin(), functions.end(), function) != functions.end();
}

// The addresses of the sections that define the functions.
std::function<void()> Register(const ElfObject& object, const SymbolAddresses& bodies) {
  std::vector<ExecutorAddress> sections(object.sections().size());
  for (size_t i = 0; i < object.symbol_count(); ++i) {
    const ElfObject::Symbol symbol = object.symbol(i);
    const auto body = bodies.find(object.NameOf(symbol));
    if (!symbol.is_undefined() && body != bodies.end()) {
      sections[object.SectionOf(symbol, i)] = body->second;
    }
  }
  return RegisterWithDebugger(object, [&](uint32_t section) { return sections[section]; });
}

}  // namespace

bool BodyDescriptions::IsNeeded() const { return is_wanted_ && HasListeningDebugger(); }

void BodyDescriptions::DescribeWith(std::optional<FunctionKey> key) {
  const std::lock_guard<WorkMutex> lock(working_);
  const absl::Duration begin = SteadyNow();
  FindNew(key);
  if (key && !left_.empty() && left_.back().key == *key) DescribeNext(1);
  do {
    DescribeNext(kFunctionsTogether);
  } while (key && !left_.empty() && SteadyNow() - begin < kLongestWork);
  is_done_.store(left_.empty(), std::memory_order_relaxed);
}

// Puts what is not seen yet in front of what is left: the function at hand first, and its module.
void BodyDescriptions::FindNew(std::optional<FunctionKey> key) {
  const uint64_t publications = functions_.publications();
  if (key && publications == publications_ + 1) {
    const std::optional<Body> body = functions_.PublishedBodyOf(*key);
    if (body && seen_.insert(*key).second) left_.push_back(*body);
  } else if (publications != publications_) {
    for (const Body& body : functions_.PublishedBodies()) {
      if (seen_.insert(body.key).second) left_.push_back(body);
    }
    std::sort(left_.begin(), left_.end(), [&](const Body& a, const Body& b) {
      const auto rank = [&](const Body& body) {
        return std::make_tuple(key && body.key == *key, key && body.key.module == key->module,
                               body.key.module->id().value, body.key.ordinal.value);
      };
      return rank(a) < rank(b);
    });
  }
  publications_ = publications;
}

// Of one module.
void BodyDescriptions::DescribeNext(size_t most) {
  std::vector<Body> bodies;
  while (!left_.empty() && bodies.size() < most &&
         (bodies.empty() || left_.back().key.module == bodies.front().key.module)) {
    bodies.push_back(left_.back());
    left_.pop_back();
  }
  if (!bodies.empty()) Describe(bodies);
}

void BodyDescriptions::Describe(absl::Span<const Body> bodies) {
  const std::vector<SymbolOrdinal> described = TryToDescribe(bodies);
  absl::MutexLock lock(&mutex_);
  counts_.described += described.size();
  counts_.other += bodies.size() - described.size();
}

std::vector<SymbolOrdinal> BodyDescriptions::TryToDescribe(absl::Span<const Body> bodies) {
  const SourceModule& module = *bodies.front().key.module;
  std::vector<BodyDescriber::Body> linked;
  for (const Body& body : bodies) linked.push_back({body.key.ordinal, body.address});
  const auto find_function = [&](ExecutorAddress address) -> std::optional<SymbolOrdinal> {
    const std::optional<FunctionTable::AtAddress> found = functions_.FunctionAt(address);
    if (!found || found->key.module != &module) return std::nullopt;
    const std::optional<Body> body = functions_.PublishedBodyOf(found->key);
    if (!body || body->address != address) return std::nullopt;  // The address is a stub's.
    return found->key.ordinal;
  };
  CodeDescription description = describer_.Describe(module, module.is_far(), linked, find_function);
  if (description.described.empty()) return {};
  const absl::StatusOr<std::unique_ptr<ElfObject>> object =
      ElfObject::Parse(absl::MakeSpan(description.object), module.name());
  if (!object.ok()) return {};
  SymbolAddresses addresses;
  for (const Body& body : bodies) {
    if (!IsOneOf(description.described, body.key.ordinal)) continue;
    addresses.emplace(NameOf(body.key), body.address);
  }
  Keep(module, Register(**object, addresses));
  return std::move(description.described);
}

void BodyDescriptions::Keep(const SourceModule& module, std::function<void()> withdraw) {
  absl::MutexLock lock(&mutex_);
  withdrawals_[module.id()].push_back(std::move(withdraw));
}

void BodyDescriptions::Remove(const SourceModule& module) {
  describer_.Remove(module);
  {
    const std::lock_guard<WorkMutex> lock(working_);
    left_.erase(std::remove_if(left_.begin(), left_.end(),
                               [&](const Body& body) { return body.key.module == &module; }),
                left_.end());
    absl::erase_if(seen_, [&](FunctionKey key) { return key.module == &module; });
  }
  std::vector<std::function<void()>> withdrawals;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = withdrawals_.find(module.id());
    if (found == withdrawals_.end()) return;
    withdrawals = std::move(found->second);
    withdrawals_.erase(found);
  }
  for (const std::function<void()>& withdraw : withdrawals) withdraw();
}

BodyDescriptions::Counts BodyDescriptions::counts() const {
  absl::MutexLock lock(&mutex_);
  return counts_;
}

}  // namespace firstcall
