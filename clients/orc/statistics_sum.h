// Adds up what OrcStatistics tells.

#ifndef FIRSTCALL_CLIENTS_ORC_STATISTICS_SUM_H_
#define FIRSTCALL_CLIENTS_ORC_STATISTICS_SUM_H_

#include "clients/orc/orc_statistics.h"

namespace firstcall {

// Adds `more` to the sum of this process. Thread-safe.
void AddToOrcStatistics(const OrcStatistics& more);

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_ORC_STATISTICS_SUM_H_
