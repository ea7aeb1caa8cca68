// Keeps an object until the process has ended. A leak checker still finds it.
//
// Thread-safe.

#ifndef FIRSTCALL_BASE_KEEP_FOR_EVER_H_
#define FIRSTCALL_BASE_KEEP_FOR_EVER_H_

#include <memory>

namespace firstcall {

void KeepForEver(std::shared_ptr<void> object);

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_KEEP_FOR_EVER_H_
