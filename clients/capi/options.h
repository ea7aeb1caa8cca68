// The C API's options: the options of an engine, and the first error that a setter found. Tested in
// tests/clients/capi/capi_test.c.

#ifndef FIRSTCALL_CLIENTS_CAPI_OPTIONS_H_
#define FIRSTCALL_CLIENTS_CAPI_OPTIONS_H_

#include "absl/status/status.h"
#include "clients/capi/firstcall.h"
#include "engine/options.h"

struct fc_options {
  firstcall::EngineOptions engine;
  absl::Status status;
};

#endif  // FIRSTCALL_CLIENTS_CAPI_OPTIONS_H_
