// What is tested with the answers of servers that machines share a cache by: lists, packs and
// replies of Redis that are damaged, foreign, or forged by somebody who has the key. Nothing but
// what was stored may be found, and every failure must come back as a miss or a status.

#ifndef FIRSTCALL_TESTS_FUZZ_SERVER_ANSWERS_H_
#define FIRSTCALL_TESTS_FUZZ_SERVER_ANSWERS_H_

#include "absl/strings/string_view.h"

namespace firstcall::testing {

// Makes answers of `bytes`, takes entries from them, and adds entries to them. Aborts if something
// is found that was not stored. Returns how many entries were found. Thread-safe.
int TryServerAnswers(absl::string_view bytes);

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_FUZZ_SERVER_ANSWERS_H_
