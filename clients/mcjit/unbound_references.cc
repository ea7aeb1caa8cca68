#include "clients/mcjit/unbound_references.h"

#include <utility>

namespace firstcall {

void UnboundReferences::Add(std::vector<std::string> names) {
  names = archives_.WithMembersOf(std::move(names));
  names_.insert(names_.end(), names.begin(), names.end());
  ++additions_;
}

void UnboundReferences::AddObject(const llvm::object::ObjectFile& object) {
  has_files_ = true;
  Add(UndefinedIn(object));
}

void UnboundReferences::AddArchive(const llvm::object::Archive& archive) {
  has_files_ = true;
  archives_.Add(archive);
  // Members of the new archive may define what was added before.
  Add(std::exchange(names_, {}));
}

}  // namespace firstcall
