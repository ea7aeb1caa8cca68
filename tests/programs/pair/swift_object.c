// What swift_calls.c calls, and what calls it.
#include "swift_calls.h"

#define OTHER in_bitcode
#include "swift_functions.h"

const struct functions in_object = {Throws, CallsOther, Four, Mixed, Large, Many};
