// What there is to tell that a first body has become hot.

#ifndef FIRSTCALL_SPLITTER_HEAT_SIGNS_H_
#define FIRSTCALL_SPLITTER_HEAT_SIGNS_H_

#include <cstdint>

namespace firstcall {

enum class HeatSigns : uint8_t {
  kNone,           // Nothing could replace it: it stays.
  kCallsAndLoops,  // Its calls, and its loops if it has any.
  kCallsOnly,      // It has loops, but does not poll there.
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_HEAT_SIGNS_H_
