// A compiler library whose types are not those of the program that loads it.

#include "seam/compiler_library.h"

extern "C" const firstcall::CompilerLibrary* firstcall_compiler_library() {
  static const firstcall::CompilerLibrary library = {firstcall::CompilerLibrary::kVersion,
                                                     "another digest",
                                                     ABSL_LTS_RELEASE_VERSION,
                                                     nullptr,
                                                     nullptr,
                                                     nullptr,
                                                     nullptr};
  return &library;
}
