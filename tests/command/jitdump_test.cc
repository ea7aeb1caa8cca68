// The source lines that --perf=jitdump writes. The arguments are the command's path; a program
// (lines.c) as bitcode without optimization, with it, and without debug information; and the object
// that clang makes of the program itself, which has the right lines; and the source.

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugLine.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "tests/programs/process.h"
#include "tests/services/server/server_process.h"
#include "tests/testing/host.h"

namespace firstcall {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;

std::string command_path, plain_path, optimized_path, undecorated_path, native_path, source_path;

// "lines.c:12", in the order of the code, each once if it stands for adjacent code.
using Lines = std::vector<std::string>;

std::string NameOf(absl::string_view path, uint64_t line) {
  return absl::StrCat(path.substr(path.rfind('/') + 1), ":", line);
}

// Whether there is nothing but a brace on the line, perhaps with `else`.
bool HasOnlyBrace(absl::string_view line) {
  static const auto* const texts = [] {
    auto* const read = new std::vector<std::string>(1);
    std::ifstream source(source_path);
    for (std::string text; std::getline(source, text);) read->push_back(text);
    return read;
  }();
  if (!absl::ConsumePrefix(&line, "lines.c:")) return false;
  size_t number = 0;
  if (!absl::SimpleAtoi(line, &number) || number >= texts->size()) return false;
  return (*texts)[number].find_first_not_of(" {}else") == std::string::npos;
}

void Append(const std::string& line, Lines& lines) {
  if (lines.empty() || lines.back() != line) lines.push_back(line);
}

template <typename T>
T At(const std::string& bytes, size_t place) {
  T value = {};
  if (place + sizeof(T) <= bytes.size()) std::memcpy(&value, bytes.data() + place, sizeof(T));
  return value;
}

// The records of a file, as the specification of jitdump has them: the lines of each body, by the
// body's name.
std::map<std::string, Lines> BodiesOf(const std::string& dump) {
  constexpr uint32_t kCode = 0, kLines = 2;
  std::map<std::string, Lines> bodies;
  std::string lines_record;
  for (size_t at = 40; at + 8 <= dump.size();) {
    const auto kind = At<uint32_t>(dump, at), size = At<uint32_t>(dump, at + 4);
    if (size < 16 || size > dump.size() - at) {
      ADD_FAILURE() << "a damaged record";
      break;
    }
    const std::string record = dump.substr(at, size);
    at += size;
    if (kind == kLines) lines_record = record;
    if (kind != kCode) continue;
    const auto address = At<uint64_t>(record, 24), code_size = At<uint64_t>(record, 40);
    Lines& lines = bodies[record.c_str() + 56];
    lines.clear();
    if (lines_record.empty()) continue;
    // It stands in front of the record of its code.
    EXPECT_EQ(At<uint64_t>(lines_record, 16), address);
    uint64_t last = address;
    size_t place = 32;
    for (uint64_t row = 0; row < At<uint64_t>(lines_record, 24); ++row) {
      const auto row_address = At<uint64_t>(lines_record, place);
      EXPECT_GE(row_address, last);
      EXPECT_LE(row_address, address + code_size);
      last = row_address;
      const absl::string_view file = lines_record.c_str() + place + 16;
      Append(NameOf(file, At<uint32_t>(lines_record, place + 8)), lines);
      place += 16 + file.size() + 1;
    }
    EXPECT_EQ(place, lines_record.size());
    EXPECT_EQ(last, address + code_size) << "the last row is where the code ends";
    lines_record.clear();
  }
  return bodies;
}

// The lines of each function of the object that clang has made of the program.
const std::map<std::string, Lines>& NativeLines() {
  static const auto* const functions = [] {
    auto* const found = new std::map<std::string, Lines>;
    auto file = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(native_path));
    std::unique_ptr<llvm::DWARFContext> context = llvm::DWARFContext::create(*file.getBinary());
    llvm::DWARFUnit* const unit = context->compile_units().begin()->get();
    const llvm::DWARFDebugLine::LineTable* const table = context->getLineTableForUnit(unit);
    for (const llvm::object::ELFSymbolRef symbol : file.getBinary()->symbols()) {
      if (llvm::cantFail(symbol.getType()) != llvm::object::SymbolRef::ST_Function) continue;
      const uint64_t begin = llvm::cantFail(symbol.getAddress());
      Lines& lines = (*found)[llvm::cantFail(symbol.getName()).str()];
      for (const llvm::DWARFDebugLine::Row& row : table->Rows) {
        if (row.EndSequence || row.Line == 0 || row.Address.Address < begin ||
            row.Address.Address >= begin + symbol.getSize()) {
          continue;
        }
        std::string path;
        table->getFileNameByIndex(row.File, "",
                                  llvm::DILineInfoSpecifier::FileLineInfoKind::RawValue, path);
        Append(NameOf(path, row.Line), lines);
      }
    }
    return found;
  }();
  return *functions;
}

