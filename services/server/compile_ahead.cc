#include "services/server/compile_ahead.h"

#include <algorithm>
#include <iterator>
#include <thread>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "cache/object_cache.h"
#include "object/elf_object.h"
#include "object/symbol_name.h"

namespace firstcall {
namespace {

// Functions that nobody has asked for. A third of those that are called by others is asked for, so
// fewer would soon leave the thread without work.
constexpr size_t kMostUnused = 1000;

// How long a request waits for this thread. If the machine is busy, the thread may hardly run.
constexpr absl::Duration kPatience = absl::Milliseconds(2);

// What is sent along, and what only a debugger wants, depends on the client.
bool CanBeMadeAhead(const OrderValues& order) {
  return order.others_may_join && order.callees_along == 0 && order.companions == 0;
}

// Makes `function`, which was compiled along, the first of the functions. False if the object has
// inseparable functions or variables, which only the first one can publish.
bool PutFirst(SymbolOrdinal function, CompileAhead::Made& made) {
  CompiledFunction& compiled = made.function;
  std::vector<SymbolOrdinal>& all = compiled.functions;
  if (all.size() != made.joined.size() + 1 || !compiled.variables.empty()) return false;
  const auto at = std::find(all.begin(), all.end(), function);
  const auto joined = std::find(made.joined.begin(), made.joined.end(), function);
  if (at == all.end() || joined == made.joined.end()) return false;
  *joined = all.front();
  if (!compiled.hotness_signs.empty()) {
    std::swap(compiled.hotness_signs.front(),
              compiled.hotness_signs[static_cast<size_t>(at - all.begin())]);
  }
  std::swap(all.front(), *at);
  return true;
}

}  // namespace

CompileAhead::Taken CompileAhead::Take(const OrderValues& order) {
  const Key key(order.module, order.function);
  Taken taken;
  absl::MutexLock lock(&mutex_);
  auto known = known_.find(key);
  if (known == known_.end()) {
    known_.emplace(key, order.function);
    return taken;
  }
  const Key host(order.module, known->second);
  // The thread is hardly ever idle: it begins with the next function before this one gets the
  // mutex.
  const auto is_left = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return at_work_ != host; };
  const bool is_done = mutex_.AwaitWithTimeout(absl::Condition(&is_left), kPatience);
  known->second = order.function;
  // Otherwise the body is probably still in what the caller's thread has read.
  if (!is_done) return taken;
  taken.must_read_again = true;
  auto found = made_.find(host);
  if (found == made_.end()) return taken;
  if (!CanBeMadeAhead(order) || order.is_far != found->second.is_far ||
      (host != key && !PutFirst(order.function, found->second))) {
    return taken;
  }
  taken.made = std::move(found->second);
  made_.erase(found);
  return taken;
}

bool CompileAhead::Claim(ModuleId module, SymbolOrdinal function, SymbolOrdinal host) {
  absl::MutexLock lock(&mutex_);
  return known_.emplace(Key(module, function), host).second;
}

void CompileAhead::NoteObject(const OrderValues& order,
                              const std::shared_ptr<const SymbolIndex>& index,
                              absl::string_view object) {
  if (!CanBeMadeAhead(order) || object.empty()) return;
  absl::MutexLock lock(&mutex_);
  callers_.push_back({{order, index}, ObjectBytes(object)});
  if (has_thread_) return;
  has_thread_ = true;
  std::thread([this] { Work(); }).detach();
}

std::vector<CompileAhead::Job> CompileAhead::CalleesOf(Caller caller) {
  std::vector<Job> jobs;
  const absl::StatusOr<std::unique_ptr<ElfObject>> image =
      ElfObject::Parse(absl::MakeSpan(caller.object), "an object");
  if (!image.ok()) return jobs;
  const SymbolIndex& index = *caller.like.index;
  for (const ElfObject::Undefined& undefined : (*image)->undefined()) {
    const SymbolReference reference = ParseReference(undefined.name);
    if (reference.kind != ReferenceKind::kCall) continue;
    const std::optional<SymbolOrdinal> callee = index.Find(reference.name);
    if (!callee) continue;
    const Symbol symbol = index.at(*callee);
    if (symbol.kind != SymbolKind::kFunction || !symbol.is_definition || symbol.is_weak) continue;
    Job job = caller.like;
    job.order.function = *callee;
    if (job.order.identification) {
      job.order.identification->part = ModulePart{ModulePart::Kind::kFunction, *callee}.ToString();
    }
    jobs.push_back(std::move(job));
  }
  return jobs;
}

