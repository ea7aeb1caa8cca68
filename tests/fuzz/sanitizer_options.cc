// What loading damaged modules needs of the sanitizers, besides what .bazelrc sets for all tests:
// what LLVM leaves half done after a fatal error is leaked, and an allocation of an absurd size
// fails as it does elsewhere.

extern "C" const char* __asan_default_options() {
  return "allow_user_poisoning=0:detect_container_overflow=0:detect_leaks=0:"
         "allocator_may_return_null=1";
}

extern "C" const char* __tsan_default_options() { return "allocator_may_return_null=1"; }
