#include "tools/serve_command.h"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "base/file.h"
#include "engine/linked_compiler.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "seam/compiler_settings.h"
#include "seam/listener.h"
#include "services/server/compile_server.h"
#include "tools/server_status.h"

namespace firstcall {
namespace {

constexpr double kMiB = 1 << 20;

// A loop, memory, calls, a switch, floating-point numbers, and a variable. The second function has
// an instruction that the baseline code generator does not cover, so LLVM's is used, too.
constexpr char kWarmUp[] = R"(
@table = global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@text = private constant [6 x i8] c"hello\00"
declare i32 @puts(ptr)
define i32 @sum(i32 %n) {
entry:
  %total = alloca i32
  store i32 0, ptr %total
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %more ]
  %slot = getelementptr [4 x i32], ptr @table, i32 0, i32 %i
  %value = load i32, ptr %slot
  %before = load i32, ptr %total
  %after = add i32 %before, %value
  store i32 %after, ptr %total
  switch i32 %value, label %more [ i32 1, label %one
                                   i32 3, label %one ]
one:
  %printed = call i32 @puts(ptr @text)
  br label %more
more:
  %next = add i32 %i, 1
  %goes = icmp slt i32 %next, %n
  br i1 %goes, label %loop, label %end
end:
  %float = sitofp i32 %n to double
  %half = fmul double %float, 5.0e-1
  %whole = fptosi double %half to i32
  %last = load i32, ptr %total
  %result = add i32 %last, %whole
  ret i32 %result
}
define <4 x i32> @by_llvm(<4 x i32> %a, ptr %p) {
  %b = shufflevector <4 x i32> %a, <4 x i32> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  %n = extractelement <4 x i32> %b, i32 1
  %c = call i32 @sum(i32 %n)
  %d = insertelement <4 x i32> %b, i32 %c, i32 0
  store <4 x i32> %d, ptr %p
  ret <4 x i32> %d
}
)";

std::string WarmUpBitcode() {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(kWarmUp, error, context);
  if (module == nullptr) return "";
  std::string bitcode;
  llvm::raw_string_ostream out(bitcode);
  llvm::WriteBitcodeToFile(*module, out);
  return bitcode;
}

// The first socket that systemd has passed; not open if it has passed none.
File PassedSocket() {
  const char* const process = std::getenv("LISTEN_PID");
  const char* const count = std::getenv("LISTEN_FDS");
  int number = 0;
  if (process == nullptr || count == nullptr || !absl::SimpleAtoi(process, &number) ||
      number != getpid() || !absl::SimpleAtoi(count, &number) || number < 1) {
    return File();
  }
  constexpr int kFirst = 3;
  return File(kFirst);
}

absl::Status Serve(const ServeArguments& arguments) {
  CompileServerOptions options;
  options.path = arguments.socket;
  options.listening = PassedSocket();
  options.most_workers = static_cast<size_t>(arguments.workers);
  options.worker_memory = static_cast<uint64_t>(arguments.worker_memory * kMiB);
  options.request_time = absl::Seconds(arguments.request_time);
  options.kept_bytes = static_cast<uint64_t>(arguments.kept * kMiB);
  CompileServer::Compilers compilers;
  static auto* const listener = new Listener;
  compilers.make =
      [](const CompilerSettings& settings) -> absl::StatusOr<std::unique_ptr<Compiler>> {
    return LinkedCompiler().Create(settings, *listener, "a client");
  };
  compilers.default_settings.promotes = true;  // As the command's.
  compilers.identity = LinkedCompiler().Identity(compilers.default_settings);
  compilers.warm_up = WarmUpBitcode();
  absl::StatusOr<std::unique_ptr<CompileServer>> server =
      CompileServer::Create(std::move(options), std::move(compilers));
  if (!server.ok()) return server.status();
  return (*server)->Run();
}

}  // namespace

int RunServeCommand(const std::vector<std::string>& arguments) {
  const ServeArguments parsed = ParseServeArguments(arguments);
  if (parsed.status) return PrintServerStatus(parsed);
  const absl::Status status = Serve(parsed);
  if (status.ok()) return 0;
  std::fprintf(stderr, "firstcall: %s\n", std::string(status.message()).c_str());
  return 1;
}

}  // namespace firstcall
