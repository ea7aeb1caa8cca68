#include "engine/precompiled.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/llvm_status.h"
#include "base/status.h"
#include "engine/object_image.h"
#include "llvm/Object/Archive.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

namespace firstcall {
namespace {

absl::StatusOr<std::unique_ptr<llvm::MemoryBuffer>> ReadFile(const std::string& path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) {
    return absl::NotFoundError(
        absl::StrCat("cannot read '", path, "': ", buffer.getError().message()));
  }
  return std::move(*buffer);
}

absl::string_view View(llvm::StringRef text) { return {text.data(), text.size()}; }

}  // namespace

absl::Status PrecompiledObjects::Add(std::string name, absl::string_view contents,
                                     bool is_archive_member, LibraryId library,
                                     Definitions& definitions) {
  std::unique_ptr<OwnedCode> code = code_space_.MakeOwner();
  FIRSTCALL_ASSIGN_OR_RETURN(DsoHandle * dso_handle,
                             exit_handlers_.MakeHandle(*code, code_space_.NearFor(false)));
  auto object = std::make_unique<LazyObject>(std::move(name), /*object_module=*/nullptr, library,
                                             std::move(code), *dso_handle);
  object->bytes.assign(contents.begin(), contents.end());
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<ObjectImage> image,
                             ObjectImage::Parse(absl::MakeSpan(object->bytes), object->name));
  const auto host = llvm::Triple(llvm::sys::getProcessTriple()).getArch();
  if (image->architecture() != host) {
    return absl::InvalidArgumentError(
        absl::StrCat("object '", object->name, "' was not compiled for this machine"));
  }
  FIRSTCALL_ASSIGN_OR_RETURN(std::vector<ObjectImage::LifecyclePointer> lifecycle,
                             image->LifecyclePointers());
  // The last step that can fail: `definitions` keeps the object's address.
  FIRSTCALL_RETURN_IF_ERROR(
      definitions.Add(*object, image->DescribeDefinitions(), is_archive_member));
  absl::MutexLock lock(&mutex_);
  if (!lifecycle.empty() && !is_archive_member) with_constructors_.push_back(object.get());
  objects_.push_back(std::move(object));
  return absl::OkStatus();
}

std::vector<LazyObject*> PrecompiledObjects::ObjectsWithConstructors() {
  absl::MutexLock lock(&mutex_);
  return with_constructors_;
}

absl::Status PrecompiledObjects::AddObjectFile(const std::string& path, LibraryId library,
                                               Definitions& definitions) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<llvm::MemoryBuffer> file, ReadFile(path));
  return Add(path, View(file->getBuffer()), /*is_archive_member=*/false, library, definitions);
}

absl::Status PrecompiledObjects::AddArchive(const std::string& path, LibraryId library,
                                            Definitions& definitions) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<llvm::MemoryBuffer> file, ReadFile(path));
  const std::string operation = absl::StrCat("reading archive '", path, "'");
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<llvm::object::Archive> archive,
                             FromLlvm(llvm::object::Archive::create(file->getMemBufferRef()),
                                      absl::StatusCode::kInvalidArgument, operation));
  llvm::Error error = llvm::Error::success();
  absl::Status status;
  for (const llvm::object::Archive::Child& member : archive->children(error)) {
    llvm::Expected<llvm::MemoryBufferRef> contents = member.getMemoryBufferRef();
    status =
        contents
            ? Add(absl::StrCat(path, "(", View(contents->getBufferIdentifier()), ")"),
                  View(contents->getBuffer()), /*is_archive_member=*/true, library, definitions)
            : FromLlvm(contents.takeError(), absl::StatusCode::kInvalidArgument, operation);
    if (!status.ok()) break;
  }
  absl::Status walk = FromLlvm(std::move(error), absl::StatusCode::kInvalidArgument, operation);
  return status.ok() ? walk : status;
}

}  // namespace firstcall
