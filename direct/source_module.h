// A source module of bitcode as the compiler half without LLVM keeps it: its bytes, what was read
// of them, and the index of its symbols.
//
// Thread-safe.

#ifndef FIRSTCALL_DIRECT_SOURCE_MODULE_H_
#define FIRSTCALL_DIRECT_SOURCE_MODULE_H_

#include <atomic>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "base/file_contents.h"
#include "base/ids.h"
#include "base/module_contents.h"
#include "bitcode/module.h"
#include "direct/symbol_numbers.h"
#include "seam/symbol_index.h"

namespace firstcall::direct {

// What was read of a source module: all but the bodies. Constant after construction, but for a
// flag, and thread-safe.
struct ReadModule {
  ReadModule(std::shared_ptr<const FileContents> settled_bytes,
             std::unique_ptr<bitcode::BitcodeModule> read_source,
             std::shared_ptr<const SymbolIndex> symbol_index);

  const ir::Module& module() const { return source->module(); }

  const std::shared_ptr<const FileContents> bytes;
  const std::unique_ptr<bitcode::BitcodeModule> source;
  const std::shared_ptr<const SymbolIndex> index;
  const SymbolNumbers numbers;
  // A compiler gave `optnone` to all functions (seam/optnone.h): each definition is `noinline` or
  // `alwaysinline`.
  const bool is_unoptimized;
  // SourceModule::Forget was called: whoever keeps this for later gives it up.
  mutable std::atomic<bool> is_forgotten{false};
};

class SourceModule {
 public:
  // `index` is null if it is not known yet. Nothing is read.
  SourceModule(ModuleId id, ModuleContents contents, std::shared_ptr<const SymbolIndex> index)
      : id_(id), contents_(std::move(contents)), index_(std::move(index)) {}
  SourceModule(const SourceModule&) = delete;
  SourceModule& operator=(const SourceModule&) = delete;

  ModuleId id() const { return id_; }

  // What was read of the module, which is read now unless that was done before. Blocks while
  // another thread reads. Errors, which are kept unless they may pass: those of
  // FileContents::Settled, BitcodeModule::Read, CheckTarget, CheckOwnersOfLabels, CheckCodeTables
  // and ReadSymbolIndex; Unimplemented for text.
  absl::StatusOr<std::shared_ptr<const ReadModule>> Read() ABSL_LOCKS_EXCLUDED(mutex_);

  // Gives up what was read. It is read again when it is needed.
  void Forget() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  absl::Status ReadLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckIndex(const bitcode::BitcodeModule& source)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const ModuleId id_;
  absl::Mutex mutex_;  // Held while the module is read.
  ModuleContents contents_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const SymbolIndex> index_ ABSL_GUARDED_BY(mutex_);
  bool is_known_ ABSL_GUARDED_BY(mutex_) = false;  // The index was made from the contents.
  std::shared_ptr<const ReadModule> read_ ABSL_GUARDED_BY(mutex_);
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_SOURCE_MODULE_H_
