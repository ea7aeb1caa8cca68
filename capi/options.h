// The options of the C API: those of an engine, and the first mistake made in setting them.

#ifndef FIRSTCALL_CAPI_OPTIONS_H_
#define FIRSTCALL_CAPI_OPTIONS_H_

#include "absl/status/status.h"
#include "capi/firstcall.h"
#include "engine/options.h"

struct fc_options {
  firstcall::EngineOptions engine;
  absl::Status status;
};

#endif  // FIRSTCALL_CAPI_OPTIONS_H_
