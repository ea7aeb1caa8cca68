// The names that MCJIT will ask for when it next binds references: those that its modules and
// object files do not define, and those that the members of archives do not define which MCJIT will
// link for them.
//
// Thread-compatible. Tested in tests/clients/mcjit/unbound_references_test.cc.

#ifndef FIRSTCALL_CLIENTS_MCJIT_UNBOUND_REFERENCES_H_
#define FIRSTCALL_CLIENTS_MCJIT_UNBOUND_REFERENCES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "clients/mcjit/object_references.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ObjectFile.h"

namespace firstcall {

class UnboundReferences {
 public:
  // MCJIT will ask for `names`.
  void Add(std::vector<std::string> names);
  // MCJIT has `object`, or `archive`, which must outlive this object.
  void AddObject(const llvm::object::ObjectFile& object);
  void AddArchive(const llvm::object::Archive& archive);
  // MCJIT has bound all references.
  void Clear() { names_.clear(); }

  const std::vector<std::string>& names() const { return names_; }
  // How often names were added until now. A caller compares two answers to notice an addition.
  uint64_t additions() const { return additions_; }

  // Whether MCJIT has object files or archives, whose definitions MCJIT alone knows.
  bool has_files() const { return has_files_; }
  // Whether an archive has a member that defines the name.
  bool IsInArchive(const std::string& object_name) const { return archives_.Define(object_name); }

 private:
  std::vector<std::string> names_;
  uint64_t additions_ = 0;
  bool has_files_ = false;
  ArchiveReferences archives_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_MCJIT_UNBOUND_REFERENCES_H_
