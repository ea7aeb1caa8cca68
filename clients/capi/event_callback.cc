#include "clients/capi/event_callback.h"

#include <string>

#include "clients/capi/duration.h"

namespace firstcall::capi {
namespace {

static_assert(static_cast<int>(EventKind::kMemoryFreed) == FC_EVENT_MEMORY_FREED);
static_assert(static_cast<int>(CompileReason::kNeeded) == FC_REASON_NEEDED);
static_assert(static_cast<int>(Generator::kUser) == FC_GENERATOR_USER);
static_assert(static_cast<int>(Generator::kMcjit) == FC_GENERATOR_MCJIT);

}  // namespace

void EventCallback::OnEvent(const Event& event) {
  const std::string message(event.status.message());
  fc_event out = {};
  out.struct_size = sizeof(out);
  out.number = event.number;
  out.kind = static_cast<fc_event_kind>(event.kind);
  out.thread = event.thread;
  out.start = NanosecondsOf(event.start);
  out.duration = NanosecondsOf(event.duration);
  out.module = event.module.c_str();
  out.function = event.function.c_str();
  out.address = event.address;
  out.size = event.size;
  out.caller = event.caller;
  out.tier = event.tier;
  out.generator = static_cast<fc_generator>(event.generator);
  out.reason = static_cast<fc_compile_reason>(event.reason);
  out.is_cached = event.is_cached ? 1 : 0;
  out.is_continuation = event.is_continuation ? 1 : 0;
  out.is_detached = event.is_detached ? 1 : 0;
  out.functions = event.functions;
  out.code = static_cast<fc_error_code>(event.status.code());
  out.message = message.c_str();
  out.memory_used = event.memory_used;
  handler_(user_data_, &out);
}

}  // namespace firstcall::capi
