// Passes an engine's events to a handler of the C API.
//
// Thread-safe if the handler is. Tested in tests/clients/capi/capi_test.c.

#ifndef FIRSTCALL_CLIENTS_CAPI_EVENT_CALLBACK_H_
#define FIRSTCALL_CLIENTS_CAPI_EVENT_CALLBACK_H_

#include "clients/capi/firstcall.h"
#include "seam/event.h"

namespace firstcall::capi {

class EventCallback final : public EventListener {
 public:
  // `handler` must not be null.
  EventCallback(fc_event_handler handler, void* user_data)
      : handler_(handler), user_data_(user_data) {}

  void OnEvent(const Event& event) override;

 private:
  const fc_event_handler handler_;
  void* const user_data_;
};

}  // namespace firstcall::capi

#endif  // FIRSTCALL_CLIENTS_CAPI_EVENT_CALLBACK_H_
