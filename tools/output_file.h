// A file that a listener writes while the program runs. If it cannot be written, a warning says so,
// once, and nothing more is written.
//
// The name is meant in the directory that is the working directory when the object is made.
//
// Thread-safe. A forked child writes a file of its own, with its process id in place of "%p" in the
// name; without that, a child writes nothing. Tested in tests/command/observation_test.cc.

#ifndef FIRSTCALL_TOOLS_OUTPUT_FILE_H_
#define FIRSTCALL_TOOLS_OUTPUT_FILE_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "base/kept_file.h"

namespace firstcall {

class OutputFile {
 public:
  // Who has chosen the name.
  enum class Name {
    kUsers,      // The user: what is there is written to, also through links, or a pipe.
    kGenerated,  // A rule that others know: the file is made anew (tools/new_file.h).
  };

  // `header` begins each file. The file is created when something is first written.
  OutputFile(const std::string& name, std::string header, Name kind = Name::kUsers);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Writes at once, because the program may end in any way.
  void Write(absl::string_view bytes) ABSL_LOCKS_EXCLUDED(mutex_);
  // Adds to what the next Write, or WriteFooter, writes.
  void Prepare(absl::string_view bytes) ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends the file as it is now with `footer`. If the file is not a pipe or a terminal, what is
  // written later overwrites the footer.
  void WriteFooter(absl::string_view footer) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  bool Open() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WritePrepared() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WriteOut(absl::string_view bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string name_;
  const Name kind_;
  const std::string header_;
  const uint64_t maker_;  // See ProcessIdentity.
  absl::Mutex mutex_;
  std::string path_ ABSL_GUARDED_BY(mutex_);  // The name, with the number of the process.
  std::optional<KeptFile> file_ ABSL_GUARDED_BY(mutex_);
  uint64_t owner_ ABSL_GUARDED_BY(mutex_) = 0;  // That has opened the file.
  bool has_failed_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_stream_ ABSL_GUARDED_BY(mutex_) = false;  // A pipe, or a terminal.
  off_t end_ ABSL_GUARDED_BY(mutex_) = 0;
  std::string prepared_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_OUTPUT_FILE_H_
