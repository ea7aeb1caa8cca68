#include "engine/loaded_compiler.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "direct/direct_compiler.h"
#include "engine/build_id.h"
#include "runtime/process/process_symbols.h"
#include "seam/seam_digest.h"
#include "third_party/llvm/version/version.h"

namespace firstcall {
namespace {

// As LinkedCompiler's, if LLVM is linked into the same file.
std::string IdentityOf(const std::string& file) {
  const std::string id = BuildIdOfFile(file);
  return absl::StrCat("build=", id, " llvm=", llvm_version::kVersion, "-", id);
}

}  // namespace

std::string OwnDirectory() {
  Dl_info file;
  link_map* map = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(&OwnDirectory), &file, reinterpret_cast<void**>(&map),
              RTLD_DL_LINKMAP) == 0) {
    return "";
  }
  // The program itself has no name there, and its argv[0] may be anything.
  const bool is_program = map == nullptr || map->l_name == nullptr || map->l_name[0] == '\0';
  char* real = realpath(is_program ? "/proc/self/exe" : map->l_name, nullptr);
  if (real == nullptr && is_program) {  // There may be no /proc.
    real = realpath(reinterpret_cast<const char*>(getauxval(AT_EXECFN)), nullptr);
  }
  if (real == nullptr) return "";
  const std::string path = real;
  std::free(real);
  return path.substr(0, path.rfind('/') + 1);
}

LoadedCompiler::LoadedCompiler(std::string library, std::string identified_by,
                               std::function<absl::Status(absl::string_view reason)> on_load)
    : path_(std::move(library)),
      identified_by_(identified_by.empty() ? path_ : std::move(identified_by)),
      on_load_(std::move(on_load)) {}

std::string LoadedCompiler::BuildIdentity() {
  absl::MutexLock lock(&mutex_);
  if (identity_.empty()) identity_ = IdentityOf(identified_by_);
  return identity_;
}

std::string LoadedCompiler::Identity(const CompilerSettings& settings) {
  std::string identity = BuildIdentity();
  const auto& options = settings.target.target_options;
  if (options == nullptr) return identity;
  const absl::StatusOr<const CompilerLibrary*> library = Load("options of LLVM");
  // Without the library nothing is compiled, so nothing is stored, either.
  if (!library.ok()) return absl::StrCat(identity, " with unknown options");
  return absl::StrCat(identity, " ", (*library)->describe_target_options(*options));
}

bool LoadedCompiler::AsksForEmulatedTls(const TargetSettings& settings) {
  const std::vector<std::string>& arguments = settings.llvm_arguments;
  return std::any_of(arguments.begin(), arguments.end(), [](absl::string_view argument) {
    while (absl::ConsumePrefix(&argument, "-")) continue;
    return absl::StartsWith(argument, "emulated-tls");
  });
}

std::function<ExecutorAddress(const std::string& name)> LoadedCompiler::ProcessSymbols() {
  return FindInProcess;
}

absl::StatusOr<const CompilerLibrary*> LoadedCompiler::Load(absl::string_view reason) {
  absl::MutexLock lock(&mutex_);
  if (library_ != nullptr) return library_.load();
  if (on_load_) FIRSTCALL_RETURN_IF_ERROR(on_load_(reason));
  const auto failed = [&](absl::string_view why) {
    return absl::UnavailableError(absl::StrCat("loading the compiler for ", reason, ": ", why));
  };
  // Its symbols are not for the program; the code that it makes may outlive all engines.
  void* const file = dlopen(path_.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  if (file == nullptr) return failed(dlerror());
  auto* const get = reinterpret_cast<GetCompilerLibrary*>(dlsym(file, kCompilerLibrarySymbol));
  if (get == nullptr) return failed(dlerror());
  const CompilerLibrary* const library = get();
  if (library->version != CompilerLibrary::kVersion ||
      absl::string_view(library->seam) != kSeamDigest ||
      library->absl_release != ABSL_LTS_RELEASE_VERSION) {
    return failed(absl::StrCat("'", path_, "' is of another build"));
  }
  if (end_out_of_memory_ != nullptr) {
    library->set_out_of_memory_handler(end_out_of_memory_, is_own_work_);
  }
  library_ = library;
  return library;
}

absl::StatusOr<std::unique_ptr<Compiler>> LoadedCompiler::Create(const CompilerSettings& settings,
                                                                 Listener& listener,
                                                                 absl::string_view reason) {
  FIRSTCALL_ASSIGN_OR_RETURN(const CompilerLibrary* library, Load(reason));
  return library->create(settings, listener);
}

std::unique_ptr<Compiler> LoadedCompiler::CreateSmall(const CompilerSettings& settings) {
  return direct::DirectCompiler::Create(settings);
}

}  // namespace firstcall
