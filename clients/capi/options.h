// The C API's options: the options of an engine, and the first error that a setter found. Tested in
// tests/clients/capi/capi_test.c.

#ifndef FIRSTCALL_CLIENTS_CAPI_OPTIONS_H_
#define FIRSTCALL_CLIENTS_CAPI_OPTIONS_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "cache/object_cache.h"
#include "cache/open_shared_cache.h"
#include "clients/capi/firstcall.h"
#include "engine/options.h"

struct fc_options {
  firstcall::EngineOptions engine;
  absl::Status status;
  // What engine.object_cache is made of: a directory, and a server. Each may be missing.
  std::shared_ptr<firstcall::ObjectCache> directory;
  std::string shared_cache;  // The server's URL.
  firstcall::SharedCacheSettings shared_cache_settings;
};

#endif  // FIRSTCALL_CLIENTS_CAPI_OPTIONS_H_
