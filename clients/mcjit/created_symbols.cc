#include "clients/mcjit/created_symbols.h"

namespace firstcall {

uint64_t CreatedSymbols::AddressOf(const std::string& object_name,
                                   const std::function<void*(const std::string&)>& creator) {
  if (!creator) return 0;
  {
    absl::ReaderMutexLock lock(&mutex_);
    const auto found = addresses_.find(object_name);
    if (found != addresses_.end()) return found->second;
  }
  const auto address = reinterpret_cast<uint64_t>(creator(object_name));
  absl::MutexLock lock(&mutex_);
  addresses_[object_name] = address;
  return address;
}

}  // namespace firstcall
