#include "runtime/functions/body_descriptions.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "object/debugger_registration.h"
#include "object/elf_object.h"
#include "object/running_code.h"
#include "object/symbol_addresses.h"

namespace firstcall {
namespace {

// A debugger takes time for each registration, and the functions of one object share their types.
constexpr size_t kFunctionsTogether = 64;

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

bool BodyDescriptions::IsNeeded() const { return options_.is_wanted && HasListeningDebugger(); }

void BodyDescriptions::DescribeWith(std::optional<FunctionKey> key) {
  absl::MutexLock lock(&working_);
  has_begun_.store(true, std::memory_order_release);
  std::vector<Body> bodies;
  for (const Body& body : functions_.PublishedBodies()) {
    if (seen_.insert(body.key).second) bodies.push_back(body);
  }
  // The function at hand first, and its module.
  std::sort(bodies.begin(), bodies.end(), [&](const Body& a, const Body& b) {
    const auto rank = [&](const Body& body) {
      return std::make_tuple(!(key && body.key == *key), !(key && body.key.module == key->module),
                             body.key.module->id().value, body.key.ordinal.value);
    };
    return rank(a) < rank(b);
  });
  for (size_t begin = 0; begin < bodies.size();) {
    size_t end = begin + 1;
    const size_t most = begin == 0 ? 1 : kFunctionsTogether;
    while (end < bodies.size() && end - begin < most &&
           bodies[end].key.module == bodies[begin].key.module) {
      ++end;
    }
    Describe(absl::MakeConstSpan(bodies).subspan(begin, end - begin));
    begin = end;
  }
}

void BodyDescriptions::Describe(absl::Span<const Body> bodies) {
  const std::vector<SymbolOrdinal> described = TryToDescribe(bodies);
  absl::MutexLock lock(&mutex_);
  counts_.described += described.size();
  counts_.other += bodies.size() - described.size();
}

std::vector<SymbolOrdinal> BodyDescriptions::TryToDescribe(absl::Span<const Body> bodies) {
  const SourceModule& module = *bodies.front().key.module;
  if (without_.contains(module.id())) return {};
  const auto is_replaced = [&](SymbolOrdinal ordinal) {
    return resolver_.IsReplaced(module, ordinal);
  };
  const auto is_running = [&](size_t index, ObjectBytes bytes) {
    const absl::string_view name = NameOf(bodies[index].key);
    const absl::StatusOr<std::unique_ptr<ElfObject>> object =
        ElfObject::Parse(absl::MakeSpan(bytes), name);
    return object.ok() &&
           IsCodeOf(**object, name, bodies[index].address.InThisProcess<const void*>());
  };
  DescriptionOrder order{module.id(), {}, is_replaced, is_running};
  for (const Body& body : bodies) order.functions.push_back(body.key.ordinal);
  order.is_far = module.is_far();
  order.asks_when_called = options_.asks_when_called;
  absl::StatusOr<CodeDescription> description = compiler_.DescribeBodies(order);
  if (!description.ok()) {
    if (absl::IsUnimplemented(description.status())) without_.insert(module.id());
    return {};
  }
  if (description->described.empty()) return {};
  const absl::StatusOr<std::unique_ptr<ElfObject>> object =
      ElfObject::Parse(absl::MakeSpan(description->object), module.name());
  if (!object.ok()) return {};
  SymbolAddresses addresses;
  for (const Body& body : bodies) {
    if (!IsOneOf(description->described, body.key.ordinal)) continue;
    addresses.emplace(NameOf(body.key), body.address);
  }
  Keep(module, Register(**object, addresses));
  return std::move(description->described);
}

void BodyDescriptions::Keep(const SourceModule& module, std::function<void()> withdraw) {
  absl::MutexLock lock(&mutex_);
  withdrawals_[module.id()].push_back(std::move(withdraw));
}

void BodyDescriptions::Remove(const SourceModule& module) {
  {
    absl::MutexLock lock(&working_);
    absl::erase_if(seen_, [&](FunctionKey key) { return key.module == &module; });
    without_.erase(module.id());
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
