// Writes the sample modules as bitcode, for each target, to start fuzzing or damage_main from:
//
//   write_samples DIR

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tests/bitcode/compare_readers.h"
#include "tests/bitcode/samples.h"

int main(int argc, char** argv) {
  using namespace firstcall::testing;  // NOLINT: the names below
  if (argc != 2) {
    std::cerr << "usage: write_samples DIR\n";
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  for (const Sample& sample : AllSamples()) {
    for (SampleTarget target : {SampleTarget::kX86_64, SampleTarget::kAArch64}) {
      const absl::StatusOr<std::string> bitcode =
          AssembleToBitcode(TextFor(sample, target), Extras::kNothing);
      const std::string path =
          absl::StrCat(argv[1], "/", sample.name,
                       target == SampleTarget::kX86_64 ? ".x86_64.bc" : ".aarch64.bc");
      if (!bitcode.ok() || !(std::ofstream(path, std::ios::binary) << *bitcode)) {
        std::cerr << path << ": " << bitcode.status() << "\n";
        return 1;
      }
    }
  }
  return 0;
}
