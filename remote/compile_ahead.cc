#include "remote/compile_ahead.h"

#include <sys/resource.h>

#include <algorithm>
#include <thread>

#include "absl/status/statusor.h"
#include "cache/object_cache.h"

namespace firstcall {
namespace {

// Functions that nobody has asked for yet, besides as many as were asked for.
constexpr size_t kMostUnused = 64;

constexpr int kPriority = 10;  // As nice(1) counts.

// What is sent along, and what only a debugger wants, depends on the client.
bool CanBeMadeAhead(const OrderValues& order) {
  return order.others_may_join && order.callees_along == 0 && order.companions == 0;
}

}  // namespace

std::optional<CompileAhead::Made> CompileAhead::Take(const OrderValues& order) {
  const Key key(order.module, order.function);
  absl::MutexLock lock(&mutex_);
  known_.insert(key);
  if (!CanBeMadeAhead(order)) return std::nullopt;
  if (at_work_ == key) mutex_.Await(absl::Condition(this, &CompileAhead::IsIdle));
  auto found = made_.find(key);
  if (found == made_.end()) return std::nullopt;
  std::optional<Made> made = std::move(found->second);
  made_.erase(found);
  ++used_count_;
  return made;
}

bool CompileAhead::Claim(ModuleId module, SymbolOrdinal function) {
  absl::MutexLock lock(&mutex_);
  return known_.insert({module, function}).second;
}

void CompileAhead::NoteCallees(const OrderValues& order,
                               const std::shared_ptr<const SymbolIndex>& index,
                               const std::vector<SymbolOrdinal>& callees) {
  if (!CanBeMadeAhead(order)) return;
  absl::MutexLock lock(&mutex_);
  // In front of what earlier functions call, in their order.
  for (auto callee = callees.rbegin(); callee != callees.rend(); ++callee) {
    const Symbol symbol = index->at(*callee);
    if (symbol.kind != SymbolKind::kFunction || !symbol.is_definition || symbol.is_weak ||
        known_.count({order.module, *callee}) != 0) {
      continue;
    }
    Job job{order, index};
    job.order.function = *callee;
    if (job.order.identification) {
      job.order.identification->part = ModulePart{ModulePart::Kind::kFunction, *callee}.ToString();
    }
    jobs_.push_front(std::move(job));
  }
  if (jobs_.empty() || has_thread_) return;
  has_thread_ = true;
  std::thread([this] { Work(); }).detach();
}

bool CompileAhead::HasWork() const {
  return !jobs_.empty() && made_count_ - used_count_ < kMostUnused + used_count_;
}

void CompileAhead::Work() {
  // Of this thread only.
  (void)setpriority(PRIO_PROCESS, 0, kPriority);
  while (true) {
    Job job;
    Key key;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(this, &CompileAhead::HasWork));
      job = std::move(jobs_.front());
      jobs_.pop_front();
      key = {job.order.module, job.order.function};
      if (!known_.insert(key).second) continue;
      at_work_ = key;
    }
    std::optional<Made> made = Compile(job);
    absl::MutexLock lock(&mutex_);
    at_work_ = std::nullopt;
    if (!made) continue;
    made_.emplace(key, *std::move(made));
    ++made_count_;
  }
}

std::optional<CompileAhead::Made> CompileAhead::Compile(const Job& job) {
  const OrderValues& values = job.order;
  Made made;
  bool would_ask = false;
  const auto is_replaced = [&](SymbolOrdinal ordinal) {
    if (job.index->at(ordinal).is_weak) would_ask = true;
    return false;
  };
  const auto may_join = [&](SymbolOrdinal ordinal) {
    if (job.index->at(ordinal).is_weak || !Claim(values.module, ordinal)) return false;
    made.joined.push_back(ordinal);
    return true;
  };
  FunctionOrder order{values.module, values.function, is_replaced, may_join};
  order.is_far = values.is_far;
  order.lists_callees = true;
  order.polls = values.polls;
  order.identification = values.identification;
  absl::StatusOr<CompiledFunction> function = compiler_.CompileFunction(order);
  // An error comes again when the function is asked for.
  if (!function.ok() || would_ask || function->leader) return std::nullopt;
  made.function = *std::move(function);
  return made;
}

void CompileAhead::Forget(ModuleId module) {
  absl::MutexLock lock(&mutex_);
  jobs_.erase(std::remove_if(jobs_.begin(), jobs_.end(),
                             [&](const Job& job) { return job.order.module == module; }),
              jobs_.end());
  if (at_work_ && at_work_->first == module) {
    mutex_.Await(absl::Condition(this, &CompileAhead::IsIdle));
  }
  for (auto made = made_.begin(); made != made_.end();) {
    made = made->first.first == module ? made_.erase(made) : std::next(made);
  }
}

}  // namespace firstcall
