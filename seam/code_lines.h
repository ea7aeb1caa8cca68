// Which source lines the code of a body comes from.
//
// Plain values.

#ifndef FIRSTCALL_SEAM_CODE_LINES_H_
#define FIRSTCALL_SEAM_CODE_LINES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace firstcall {

struct CodeLines {
  struct Row {
    size_t offset = 0;  // From here on, up to the next row. In the body's code.
    uint32_t line = 0;  // 0: no line.
    uint32_t file = 0;  // The index in `files`.
  };
  std::vector<std::string> files;
  std::vector<Row> rows;  // By offset.
};

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_CODE_LINES_H_
