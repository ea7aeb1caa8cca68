// A piece of IR the user added, and the factory of its views.
//
// A source is an immutable bitcode buffer, or an llvm::Module in memory (from .ll text or from the
// user). Such a module becomes the first view itself; if a second thread needs a view, bitcode is
// written from the first one then, once. Bitcode and text can be left unread until the first view
// is needed.
//
// Thread-safe.

#ifndef FIRSTCALL_SPLITTER_MODULE_SOURCE_H_
#define FIRSTCALL_SPLITTER_MODULE_SOURCE_H_

#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "splitter/module_view.h"

namespace llvm {
class LLVMContext;
class MemoryBuffer;
class MemoryBufferRef;
class Module;
}  // namespace llvm

namespace firstcall {

class ModuleSource {
 public:
  // Maps the file `path` ("-": reads standard input) and decides by its first bytes whether it is
  // bitcode or assembly text. NotFound if it cannot be read; else as the factories below.
  static absl::StatusOr<std::unique_ptr<ModuleSource>> FromFile(const std::string& path);

  // The same without reading what is in the file: errors that FromFile has for its contents come
  // from Parse or OpenView.
  static absl::StatusOr<std::unique_ptr<ModuleSource>> FromFileUnparsed(const std::string& path);

  // Bitcode or text that is in memory, left unread in the same way.
  enum class Form { kBitcode, kText };
  static std::unique_ptr<ModuleSource> Unparsed(std::unique_ptr<llvm::MemoryBuffer> contents,
                                                Form form);

  // Bitcode, bare or in a wrapper, which the source keeps. InvalidArgument if this LLVM cannot read
  // it. Bodies are not looked at: one that is not valid IR is found when it is extracted.
  static absl::StatusOr<std::unique_ptr<ModuleSource>> FromBitcode(
      std::unique_ptr<llvm::MemoryBuffer> bitcode);

  // Assembly text, which is not needed afterwards. InvalidArgument with "file:line:column: error:
  // ..." if it does not parse, or with the function and the verifier's reason if it is not valid.
  static absl::StatusOr<std::unique_ptr<ModuleSource>> FromText(llvm::MemoryBufferRef text);

  // A module in memory and the context it lives in; neither may be used by anybody else any more.
  // InvalidArgument with the function and the verifier's reason if it is not valid.
  static absl::StatusOr<std::unique_ptr<ModuleSource>> FromModule(
      std::unique_ptr<llvm::LLVMContext> context, std::unique_ptr<llvm::Module> module);

  ModuleSource(const ModuleSource&) = delete;
  ModuleSource& operator=(const ModuleSource&) = delete;

  // The file's path or the module's identifier: what messages name it by.
  const std::string& name() const { return name_; }

  // Whether all bodies are known to be valid IR. If not, verify each one that is extracted.
  bool is_verified() const { return is_verified_; }

  // Whether a further view has every body again, also those that were moved out of others.
  bool is_reopenable() const { return !is_verified_; }

  // Reads the source unless that has been done; errors as the factories.
  absl::Status Parse() ABSL_LOCKS_EXCLUDED(mutex_);

  // A BLAKE3 digest of the source's contents, of 32 bytes. Takes time in proportion to them (some
  // 0.3 ms for a MB, but for a module given in memory that of writing it as bitcode); do not hold
  // the mutex of a view, and for such a module ask before anything was moved out of one.
  std::string ContentDigest() ABSL_LOCKS_EXCLUDED(mutex_);

  // A view of the caller's own. The first one costs nothing but what Parse does; a further one is
  // parsed, in time
  // proportional to the number of symbols (for a module given in memory the first time also to its
  // size, and the call waits until nobody uses the first view).
  absl::StatusOr<std::shared_ptr<ModuleView>> OpenView() ABSL_LOCKS_EXCLUDED(mutex_);

  // Sees to it that there will be further views of a module given in memory after ForgetFirstView,
  // with what is in the first one by now. Takes time in proportion to it, and waits until nobody
  // uses it.
  void KeepAsBitcode() ABSL_LOCKS_EXCLUDED(mutex_);

  // Lets go of what is kept to make further views from. For a module given in memory there will be
  // none afterwards, unless its bitcode was written before.
  void ForgetFirstView() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  ModuleSource(std::string name, bool is_verified, std::shared_ptr<llvm::MemoryBuffer> bitcode,
               std::unique_ptr<llvm::MemoryBuffer> text, std::shared_ptr<ModuleView> first_view);

  absl::Status ParseLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string name_;
  const bool is_verified_;
  absl::Mutex mutex_;
  // Null for text, and for a module given in memory, until it had to be written.
  std::shared_ptr<llvm::MemoryBuffer> bitcode_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<llvm::MemoryBuffer> text_ ABSL_GUARDED_BY(mutex_);  // Until it is parsed.
  // Kept until it was handed out and is not needed to write bitcode from.
  std::shared_ptr<ModuleView> first_view_ ABSL_GUARDED_BY(mutex_);
  bool first_view_is_taken_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_MODULE_SOURCE_H_