bool CompileAhead::HasWork() const {
  if (!callers_.empty()) return true;
  return !jobs_.empty() && made_.size() < kMostUnused;
}

void CompileAhead::Work() {
  while (true) {
    std::optional<Caller> caller;
    Job job;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(this, &CompileAhead::HasWork));
      if (!callers_.empty()) {
        caller = std::move(callers_.front());
        callers_.pop_front();
        module_at_work_ = caller->like.order.module;
      } else {
        job = std::move(jobs_.front());
        jobs_.pop_front();
        const Key key(job.order.module, job.order.function);
        if (!known_.emplace(key, key.second).second) continue;
        at_work_ = key;
        module_at_work_ = key.first;
      }
    }
    if (!caller) {
      CompileNext(std::move(job));
      continue;
    }
    // In front of what earlier functions call.
    std::vector<Job> callees = CalleesOf(*std::move(caller));
    absl::MutexLock lock(&mutex_);
    module_at_work_ = std::nullopt;
    jobs_.insert(jobs_.begin(), std::make_move_iterator(callees.begin()),
                 std::make_move_iterator(callees.end()));
  }
}

// What the function calls comes after what was asked for calls.
void CompileAhead::CompileNext(Job job) {
  std::optional<Made> made = Compile(job);
  std::vector<Job> callees;
  if (made) callees = CalleesOf({job, ObjectBytes(absl::string_view(made->function.object.bytes))});
  absl::MutexLock lock(&mutex_);
  const Key key = *at_work_;
  at_work_ = std::nullopt;
  module_at_work_ = std::nullopt;
  jobs_.insert(jobs_.end(), std::make_move_iterator(callees.begin()),
               std::make_move_iterator(callees.end()));
  if (!made) return;
  made_.emplace(key, *std::move(made));
}

std::optional<CompileAhead::Made> CompileAhead::Compile(const Job& job) {
  const OrderValues& values = job.order;
  Made made;
  made.is_far = values.is_far;
  const auto is_replaced = [&](SymbolOrdinal ordinal) {
    if (job.index->at(ordinal).is_weak) made.weak.push_back(ordinal);
    return false;
  };
  const auto may_join = [&](SymbolOrdinal ordinal) {
    if (job.index->at(ordinal).is_weak || !Claim(values.module, ordinal, values.function)) {
      return false;
    }
    made.joined.push_back(ordinal);
    return true;
  };
  FunctionOrder order{values.module, values.function, is_replaced, may_join};
  order.is_far = values.is_far;
  order.lists_callees = values.lists_callees;
  order.polls = values.polls;
  order.identification = values.identification;
  absl::StatusOr<CompiledFunction> function = compiler_.CompileFunction(order);
  // An error comes again when the function is asked for.
  if (!function.ok() || function->leader) return std::nullopt;
  made.function = *std::move(function);
  return made;
}

void CompileAhead::DropJobs(ModuleId module) {
  jobs_.erase(std::remove_if(jobs_.begin(), jobs_.end(),
                             [&](const Job& job) { return job.order.module == module; }),
              jobs_.end());
  callers_.erase(
      std::remove_if(callers_.begin(), callers_.end(),
                     [&](const Caller& caller) { return caller.like.order.module == module; }),
      callers_.end());
}

void CompileAhead::Forget(ModuleId module) {
  absl::MutexLock lock(&mutex_);
  DropJobs(module);
  const auto is_left = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return module_at_work_ != module;
  };
  mutex_.Await(absl::Condition(&is_left));
  DropJobs(module);  // Those that came from what was being done.
  for (auto made = made_.begin(); made != made_.end();) {
    made = made->first.first == module ? made_.erase(made) : std::next(made);
  }
}

}  // namespace firstcall
