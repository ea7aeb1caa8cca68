// Reads a Mach-O object into the form in which the runtime half links, caches and registers all
// code: an ELF object (ADR 26). Everything behind it knows one container only.
//
// Names lose the underscore that Mach-O puts in front of C's names. Sections get the names and
// protections that ELF has for what they are. Sections that only linkers of Apple's read are left
// out.
//
// Thread-safe: pure functions.

#ifndef FIRSTCALL_OBJECT_MACHO_TO_ELF_H_
#define FIRSTCALL_OBJECT_MACHO_TO_ELF_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "object/object_bytes.h"

namespace firstcall {

// Whether `bytes` begin as a Mach-O object of 64 bits does.
bool IsMacho(absl::string_view bytes);

struct MachoToElfOptions {
  // The names that some sections shall have, by their own names.
  absl::flat_hash_map<std::string, std::string> section_names;
  // The same for symbols, by their names without the underscore.
  absl::flat_hash_map<std::string, std::string> symbol_names;
  // For the section .comment, which Mach-O has not; no such section if it is empty.
  std::string comment;
};

// Returns the ELF object of the Mach-O object `bytes`. InvalidArgument if `bytes` are damaged, or
// no Mach-O object for x86-64 or AArch64; Unimplemented, with the name of the symbol or section, if
// the object has something that is not supported.
absl::StatusOr<ObjectBytes> MachoToElf(absl::string_view bytes,
                                       const MachoToElfOptions& options = {});

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_MACHO_TO_ELF_H_