class JitdumpTest : public ::testing::Test {
 protected:
  // What a run of `program` writes.
  static std::map<std::string, Lines> Run(const std::string& program,
                                          const std::vector<std::string>& options) {
    std::string directory = ::testing::TempDir();
    setenv("JITDUMPDIR", directory.c_str(), 1);
    std::vector<std::string> command = {command_path, "--perf=jitdump"};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back(program);
    const testing::ProcessResult result = testing::RunProcess(OnThisMachine(command));
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    const std::string path =
        absl::StrCat(directory, "/jit-", result.output.substr(0, result.output.find(' ')), ".dump");
    std::ifstream file(path, std::ios::binary);
    const std::string dump(std::istreambuf_iterator<char>(file), {});
    unlink(path.c_str());
    return BodiesOf(dump);
  }
};

const std::vector<std::string> kFirstBodies = {"--tier=0", "--no-object-cache"};

// The baseline code generator puts blocks into an order of its own, and leaves out branches to what
// follows. So lines that are only a brace may be missing, and the others may come in another order.
Lines SortedLinesWithCode(const Lines& lines) {
  Lines sorted;
  for (const std::string& line : lines) {
    if (!HasOnlyBrace(line)) sorted.push_back(line);
  }
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

TEST_F(JitdumpTest, BaselineBodiesHaveTheLinesOfClangsCode) {
  const std::map<std::string, Lines> bodies = Run(plain_path, kFirstBodies);
  for (const std::string function : {"Sum", "Mixed", "Third", "main"}) {
    const auto body = bodies.find(function + " [0 baseline]");
    ASSERT_NE(body, bodies.end()) << function;
    const Lines& native = NativeLines().at(function);
    EXPECT_EQ(SortedLinesWithCode(body->second), SortedLinesWithCode(native)) << function;
    if (function != "Sum") EXPECT_EQ(body->second, native) << function;
  }
  EXPECT_THAT(bodies.at("Mixed [0 baseline]"), Contains(HasSubstr("lines.h:")));
}

TEST_F(JitdumpTest, BodiesThatOnlyLlvmMakesHaveLinesFromLlvm) {
  const std::map<std::string, Lines> bodies = Run(plain_path, kFirstBodies);
  ASSERT_THAT(bodies, Contains(Key("ByLlvm [0 llvm]")));
  EXPECT_EQ(bodies.at("ByLlvm [0 llvm]"), NativeLines().at("ByLlvm"));
}

TEST_F(JitdumpTest, OptimizedIrHasLines) {
  const std::map<std::string, Lines> bodies = Run(optimized_path, kFirstBodies);
  for (const std::string function : {"Sum", "Mixed", "Third", "main"}) {
    const auto body = bodies.find(function + " [0 baseline]");
    ASSERT_NE(body, bodies.end()) << function;
    EXPECT_GE(body->second.size(), 3u) << function;
    for (const std::string& line : body->second) {
      EXPECT_THAT(NativeLines().at(function), Contains(line)) << function;
    }
  }
}

// Nothing else is kept there than in a first run.
TEST_F(JitdumpTest, BodiesFromTheCacheHaveLines) {
  const std::string cache = ::testing::TempDir() + "/cache_of_lines";
  std::filesystem::remove_all(cache);
  const std::vector<std::string> options = {"--tier=0", "--object-cache-dir=" + cache};
  Run(plain_path, options);
  const std::map<std::string, Lines> bodies = Run(plain_path, options);
  for (const std::string function : {"Sum", "Mixed", "ByLlvm", "Third", "main"}) {
    const auto body = bodies.find(function + " [0 cache]");
    ASSERT_NE(body, bodies.end()) << function;
    EXPECT_EQ(SortedLinesWithCode(body->second), SortedLinesWithCode(NativeLines().at(function)))
        << function;
  }
}

// Those of the server's LLVM come with the code; the others are found by the client.
TEST_F(JitdumpTest, BodiesFromACompileServerHaveLines) {
  if (IsEmulated()) GTEST_SKIP() << "servers take long to start in the emulator";
  const testing::ServerProcess server(command_path);
  std::vector<std::string> options = kFirstBodies;
  options.push_back("--compile-server=" + server.socket());
  const std::map<std::string, Lines> bodies = Run(plain_path, options);
  for (const std::string body :
       {"Sum [0 baseline]", "Mixed [0 baseline]", "ByLlvm [0 llvm]", "main [0 baseline]"}) {
    ASSERT_THAT(bodies, Contains(Key(body)));
    EXPECT_EQ(SortedLinesWithCode(bodies.at(body)),
              SortedLinesWithCode(NativeLines().at(body.substr(0, body.find(' ')))))
        << body;
  }
}

TEST_F(JitdumpTest, NothingHasLinesWithoutDebugInformation) {
  std::vector<std::string> never = kFirstBodies;
  never.push_back("--debug-info=never");
  for (const auto& [program, options] :
       {std::pair(plain_path, never), std::pair(undecorated_path, kFirstBodies)}) {
    const std::map<std::string, Lines> bodies = Run(program, options);
    EXPECT_THAT(bodies, Contains(Key("Sum [0 baseline]")));
    for (const auto& [name, lines] : bodies) EXPECT_THAT(lines, IsEmpty()) << name;
  }
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleMock(&argc, argv);
  firstcall::command_path = argv[1];
  firstcall::plain_path = argv[2];
  firstcall::optimized_path = argv[3];
  firstcall::undecorated_path = argv[4];
  firstcall::native_path = argv[5];
  firstcall::source_path = argv[6];
  return RUN_ALL_TESTS();
}
