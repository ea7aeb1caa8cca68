#include "engine/object_files.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/llvm_status.h"
#include "base/status.h"
#include "llvm/Object/Archive.h"
#include "llvm/Support/MemoryBuffer.h"

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

}  // namespace

absl::StatusOr<ObjectBytes> ReadObjectFile(const std::string& path) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<llvm::MemoryBuffer> file, ReadFile(path));
  return file->getBuffer().str();
}

absl::Status ForEachMember(
    const std::string& path,
    absl::FunctionRef<absl::Status(std::string name, ObjectBytes contents)> action) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<llvm::MemoryBuffer> file, ReadFile(path));
  const std::string operation = absl::StrCat("reading archive '", path, "'");
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<llvm::object::Archive> archive,
                             FromLlvm(llvm::object::Archive::create(file->getMemBufferRef()),
                                      absl::StatusCode::kInvalidArgument, operation));
  llvm::Error error = llvm::Error::success();
  absl::Status status;
  for (const llvm::object::Archive::Child& member : archive->children(error)) {
    llvm::Expected<llvm::MemoryBufferRef> contents = member.getMemoryBufferRef();
    status = contents
                 ? action(absl::StrCat(path, "(", contents->getBufferIdentifier().str(), ")"),
                          contents->getBuffer().str())
                 : FromLlvm(contents.takeError(), absl::StatusCode::kInvalidArgument, operation);
    if (!status.ok()) break;
  }
  absl::Status walk = FromLlvm(std::move(error), absl::StatusCode::kInvalidArgument, operation);
  return status.ok() ? walk : status;
}

}  // namespace firstcall
