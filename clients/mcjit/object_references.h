// The names that object files and members of archives leave undefined: what MCJIT will ask for when
// it binds their references.
//
// ArchiveReferences is thread-compatible. Tested in tests/clients/mcjit/lazy_engine_test.cc.

#ifndef FIRSTCALL_CLIENTS_MCJIT_OBJECT_REFERENCES_H_
#define FIRSTCALL_CLIENTS_MCJIT_OBJECT_REFERENCES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ObjectFile.h"

namespace firstcall {

// The names that `object` leaves undefined.
std::vector<std::string> UndefinedIn(const llvm::object::ObjectFile& object);

// The archives of an engine, of which MCJIT links the members that define what it looks for.
class ArchiveReferences {
 public:
  // `archive` must outlive this object.
  void Add(const llvm::object::Archive& archive);

  // Whether a member of one of them defines the name.
  bool Define(const std::string& name) const { return members_.contains(name); }

  // `names`, and what the members that define some of them leave undefined, and so on. Reads those
  // members. What is damaged defines nothing, and leaves nothing undefined.
  std::vector<std::string> WithMembersOf(std::vector<std::string> names);

 private:
  // What the members of one archive leave undefined, by their offsets, once they were read.
  using Undefined = absl::flat_hash_map<uint64_t, std::vector<std::string>>;
  struct Member {
    size_t archive;  // Its place in `archives_`.
    llvm::object::Archive::Child child;
  };

  const std::vector<std::string>& UndefinedInMember(const Member& member);

  std::vector<Undefined> archives_;
  absl::flat_hash_map<std::string, Member> members_;  // By the names that they define.
};

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_MCJIT_OBJECT_REFERENCES_H_
