// The bytes that a source module is made of.
//
// Plain values. Tested in tests/base/module_contents_test.cc.

#ifndef FIRSTCALL_BASE_MODULE_CONTENTS_H_
#define FIRSTCALL_BASE_MODULE_CONTENTS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/file_contents.h"

namespace firstcall {

struct ModuleContents {
  enum class Form { kBitcode, kText };

  // Reads the file `path` ("-": standard input), and decides by its first bytes whether it is
  // bitcode or assembly text. NotFound if it cannot be read; InvalidArgument if it is neither.
  static absl::StatusOr<ModuleContents> Read(const std::string& path);

  std::string name;  // For messages: the file's path.
  Form form = Form::kBitcode;
  std::shared_ptr<const FileContents> bytes;
  // ContentDigest of the bytes, if something that was made of them may be used; otherwise empty.
  std::string digest = "";
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_MODULE_CONTENTS_H_
