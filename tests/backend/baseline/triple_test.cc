#include "backend/baseline/triple.h"

#include <string>

#include "gtest/gtest.h"
#include "llvm/TargetParser/Triple.h"

namespace firstcall::baseline {
namespace {

TEST(TripleTest, ReadsMachinesAndObjectFormatsAsLlvmDoes) {
  for (const char* machine :
       {"x86_64", "x86_64h", "amd64", "aarch64", "arm64", "arm64e", "arm64ec", "aarch64_be",
        "aarch64_32", "arm64_32", "i386", "arm", "riscv64", "powerpc64le", ""}) {
    for (const char* rest : {"",
                             "-pc-linux-gnu",
                             "-linux-gnu",
                             "-apple-darwin20.1",
                             "-apple-macosx14.0",
                             "-darwin",
                             "-pc-windows-msvc",
                             "-pc-win32",
                             "-windows",
                             "-unknown-uefi",
                             "-none-elf",
                             "-pc-windows-gnu-elf",
                             "-pc-windows-macho",
                             "-pc-linux-gnu-coff",
                             "-pc-linux-xcoff",
                             "-pc-linux-wasm",
                             "-unknown-freebsd13",
                             "-linux-android21",
                             "-",
                             "---"}) {
      const std::string triple = std::string(machine) + rest;
      const llvm::Triple expected(triple);
      const Machine found = MachineOf(triple);
      EXPECT_EQ(found == Machine::kX86_64, expected.getArch() == llvm::Triple::x86_64) << triple;
      EXPECT_EQ(found == Machine::kAArch64, expected.getArch() == llvm::Triple::aarch64) << triple;
      if (found == Machine::kOther) continue;
      EXPECT_EQ(HasElfOrMacho(triple), expected.isOSBinFormatELF() || expected.isOSBinFormatMachO())
          << triple;
      EXPECT_EQ(IsLinux(triple), expected.isOSLinux() && !expected.isAndroid()) << triple;
    }
  }
}

}  // namespace
}  // namespace firstcall::baseline
