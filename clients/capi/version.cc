// The C API's function that returns the version.

#include "base/version.h"

#include "clients/capi/firstcall.h"

const char* fc_version(void) { return firstcall::Version(); }
