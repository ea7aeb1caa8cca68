// A piece of IR that the user has added, and the factory of its views.
//
// A source is an immutable bitcode buffer, or an llvm::Module in memory (from .ll text or from the
// user). Such a module itself becomes the first view; when a second thread needs a view, bitcode is
// written from the first one, once. Bitcode and text can be left unread until the first view is
// needed.
//
// Thread-safe.

#ifndef FIRSTCALL_SPLITTER_MODULE_SOURCE_H_
#define FIRSTCALL_SPLITTER_MODULE_SOURCE_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "base/module_contents.h"
#include "splitter/bitcode_digests.h"
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
  // Bitcode or text, which is left unread: errors that the factories below have for the contents,
  // and those of FileContents::Settled, come from Parse or OpenView.
  static std::unique_ptr<ModuleSource> FromContents(ModuleContents contents);
  static std::unique_ptr<ModuleSource> Unparsed(std::unique_ptr<llvm::MemoryBuffer> contents,
                                                ModuleContents::Form form);

  // Bitcode, bare or in a wrapper, which the source keeps. InvalidArgument if this LLVM cannot read
  // it. Bodies are not checked: an invalid one is found when it is extracted.
  static absl::StatusOr<std::unique_ptr<ModuleSource>> FromBitcode(
      std::unique_ptr<llvm::MemoryBuffer> bitcode);

  // Assembly text, which is not needed afterwards. InvalidArgument with "file:line:column: error:
  // ..." if it does not parse, or with the function and the verifier's reason if it is not valid.
  static absl::StatusOr<std::unique_ptr<ModuleSource>> FromText(llvm::MemoryBufferRef text);

  // A module in memory and the context it lives in; no other code may use either any more.
  // InvalidArgument with the function and the verifier's reason if it is not valid.
  static absl::StatusOr<std::unique_ptr<ModuleSource>> FromModule(
      std::unique_ptr<llvm::LLVMContext> context, std::unique_ptr<llvm::Module> module);

  ~ModuleSource();
  ModuleSource(const ModuleSource&) = delete;
  ModuleSource& operator=(const ModuleSource&) = delete;

  // The name for messages: the file's path or the module's identifier.
  const std::string& name() const { return name_; }

  // Whether all bodies are known to be valid IR. If not, verify each one that is extracted.
  bool is_verified() const { return is_verified_; }

  // Whether a new view has every body again, including those that were moved out of other views.
  bool is_reopenable() const { return !is_verified_; }

  // Reads the source unless it has been read; errors as the factories.
  absl::Status Parse() ABSL_LOCKS_EXCLUDED(mutex_);

  // A BLAKE3 digest, 32 bytes long, of the source's contents. Takes time proportional to their size
  // (some 0.3 ms per MB; for a module given in memory, the time of writing it as bitcode). Do not
  // hold the mutex of a view. For a module given in memory, call before anything is moved out of a
  // view.
  std::string ContentDigest() ABSL_LOCKS_EXCLUDED(mutex_);

  // Digests of the parts of the bitcode that the source was made from. Unimplemented if it was made
  // from something else; InvalidArgument if the bitcode is damaged.
  absl::StatusOr<BitcodeDigests> DigestParts() ABSL_LOCKS_EXCLUDED(mutex_);

  // A view for the caller alone. The first one costs nothing besides Parse. Each further one is
  // parsed, in time proportional to the number of symbols; for a module given in memory, the first
  // further view is made from the first view. So it also takes time proportional to the module's
  // size, and blocks until the first view is not in use. A caller that changes the first view must
  // call KeepAsBitcode before.
  absl::StatusOr<std::shared_ptr<ModuleView>> OpenView() ABSL_LOCKS_EXCLUDED(mutex_);

  // Makes views of a module given in memory possible after ForgetFirstView. They have the contents
  // that the first view has now. Takes time proportional to the contents, and waits until the first
  // view is not in use.
  void KeepAsBitcode() ABSL_LOCKS_EXCLUDED(mutex_);

  // Releases what is kept for making further views. After this call, a module given in memory can
  // have no further views, unless its bitcode was written before.
  void ForgetFirstView() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  ModuleSource(std::string name, bool is_verified, std::shared_ptr<llvm::MemoryBuffer> bitcode,
               std::unique_ptr<llvm::MemoryBuffer> text, std::shared_ptr<ModuleView> first_view);

  absl::Status ReadLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status ParseLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string name_;
  const bool is_verified_;
  absl::Mutex mutex_;
  std::optional<ModuleContents> unread_ ABSL_GUARDED_BY(mutex_);  // Until the contents are needed.
  // Null for text and for a module given in memory, until bitcode had to be written.
  std::shared_ptr<llvm::MemoryBuffer> bitcode_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<llvm::MemoryBuffer> text_ ABSL_GUARDED_BY(mutex_);  // Until it is parsed.
  // Kept until it has been handed out and is not needed to write bitcode from it.
  std::shared_ptr<ModuleView> first_view_ ABSL_GUARDED_BY(mutex_);
  bool first_view_is_taken_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_MODULE_SOURCE_H_
