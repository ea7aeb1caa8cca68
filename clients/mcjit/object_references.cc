#include "clients/mcjit/object_references.h"

#include <memory>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "llvm/Object/Binary.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/Error.h"

namespace firstcall {

std::vector<std::string> UndefinedIn(const llvm::object::ObjectFile& object) {
  std::vector<std::string> names;
  for (const llvm::object::SymbolRef& symbol : object.symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (flags && name && (*flags & llvm::object::SymbolRef::SF_Undefined) != 0) {
      names.push_back(name->str());
    }
    llvm::consumeError(flags.takeError());
    llvm::consumeError(name.takeError());
  }
  return names;
}

// MCJIT takes the first archive, and in that the first member, that defines a name.
void ArchiveReferences::Add(const llvm::object::Archive& archive) {
  for (const llvm::object::Archive::Symbol& symbol : archive.symbols()) {
    llvm::Expected<llvm::object::Archive::Child> child = symbol.getMember();
    if (child) {
      members_.try_emplace(symbol.getName().str(), Member{archives_.size(), *std::move(child)});
    }
    llvm::consumeError(child.takeError());
  }
  archives_.emplace_back();
}

const std::vector<std::string>& ArchiveReferences::UndefinedInMember(const Member& member) {
  const auto [found, is_new] = archives_[member.archive].try_emplace(member.child.getChildOffset());
  if (!is_new) return found->second;
  llvm::Expected<std::unique_ptr<llvm::object::Binary>> binary = member.child.getAsBinary();
  if (binary) {
    if (const auto* object = llvm::dyn_cast<llvm::object::ObjectFile>(binary->get())) {
      found->second = UndefinedIn(*object);
    }
  }
  llvm::consumeError(binary.takeError());
  return found->second;
}

std::vector<std::string> ArchiveReferences::WithMembersOf(std::vector<std::string> names) {
  if (members_.empty()) return names;
  absl::flat_hash_set<std::string> known(names.begin(), names.end());
  for (size_t i = 0; i < names.size(); ++i) {
    const auto member = members_.find(names[i]);
    if (member == members_.end()) continue;
    for (const std::string& name : UndefinedInMember(member->second)) {
      if (known.insert(name).second) names.push_back(name);
    }
  }
  return names;
}

}  // namespace firstcall
