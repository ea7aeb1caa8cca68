// The isolated process of an IsolatedEngine: has the engine, and does what the other process asks
// for.

#ifndef FIRSTCALL_SERVICES_ISOLATION_ISOLATED_SERVICE_H_
#define FIRSTCALL_SERVICES_ISOLATION_ISOLATED_SERVICE_H_

#include <string>
#include <vector>

#include "engine/options.h"
#include "foreign/foreign_value.h"

namespace firstcall {

// A callback as the isolated process knows it.
struct CallbackSignature {
  std::string name;
  ForeignType result;
  std::vector<ForeignType> parameters;
};

// Serves requests until the other side closes the socket, which this takes over. The first one must
// be kCreate. Then destroys the engine. Tested in tests/services/isolation/isolated_engine_test.cc.
void ServeIsolated(int socket, const EngineOptions& options,
                   const std::vector<CallbackSignature>& callbacks);

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_ISOLATION_ISOLATED_SERVICE_H_
