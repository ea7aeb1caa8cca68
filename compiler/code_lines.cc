#include "compiler/code_lines.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

namespace firstcall {
namespace {

std::string PathOf(const llvm::DIFile* file) {
  if (file == nullptr) return "";
  if (llvm::sys::path::is_absolute(file->getFilename())) return file->getFilename().str();
  llvm::SmallString<256> path = file->getDirectory();
  llvm::sys::path::append(path, file->getFilename());
  return path.str().str();
}

class Writer {
 public:
  void Add(size_t offset, uint32_t line, const llvm::DIFile* file) {
    const auto [number, is_new] =
        numbers_.try_emplace(file, static_cast<uint32_t>(lines_.files.size()));
    if (is_new) lines_.files.push_back(PathOf(file));
    const CodeLines::Row row = {offset, line, number->second};
    if (!lines_.rows.empty()) {
      CodeLines::Row& last = lines_.rows.back();
      if (last.line == row.line && last.file == row.file) return;
      if (last.offset == row.offset) {  // No code belongs to it.
        last = row;
        return;
      }
    }
    lines_.rows.push_back(row);
  }

  CodeLines Take() && { return std::move(lines_); }

 private:
  CodeLines lines_;
  llvm::DenseMap<const llvm::DIFile*, uint32_t> numbers_;
};

}  // namespace

CodeLines LinesOf(absl::Span<const DescribedCode::Line> lines, const llvm::DISubprogram& function) {
  Writer writer;
  writer.Add(0, function.getScopeLine(), function.getFile());
  for (const DescribedCode::Line& line : lines) {
    writer.Add(line.offset, line.location.getLine(), line.location->getFile());
  }
  return std::move(writer).Take();
}

}  // namespace firstcall
