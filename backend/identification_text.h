// What an object says about itself, as text.
//
// Thread-safe: a pure function. Tested in tests/api/cache_test.cc.

#ifndef FIRSTCALL_BACKEND_IDENTIFICATION_TEXT_H_
#define FIRSTCALL_BACKEND_IDENTIFICATION_TEXT_H_

#include <string>

#include "seam/identification.h"

namespace firstcall {

// The text by which `identification` is stored in an object: without a part the signature alone,
// else "firstcall PART signature DIGEST".
std::string IdentificationText(const Identification& identification);

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_IDENTIFICATION_TEXT_H_
