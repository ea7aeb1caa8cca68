// What an object that goes into a cache says about itself in its .comment section. Tested in
// tests/api/cache_test.cc.

#ifndef FIRSTCALL_CODE_IDENTIFICATION_H_
#define FIRSTCALL_CODE_IDENTIFICATION_H_

#include <string>

namespace firstcall {

struct Identification {
  std::string part;       // Of its source module.
  std::string signature;  // From what and how it was compiled. Written as a digest.
};

}  // namespace firstcall

#endif  // FIRSTCALL_CODE_IDENTIFICATION_H_
