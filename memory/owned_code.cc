#include "memory/owned_code.h"

#include <utility>

namespace firstcall {
namespace {

// Another process's variables are written at another address than where they are.
bool HasVariables(const MemoryBlock& block) {
  return block.segment == Segment::kData && block.size != 0 &&
         block.run == ExecutorAddress::Of(block.write);
}

}  // namespace

absl::Mutex OwnedCode::mutex_(absl::kConstInit);

OwnedCode::OwnedCode(std::shared_ptr<MemoryManager> memory,
                     std::shared_ptr<UnwindRegistry> unwind_registry)
    : memory_(std::move(memory)),
      unwind_registry_(std::move(unwind_registry)),
      variable_memory_(VariableMemory::OfProcess()) {}

// No lock is needed: no other thread may use an object that is being destroyed.
OwnedCode::~OwnedCode() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  unwind_registry_->Withdraw(unwind_tables_);
  for (const std::function<void()>& action : on_free_) action();
  variables_.clear();
  memory_->Free(blocks_);
}

void OwnedCode::Free(absl::Span<const MemoryBlock> blocks) const { memory_->Free(blocks); }

void OwnedCode::Add(absl::Span<const MemoryBlock> blocks,
                    absl::Span<const UnwindTable> unwind_tables) {
  absl::MutexLock lock(&mutex_);
  blocks_.insert(blocks_.end(), blocks.begin(), blocks.end());
  for (const MemoryBlock& block : blocks) {
    if (HasVariables(block)) variables_.emplace_back(variable_memory_, block.write, block.size);
  }
  unwind_tables_.insert(unwind_tables_.end(), unwind_tables.begin(), unwind_tables.end());
}

void OwnedCode::OnFree(std::function<void()> action) {
  absl::MutexLock lock(&mutex_);
  on_free_.push_back(std::move(action));
}

void OwnedCode::Note(ThreadLocalModule& thread_locals) {
  absl::MutexLock lock(&mutex_);
  thread_locals_.push_back(&thread_locals);
}

OwnedCode::Variables OwnedCode::variables() const {
  absl::MutexLock lock(&mutex_);
  Variables variables;
  for (const MemoryBlock& block : blocks_) {
    if (!HasVariables(block)) continue;
    variables.data.emplace_back(reinterpret_cast<const char*>(block.write), block.size);
  }
  variables.thread_locals = thread_locals_;
  return variables;
}

size_t OwnedCode::code_bytes() const {
  absl::MutexLock lock(&mutex_);
  size_t bytes = 0;
  for (const MemoryBlock& block : blocks_) {
    if (block.segment == Segment::kCode) bytes += block.size;
  }
  return bytes;
}

}  // namespace firstcall
