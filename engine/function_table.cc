// A record's state is written under the mutex only. A slot is written last, after state and body,
// by the release store in Stub::Publish; whoever jumps through it needs no lock.

#include "engine/function_table.h"

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace firstcall {

ExecutorAddress FunctionTable::HandleFirstCall(void* owner) {
  // Key and table are constant from before the stub's address was given out.
  const auto* record = static_cast<const Record*>(owner);
  return record->table->on_first_call_(record->key);
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
    FIRSTCALL_ASSIGN_OR_RETURN(record.stub, stubs_.Make(&record));
    if (record.state == FunctionState::kReady) record.stub->Publish(record.body);
  }
  return record.stub->address();
}

std::optional<ExecutorAddress> FunctionTable::BodyOf(FunctionKey key) const {
  absl::MutexLock lock(&mutex_);
  auto found = records_.find(key);
  if (found == records_.end() || found->second->state != FunctionState::kReady) return std::nullopt;
  return found->second->body;
}

absl::Status FunctionTable::CompileOnce(FunctionKey key,
                                        absl::FunctionRef<absl::Status()> compile) {
  Record* record;
  {
    absl::MutexLock lock(&mutex_);
    record = &RecordOf(key);
    if (record->state == FunctionState::kCompiling &&
        record->compiling_thread == std::this_thread::get_id()) {
      return absl::FailedPreconditionError(absl::StrCat(
          "function '", key.module->index().at(key.ordinal).name, "' is needed to compile itself"));
    }
    mutex_.Await(absl::Condition(
        +[](Record* waited) { return waited->state != FunctionState::kCompiling; }, record));
    if (record->state == FunctionState::kReady) return absl::OkStatus();
    if (record->state == FunctionState::kFailed) return record->status;
    record->state = FunctionState::kCompiling;
    record->compiling_thread = std::this_thread::get_id();
  }
  // If `compile` leaves by an exception (from a callback of the client's), nobody may wait forever.
  absl::Status status = absl::InternalError("compiling was left by an exception");
  absl::Cleanup settle = [&] {
    absl::MutexLock lock(&mutex_);
    if (record->state != FunctionState::kCompiling) return;
    if (status.ok()) status = absl::InternalError("compiled, but not published");
    record->state = FunctionState::kFailed;
    record->status = status;
  };
  status = compile();
  std::move(settle).Invoke();
  return status;
}

void FunctionTable::TakeOver(FunctionKey key) {
  absl::MutexLock lock(&mutex_);
  RecordOf(key).compiling_thread = std::this_thread::get_id();
}

bool FunctionTable::Claim(FunctionKey key) {
  absl::MutexLock lock(&mutex_);
  Record& record = RecordOf(key);
  if (record.state != FunctionState::kStub) return false;
  record.state = FunctionState::kCompiling;
  record.compiling_thread = std::this_thread::get_id();
  return true;
}

void FunctionTable::Release(FunctionKey key) {
  absl::MutexLock lock(&mutex_);
  RecordOf(key).state = FunctionState::kStub;
}

void FunctionTable::Publish(FunctionKey key, ExecutorAddress body) {
  absl::MutexLock lock(&mutex_);
  Record& record = RecordOf(key);
  record.body = body;
  record.state = FunctionState::kReady;
  if (record.stub) record.stub->Publish(body);
}

}  // namespace firstcall
