// A record's state is written under the mutex only. The slot is written after state and body, by
// the release store in Stub::Publish, so a call through the slot needs no lock. The same holds for
// the entries of tables, which are written like the slot.

#include "runtime/link/function_table.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "runtime/process/awaited_work.h"
#include "runtime/process/work_scope.h"

namespace firstcall {

namespace {

// Takes no lock, allocates no memory and runs no exit handler, because the signal may have
// interrupted code that does so. Nobody can tell a handler from what runs after a handler has left
// it, and the engine's work below it, by longjmp.
[[noreturn]] void FailInUnfinishedWork(absl::string_view function) {
  for (absl::string_view part :
       {absl::string_view("firstcall: function '"), function,
        absl::string_view("' is called for the first time while its thread has unfinished work in "
                          "the engine: a signal handler has interrupted that work, or has left it "
                          "by longjmp. Have signals held back, or prepare what handlers call\n")}) {
    (void)!write(STDERR_FILENO, part.data(), part.size());
  }
  _exit(kFirstCallFailedExitStatus);
}

absl::string_view NameOf(FunctionKey key) { return key.module->index().at(key.ordinal).name; }

}  // namespace

ExecutorAddress FunctionTable::HandleFirstCall(const std::atomic<void*>& owner) {
  const auto current = [&] {
    return static_cast<const StubOwner*>(owner.load(std::memory_order_acquire));
  };
  if (WorkScope::IsInterrupted()) {
    const StubOwner* interrupting = current();
    if (interrupting->table == nullptr) {
      const ExecutorAddress successor = static_cast<const Leftover*>(interrupting)->successor;
      if (!successor.is_null()) return successor;
    }
    FailInUnfinishedWork(interrupting->table == nullptr
                             ? static_cast<const Leftover*>(interrupting)->function
                             : NameOf(static_cast<const Record*>(interrupting)->key));
  }
  Leftover failed;
  {
    const bool may_delegate = !WorkScope::IsAtWork();
    WorkScope scope;
    // From here on the owner cannot be removed.
    const StubOwner* called = current();
    if (called->table == nullptr) {
      failed = *static_cast<const Leftover*>(called);
      if (!failed.successor.is_null()) return failed.successor;
    } else {
      const FunctionTable& table = *called->table;
      const auto& record = *static_cast<const Record*>(called);
      const FunctionKey key = record.key;
      absl::StatusOr<ExecutorAddress> body = table.compiler_->CompileForCall(key, may_delegate);
      if (body.ok()) {
        // The call continues at the entry, not at the body, so that the first call is counted, too.
        absl::MutexLock lock(&table.mutex_);
        return record.state == FunctionState::kReady ? record.entry : *body;
      }
      failed.function = std::string(NameOf(key));
      failed.module = key.module->name();
      failed.status = body.status();
      failed.failures = table.failures_;
    }
  }
  return failed.failures->Handle({failed.function, failed.module, failed.status});
}

std::shared_ptr<FunctionTable::StubOwner> FunctionTable::LeadTo(ExecutorAddress successor) {
  auto leftover = std::make_shared<Leftover>();
  leftover->successor = successor;
  return leftover;
}

void FunctionTable::Retire(StubTable& stubs, const NamedStub& stub, absl::string_view module,
                           absl::string_view reason, std::shared_ptr<const CallFailures> failures) {
  auto leftover = std::make_shared<Leftover>();
  leftover->function = stub.function;
  leftover->module = std::string(module);
  leftover->status = absl::FailedPreconditionError(
      absl::StrCat("function '", stub.function, "' of '", module, "' is called, but ", reason));
  leftover->failures = std::move(failures);
  stubs.Retire(stub.stub, std::shared_ptr<StubOwner>(std::move(leftover)));
}

void FunctionTable::Retire(const Record& record, absl::string_view reason) const {
  Retire(stubs_, {*record.stub, std::string(NameOf(record.key))}, record.key.module->name(), reason,
         failures_);
}

void FunctionTable::Forget(SourceModule& module, absl::FunctionRef<void(const Record&)> with_stub) {
  absl::MutexLock lock(&mutex_);
  by_address_.reset();
  for (uint32_t i = 0; i < module.index().size(); ++i) {
    auto found = records_.find(FunctionKey{&module, SymbolOrdinal{i}});
    if (found == records_.end()) continue;
    if (found->second->stub) with_stub(*found->second);
    records_.erase(found);
  }
}

void FunctionTable::RemoveAll() {
  absl::MutexLock lock(&mutex_);
  by_address_.reset();
  for (const auto& [key, record] : records_) {
    if (record->stub) Retire(*record, "its engine is gone");
  }
  records_.clear();
}

void FunctionTable::Remove(SourceModule& module, FindSuccessor successor_of) {
  absl::flat_hash_map<SymbolOrdinal, ExecutorAddress> successors;
  for (uint32_t i = 0; i < module.index().size(); ++i) {
    const FunctionKey key{&module, SymbolOrdinal{i}};
    if (!HasStub(key)) continue;
    if (const std::optional<ExecutorAddress> successor = successor_of(key.ordinal)) {
      successors[key.ordinal] = *successor;
    }
  }
  Forget(module, [&](const Record& record) {
    const auto found = successors.find(record.key.ordinal);
    if (found == successors.end()) return Retire(record, "its module was removed");
    stubs_.Redirect(*record.stub, LeadTo(found->second), found->second);
  });
}

std::vector<NamedStub> FunctionTable::Detach(SourceModule& module) {
  std::vector<NamedStub> stubs;
  Forget(module, [&](const Record& record) {
    if (record.state != FunctionState::kReady) return Retire(record, "its module was detached");
    std::shared_ptr<StubOwner> owner = LeadTo(record.entry);
    record.stub->SetOwner(owner.get());
    stubs.push_back({*record.stub, std::string(NameOf(record.key)), std::move(owner)});
  });
  return stubs;
}

bool FunctionTable::HasStub(FunctionKey key) const {
  absl::MutexLock lock(&mutex_);
  const auto found = records_.find(key);
  return found != records_.end() && found->second->stub.has_value();
}

FunctionTable::Record& FunctionTable::RecordOf(FunctionKey key) {
  std::unique_ptr<Record>& record = records_[key];
  if (record == nullptr) {
    record = std::make_unique<Record>();
    record->table = this;
    record->key = key;
  }
  return *record;
}

absl::StatusOr<ExecutorAddress> FunctionTable::AddressOf(FunctionKey key) {
  absl::MutexLock lock(&mutex_);
  Record& record = RecordOf(key);
  if (!record.stub) {
    FIRSTCALL_ASSIGN_OR_RETURN(record.stub, stubs_.Make(static_cast<StubOwner*>(&record)));
    if (record.state == FunctionState::kReady) record.stub->Publish(record.entry);
    NoteAddresses(record);
  }
  return record.stub->address();
}

std::optional<ExecutorAddress> FunctionTable::BodyOf(FunctionKey key) const {
  absl::MutexLock lock(&mutex_);
  auto found = records_.find(key);
  if (found == records_.end() || found->second->state != FunctionState::kReady) return std::nullopt;
  return found->second->body;
}

std::optional<ExecutorAddress> FunctionTable::FinalBodyOf(FunctionKey key) const {
  absl::MutexLock lock(&mutex_);
  auto found = records_.find(key);
  if (found == records_.end() || found->second->state != FunctionState::kReady ||
      !found->second->is_final) {
    return std::nullopt;
  }
  return found->second->body;
}

std::vector<FunctionTable::PublishedBody> FunctionTable::PublishedBodies() const {
  absl::MutexLock lock(&mutex_);
  std::vector<PublishedBody> bodies;
  for (const auto& [key, record] : records_) {
    if (record->state != FunctionState::kReady ||
        key.module->index().at(key.ordinal).kind != SymbolKind::kFunction) {
      continue;
    }
    bodies.push_back({key, record->body});
  }
  return bodies;
}

std::optional<FunctionTable::PublishedBody> FunctionTable::PublishedBodyOf(FunctionKey key) const {
  absl::MutexLock lock(&mutex_);
  const auto found = records_.find(key);
  if (found == records_.end() || found->second->state != FunctionState::kReady) return std::nullopt;
  return PublishedBody{key, found->second->body};
}

void FunctionTable::AddTableEntry(FunctionKey key, std::atomic<uint64_t>& entry) {
  absl::MutexLock lock(&mutex_);
  Record& record = RecordOf(key);
  record.table_entries.push_back(&entry);
  if (record.state == FunctionState::kReady && record.is_final) {
    entry.store(record.body.value(), std::memory_order_release);
  }
}

void FunctionTable::NoteAddresses(const Record& record) {
  if (!by_address_) return;
  if (record.stub) (*by_address_)[record.stub->address().value()] = &record;
  if (record.state == FunctionState::kReady && record.is_final) {
    (*by_address_)[record.body.value()] = &record;
  }
}

std::optional<FunctionTable::AtAddress> FunctionTable::FunctionAt(ExecutorAddress address) {
  absl::MutexLock lock(&mutex_);
  if (!by_address_) {
    by_address_.emplace();
    for (const auto& [key, record] : records_) NoteAddresses(*record);
  }
  const auto found = by_address_->find(address.value());
  if (found == by_address_->end()) return std::nullopt;
  return AtAddress{found->second->key, !found->second->table_entries.empty()};
}

void FunctionTable::Record::ReleaseIfLeft() {
  if (state == FunctionState::kCompiling && AwaitedWork::IsOfParent(compiling_thread)) {
    state = FunctionState::kStub;
    was_left = true;
  }
}

bool FunctionTable::WasLeftByParent(FunctionKey key) {
  absl::MutexLock lock(&mutex_);
  return std::exchange(RecordOf(key).was_left, false);
}

std::optional<absl::Status> FunctionTable::ClaimOrFind(FunctionKey key, Record& record, Need need) {
  if (record.IsAwaited(need)) {  // By this thread.
    return absl::FailedPreconditionError(
        absl::StrCat("function '", key.module->index().at(key.ordinal).name,
                     "' is needed to compile itself, or its compile was left by longjmp"));
  }
  if (record.state == FunctionState::kReady || record.state == FunctionState::kCompiling) {
    return absl::OkStatus();
  }
  const bool may_be_found = absl::IsNotFound(record.status) &&
                            record.additions != additions_.load(std::memory_order_relaxed);
  if (record.state == FunctionState::kFailed && !may_be_found) return record.status;
  // What is added from here on may come too late for this try.
  record.additions = additions_.load(std::memory_order_relaxed);
  record.state = FunctionState::kCompiling;
  record.compiling_thread = AwaitedWork::OwnNumber();
  record.has_labels = false;
  return std::nullopt;
}

bool FunctionTable::AwaitLabels(FunctionKey key) {
  bool is_stub = false;
  const auto is_decided = [&] {
    absl::MutexLock lock(&mutex_);
    Record& record = RecordOf(key);
    record.ReleaseIfLeft();
    // If it is this thread that compiles the function, there is nothing to wait for.
    if (record.IsAwaited(Need::kLabels) && record.compiling_thread != AwaitedWork::OwnNumber()) {
      return false;
    }
    is_stub = record.state == FunctionState::kStub;
    return true;
  };
  if (!is_decided()) AwaitedWork::Wait(is_decided);
  return !is_stub;
}

void FunctionTable::NoteLabels(FunctionKey key) {
  {
    absl::MutexLock lock(&mutex_);
    RecordOf(key).has_labels = true;
  }
  AwaitedWork::Tell();
}

void FunctionTable::ForgetLabels(FunctionKey key) {
  absl::MutexLock lock(&mutex_);
  RecordOf(key).has_labels = false;
}

FunctionTable::ClaimOrResult::ClaimOrResult(FunctionTable& functions, FunctionKey key, Need need)
    : functions_(functions) {
  const auto is_decided = [&] {
    absl::MutexLock lock(&functions_.mutex_);
    record_ = &functions_.RecordOf(key);
    record_->ReleaseIfLeft();
    if (record_->IsAwaited(need) && record_->compiling_thread != AwaitedWork::OwnNumber()) {
      return false;
    }
    std::optional<absl::Status> found = functions_.ClaimOrFind(key, *record_, need);
    is_claim_ = !found;
    if (found) result_ = *std::move(found);
    return true;
  };
  if (!is_decided()) AwaitedWork::Wait(is_decided);
}

// No other thread may wait forever.
FunctionTable::ClaimOrResult::~ClaimOrResult() {
  if (!is_claim_) return;
  End(absl::InternalError("compiling was left by an exception or by pthread_exit"));
}

void FunctionTable::ClaimOrResult::End(absl::Status status) {
  is_claim_ = false;
  result_ = std::move(status);
  {
    absl::MutexLock lock(&functions_.mutex_);
    if (record_->state != FunctionState::kCompiling) return;
    if (result_.ok()) result_ = absl::InternalError("compiled, but not published");
    record_->state = MayPass(result_) ? FunctionState::kStub : FunctionState::kFailed;
    if (record_->state == FunctionState::kFailed) record_->status = result_;
  }
  AwaitedWork::Tell();
}

void FunctionTable::TakeOver(FunctionKey key) {
  absl::MutexLock lock(&mutex_);
  RecordOf(key).compiling_thread = AwaitedWork::OwnNumber();
}

bool FunctionTable::Claim(FunctionKey key) {
  absl::MutexLock lock(&mutex_);
  Record& record = RecordOf(key);
  // One that was left by a parent's thread is compiled at its own call.
  if (record.state != FunctionState::kStub || record.was_left) return false;
  record.state = FunctionState::kCompiling;
  record.compiling_thread = AwaitedWork::OwnNumber();
  record.has_labels = false;
  return true;
}

void FunctionTable::Release(FunctionKey key) {
  {
    absl::MutexLock lock(&mutex_);
    Record& record = RecordOf(key);
    if (record.state == FunctionState::kCompiling) record.state = FunctionState::kStub;
  }
  AwaitedWork::Tell();
}

void FunctionTable::Publish(FunctionKey key, ExecutorAddress body, ExecutorAddress entry,
                            bool is_final) {
  {
    absl::MutexLock lock(&mutex_);
    publications_.fetch_add(1, std::memory_order_relaxed);
    Record& record = RecordOf(key);
    // A final body may be published before this first body: the functions of one object are
    // published one after another, so one of them may run and become hot before its own turn.
    if (is_final || !record.is_final || record.state != FunctionState::kReady) {
      record.body = body;
      record.entry = entry;
      record.is_final = is_final;
      record.state = FunctionState::kReady;
      if (record.stub) record.stub->Publish(entry);
    }
    if (is_final) {
      NoteAddresses(record);
      for (std::atomic<uint64_t>* table_entry : record.table_entries) {
        table_entry->store(body.value(), std::memory_order_release);
      }
    }
  }
  AwaitedWork::Tell();
}

void FunctionTable::Publish(FunctionKey key, ExecutorAddress body) {
  Publish(key, body, body, /*is_final=*/true);
}

void FunctionTable::PublishFirst(FunctionKey key, ExecutorAddress body, ExecutorAddress entry) {
  Publish(key, body, entry, /*is_final=*/false);
}

}  // namespace firstcall
