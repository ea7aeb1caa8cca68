// A pack: the index and the objects of a source module that a compile server has, in the form in
// which a cache would keep them (cache/object_cache.h), in one memory file for many processes.
//
// A pack is found by a key: a digest of the compiler's settings and of the module's signature,
// which has a digest of the module's contents.
//
// Thread-safe: immutable after construction. Tested in tests/services/server/object_pack_test.cc.

#ifndef FIRSTCALL_SERVICES_SERVER_OBJECT_PACK_H_
#define FIRSTCALL_SERVICES_SERVER_OBJECT_PACK_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/byte_buffer.h"
#include "base/file.h"
#include "base/file_contents.h"
#include "cache/object_cache.h"

namespace firstcall {

// The key of a pack: 32 bytes. `settings` is the result of EncodeSettings.
std::string PackKey(absl::string_view settings, absl::string_view signature);

// The digest (base/content_digest) of the contents of the module that `signature`
// (engine/signature) belongs to. Empty if the text is no signature.
std::string SourceDigestOf(absl::string_view signature);

class ObjectPack {
 public:
  static std::string Encode(const std::map<ModulePart, absl::string_view>& entries);

  // Maps `file`, which may come from a process that is not trusted, and need not stay open.
  // InvalidArgument if the file is not sealed (services/server/sealed_bytes.h), or not a pack;
  // ResourceExhausted if it cannot be mapped.
  static absl::StatusOr<ObjectPack> Read(const File& file);
  // The same, for a pack in memory.
  static absl::StatusOr<ObjectPack> Parse(std::shared_ptr<const FileContents> contents);

  // A copy of the entry of a part; nothing if there is none.
  std::optional<ByteBuffer> Find(ModulePart part) const;
  bool Has(ModulePart part) const { return entries_.contains(part); }

  // Where each part's entry lies in the file.
  struct Place {
    uint64_t begin = 0;
    uint32_t size = 0;
  };
  const absl::flat_hash_map<ModulePart, Place>& entries() const { return entries_; }

 private:
  std::shared_ptr<const FileContents> contents_;
  absl::flat_hash_map<ModulePart, Place> entries_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_SERVER_OBJECT_PACK_H_
