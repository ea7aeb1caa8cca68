#include "runtime/link/precompiled.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "object/elf_object.h"
#include "object/machine.h"
#include "object/macho_to_elf.h"

namespace firstcall {
namespace {

// Objects of both containers are linked in one form.
absl::StatusOr<ObjectBytes> InCommonForm(ObjectBytes contents, absl::string_view name) {
  if (!IsMacho(contents)) return contents;
  absl::StatusOr<ObjectBytes> elf = MachoToElf(contents);
  if (elf.ok()) return elf;
  return Annotate(elf.status(), absl::StrCat("reading Mach-O object '", name, "'"));
}

}  // namespace

absl::Status PrecompiledObjects::Add(std::string name, ObjectBytes contents, bool is_archive_member,
                                     LibraryId library, Definitions& definitions) {
  std::unique_ptr<OwnedCode> code = code_space_.MakeOwner();
  FIRSTCALL_ASSIGN_OR_RETURN(DsoHandle * dso_handle,
                             exit_handlers_.MakeHandle(*code, code_space_.NearFor(false)));
  auto object = std::make_unique<LazyObject>(std::move(name), /*object_module=*/nullptr, library,
                                             std::move(code), *dso_handle);
  object->is_archive_member = is_archive_member;
  FIRSTCALL_ASSIGN_OR_RETURN(object->bytes, InCommonForm(std::move(contents), object->name));
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<ElfObject> image,
                             ElfObject::Parse(absl::MakeSpan(object->bytes), object->name));
  if (image->machine() != HostMachine()) {
    return absl::InvalidArgumentError(
        absl::StrCat("object '", object->name, "' was not compiled for this machine"));
  }
  FIRSTCALL_ASSIGN_OR_RETURN(std::vector<ElfObject::LifecyclePointer> lifecycle,
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

}  // namespace firstcall
