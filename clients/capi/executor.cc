// The C API's executing process for code that another process compiles.

#include "clients/capi/error.h"
#include "clients/capi/firstcall.h"
#include "services/executor/serve_executor.h"

fc_error* fc_serve_executor(int socket) {
  return firstcall::capi::Guarded(__func__, [&] { return firstcall::ServeExecutor(socket); });
}
