// What a compile server knows of a source module: its index, and objects, as a cache would keep
// them (cache/object_cache.h), in one sequence of bytes, which many processes can map.
//
// A pack is found by a key: a digest of the module's signature, which has a digest of its contents,
// and of the settings that the compiler had.
//
// Thread-safe: immutable after construction. Tested in tests/remote/object_pack_test.cc.

#ifndef FIRSTCALL_REMOTE_OBJECT_PACK_H_
#define FIRSTCALL_REMOTE_OBJECT_PACK_H_

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file_contents.h"
#include "cache/object_cache.h"

namespace firstcall {

// 32 bytes. `settings` is of EncodeSettings.
std::string PackKey(absl::string_view settings, absl::string_view signature);

// Whether `signature` is one of a module with these contents.
bool IsSignatureOf(absl::string_view signature, absl::string_view contents);

class ObjectPack {
 public:
  static std::string Encode(const std::map<ModulePart, std::string>& entries);

  // Keeps `bytes`, which may come from a process that is not trusted. InvalidArgument if they are
  // not a pack.
  static absl::StatusOr<ObjectPack> Read(std::shared_ptr<const FileContents> bytes);

  // The entry of a part, which exists as long as the pack; nothing if there is none.
  std::optional<absl::string_view> Find(ModulePart part) const;

  const absl::flat_hash_map<ModulePart, absl::string_view>& entries() const { return entries_; }

 private:
  std::shared_ptr<const FileContents> bytes_;
  absl::flat_hash_map<ModulePart, absl::string_view> entries_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_REMOTE_OBJECT_PACK_H_
