// The text in the .comment section of a cached object that identifies the object. Tested in
// tests/api/cache_test.cc.

#ifndef FIRSTCALL_SEAM_IDENTIFICATION_H_
#define FIRSTCALL_SEAM_IDENTIFICATION_H_

#include <string>

namespace firstcall {

struct Identification {
  std::string part;       // The part of the source module.
  std::string signature;  // The source and the options it was compiled with. Written as a digest.
};

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_IDENTIFICATION_H_
