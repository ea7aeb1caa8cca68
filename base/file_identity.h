// Tells whether a file is still the one that was read, without reading it again.
//
// Plain values. Tested in tests/base/file_contents_test.cc.

#ifndef FIRSTCALL_BASE_FILE_IDENTITY_H_
#define FIRSTCALL_BASE_FILE_IDENTITY_H_

#include <cstdint>

namespace firstcall {

// What the file system says of a file. It changes whenever a program writes to the file: nobody can
// set the time of the last change, so only a second write that follows too quickly for the clock of
// the file system goes unnoticed (IsSettled).
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t size = 0;
  int64_t modified = 0;  // In nanoseconds since the epoch.
  int64_t changed = 0;   // The same; of the contents or the attributes.

  // Whether a write from now on, at `now` nanoseconds since the epoch, would change the identity.
  // Clocks of file systems count in steps of up to two seconds.
  bool IsSettled(int64_t now) const { return changed < now - 2'000'000'000; }

  // The same file with the same contents; its attributes may be others.
  bool HasContentsOf(const FileIdentity& other) const {
    return device == other.device && inode == other.inode && size == other.size &&
           modified == other.modified;
  }

  friend bool operator==(const FileIdentity& a, const FileIdentity& b) {
    return a.device == b.device && a.inode == b.inode && a.size == b.size &&
           a.modified == b.modified && a.changed == b.changed;
  }
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_FILE_IDENTITY_H_
