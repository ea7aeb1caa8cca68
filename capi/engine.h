// The types behind the C API's handles.

#ifndef FIRSTCALL_CAPI_ENGINE_H_
#define FIRSTCALL_CAPI_ENGINE_H_

#include <memory>

#include "capi/firstcall.h"
#include "engine/engine.h"
#include "runtime/detached_code.h"

struct fc_engine {
  std::unique_ptr<firstcall::Engine> engine;
};

struct fc_code {
  std::unique_ptr<firstcall::DetachedCode> code;
};

#endif  // FIRSTCALL_CAPI_ENGINE_H_
