// A line of text that says from what and how an object was compiled. Objects with the same
// signature are the same code.
//
// Thread-safe: pure functions. Tested in tests/api/cache_test.cc.

#ifndef FIRSTCALL_ENGINE_SIGNATURE_H_
#define FIRSTCALL_ENGINE_SIGNATURE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "base/file_contents.h"
#include "cache/object_cache.h"
#include "engine/options.h"

namespace firstcall {

// The digest (base/content_digest) of a source module's contents: they are not read if `cache`
// remembers the digest of the file.
std::string DigestOf(const FileContents& contents, ObjectCache& cache);

// The signature of the objects of a source with the given digest: firstcall's format and build, the
// compiler's identity (CompilerProvider::Identity), the source, all settings of the target, this
// machine's CPU if the settings do not name one, the mode, whether the code is far, whether
// functions check their own counters (Tier::kAuto), and the client's additions.
std::string SignatureOf(absl::string_view digest, absl::string_view compiler,
                        const EngineOptions& options, bool is_far);

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_SIGNATURE_H_
