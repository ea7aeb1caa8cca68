// Remembers the digests of files, so that a file that has not changed need not be read again.
//
// The table is one file, `digests`, of a cache's directory, with a fixed number of places. A digest
// overwrites the one that had its place before. A place carries a checksum: what two processes have
// written at once, or what is damaged, is no digest.
//
// Thread-safe: pure functions. Any number of processes may share a directory.

#ifndef FIRSTCALL_CACHE_DIGEST_TABLE_H_
#define FIRSTCALL_CACHE_DIGEST_TABLE_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "base/file_identity.h"

namespace firstcall {

inline constexpr char kDigestTableName[] = "digests";

// The digest that was remembered for `file`, or nothing. `directory` is an open descriptor; nothing
// is returned if another user may have written the table.
std::optional<std::string> FindDigest(int directory, const FileIdentity& file);

// Remembers the digest, of 32 bytes, of `file`, unless it was changed so lately that a further
// change might go unnoticed, or the table cannot be written.
void RememberDigest(int directory, const FileIdentity& file, absl::string_view digest);

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_DIGEST_TABLE_H_
