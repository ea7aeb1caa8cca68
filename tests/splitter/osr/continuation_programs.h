// Programs whose function @f has loops, for tests of continuations. Each has @run(i64) -> i64,
// which calls @f; what it does can be seen by the host's @trace(i64). @keep(ptr) keeps the address
// of an i32, which @bump() adds one to; @throw_if(i64) throws what is not zero.

#ifndef FIRSTCALL_TESTS_SPLITTER_OSR_CONTINUATION_PROGRAMS_H_
#define FIRSTCALL_TESTS_SPLITTER_OSR_CONTINUATION_PROGRAMS_H_

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace firstcall {

struct ContinuationProgram {
  std::string name;
  size_t loops = 0;  // Entries that @f has.
  std::string text;

  friend void PrintTo(const ContinuationProgram& program, std::ostream* stream) {
    *stream << program.name;
  }
};

std::vector<ContinuationProgram> ContinuationPrograms();

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_SPLITTER_OSR_CONTINUATION_PROGRAMS_H_
