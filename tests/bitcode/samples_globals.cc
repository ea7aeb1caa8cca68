#include "tests/bitcode/samples.h"

namespace firstcall::testing {
namespace {

constexpr absl::string_view kVariables = R"(
$any = comdat any
$exact = comdat exactmatch
$largest = comdat largest
$single = comdat nodeduplicate
$same = comdat samesize
@external = external global i32
@declared.constant = external constant [0 x i8]
@defined = global i32 1
@available = available_externally global i32 1
@once = linkonce global i32 1
@once.odr = linkonce_odr constant i32 1, comdat($any)
@weak = weak global i32 1
@weak.odr = weak_odr global i32 1, comdat($exact)
@appended = appending global [1 x i32] [i32 1]
@internal = internal unnamed_addr constant i32 1
@private = private local_unnamed_addr constant i32 1
@weak.external = extern_weak global i32
@common = common global i32 0
@hidden = hidden global i32 1, comdat($largest)
@protected = protected global i32 1, section "a section", comdat($single), align 64
@local = dso_local global i32 1
@preempted = dso_preemptable global i32 1, comdat($same)
@thread = thread_local global i32 1
@thread.local = thread_local(localdynamic) global i32 1
@thread.initial = thread_local(initialexec) global i32 1, align 16
@thread.exec = internal thread_local(localexec) global i32 1
@initialized = externally_initialized global i32 1
@spaced = addrspace(3) global i32 1
@modelled = global i32 1, code_model "large"
@partitioned = global i32 1, partition "part"
@imported = external dllimport global i32
@exported = dllexport global i32 1
@sanitized = global i32 1, no_sanitize_address, no_sanitize_hwaddress
@dynamic = global i32 1, sanitize_address_dyninit
@attributed = global i32 1 "bss-section"="mine" "data-section"="own"
@0 = global i32 1
@1 = private constant [2 x i8] c"x\00"
@"\01mangled not" = global ptr @1
@"with \22 quotes" = global ptr @0
@llvm.used = appending global [2 x ptr] [ptr @internal, ptr @private], section "llvm.metadata"
)";

constexpr absl::string_view kFunctions = R"(
$group = comdat any
@data = global i32 1
declare i32 @personality(...)
declare void @declared() #0
declare extern_weak void @weak.declared()
declare hidden void @hidden.declared()
declare dllimport void @imported()
define void @plain() { ret void }
define available_externally void @available() { ret void }
define linkonce void @once() { ret void }
define linkonce_odr hidden void @once.odr() comdat($group) { ret void }
define weak void @weak() { ret void }
define weak_odr protected void @weak.odr() comdat { ret void }
$weak.odr = comdat nodeduplicate
define internal fastcc void @internal() unnamed_addr { ret void }
define private coldcc void @private() local_unnamed_addr { ret void }
define dso_local void @local() section "code" align 32 { ret void }
define void @collected() gc "statepoint-example" { ret void }
define void @prefixed() prefix i32 7 prologue i8 -112 { ret void }
define void @pointing() prefix ptr @data personality ptr @personality { ret void }
define void @personal() personality ptr @personality { ret void }
define void @parted() partition "part" { ret void }
define void @spaced() addrspace(0) { ret void }
define x86_regcallcc i32 @regcall(i32 inreg %x) { ret i32 %x }
define ghccc void @ghc() { ret void }
define preserve_mostcc void @most() { ret void }
define win64cc void @win() { ret void }
define swifttailcc void @swift(ptr swiftasync %c) { ret void }
define void @0() { ret void }
define i32 @main(i32 %argc, ptr %argv) { ret i32 0 }
attributes #0 = { nounwind }
)";

constexpr absl::string_view kAliases = R"(
@value = global [4 x i32] zeroinitializer
@alias = alias [4 x i32], ptr @value
@weak = weak hidden alias i32, ptr @value
@inside = internal unnamed_addr alias i32, getelementptr inbounds ([4 x i32], ptr @value, i64 0, i64 2)
@of.alias = alias i32, ptr @inside
@thread = thread_local(initialexec) global i32 0
@thread.alias = thread_local(initialexec) alias i32, ptr @thread
@parted = dso_local alias i32, ptr @value, partition "part"
@code = alias void (), ptr @function
@chosen = ifunc i32 (i32), ptr @resolver
@chosen.weak = weak hidden ifunc void (), ptr @resolver, partition "part"
@used = global [3 x ptr] [ptr @alias, ptr @chosen, ptr @code]
define void @function() { ret void }
define internal ptr @resolver() { ret ptr @function }
define i32 @calls(i32 %x) {
  call void @code()
  %1 = call i32 @chosen(i32 %x)
  %2 = load i32, ptr @of.alias
  ret i32 %2
}
)";

constexpr absl::string_view kAttributes = R"(
%s = type { i64, i64, i64 }
declare noalias nonnull align 16 dereferenceable(8) ptr @result()
declare signext i8 @extended(i8 zeroext, i8 signext, i32 inreg)
declare i32 @parameters(ptr nest, ptr nocapture readonly, ptr noundef, i32 returned, ptr align 8)
declare void @types(ptr byval(%s), ptr byref(i32))
declare ptr @llvm.preserve.array.access.index.p0.p0(ptr, i32 immarg, i32 immarg)
declare void @inalloca(ptr inalloca(%s))
declare void @sret(ptr sret(%s) align 8 "own"="1", ptr byval([3 x i8]) align 32, ptr alignstack(16))
declare void @swift(ptr swiftself, ptr swifterror, ptr swiftasync)
declare void @ranged(i32 range(i32 0, 10), float nofpclass(nan inf), ptr "string")
define void @function() #0 { ret void }
define void @target() #1 { ret void }
define void @protected() #2 { ret void }
define void @sanitized() #3 { ret void }
define void @others(i64 %n) unnamed_addr #4 { ret void }
define void @tables() uwtable { ret void }
define void @tables.sync() uwtable(sync) { ret void }
define void @naked() naked { unreachable }
attributes #0 = { noinline optnone cold noreturn nounwind noredzone returns_twice alignstack=32 }
attributes #1 = { alwaysinline "target-cpu"="x86-64" "target-features"="+sse4.2,+avx" "frame-pointer"="all" "no-trapping-math"="true" "empty" }
attributes #2 = { ssp sspreq sspstrong safestack shadowcallstack "stack-protector-buffer-size"="8" "probe-stack"="inline-asm" }
attributes #3 = { sanitize_address sanitize_hwaddress sanitize_memory sanitize_thread sanitize_memtag strictfp }
attributes #4 = { speculative_load_hardening fn_ret_thunk_extern nobuiltin nocf_check nonlazybind jumptable nomerge noduplicate convergent memory(argmem: read, inaccessiblemem: write) allockind("alloc,zeroed") allocsize(0) vscale_range(1,16) mustprogress willreturn nosync nofree norecurse hot minsize optsize presplitcoroutine coro_only_destroy_when_complete skipprofile disable_sanitizer_instrumentation nosanitize_bounds nosanitize_coverage null_pointer_is_valid "patchable-function"="prologue-short-redirect" }
)";

constexpr absl::string_view kTypes = R"(
%opaque = type opaque
%recursive = type { ptr, [2 x %recursive.part] }
%recursive.part = type { %packed, {} }
%packed = type <{ i8, <{ i64 }>, i16 }>
@external = external global %opaque
@recursive = external global %recursive
@array = external global [1000000000000 x [3 x i8]]
@vector = external global <3 x i7>
@pointers = external global { ptr, ptr addrspace(7), <5 x ptr> }
@floats = external global { half, bfloat, float, double, x86_fp80, fp128, ppc_fp128 }
@target = external global target("spirv.Image", i32, 1, 2)
declare void @variadic(i8, ...)
declare %recursive.part @structures(%packed, { i32, { i64, [0 x i8] } })
declare <vscale x 2 x double> @scalable(<vscale x 16 x i1>)
declare void @llvm.x86.tilestored64.internal(i16, i16, ptr, i64, x86_amx)
declare i1 @llvm.coro.end(ptr, i1, token)
declare i8388607 @widest(i1)
define %opaque @never() {
  unreachable
}
)";

constexpr Sample kSamples[] = {
    {"Variables", kVariables},   {"Functions", kFunctions}, {"Aliases", kAliases},
    {"Attributes", kAttributes}, {"Types", kTypes},
};

}  // namespace

absl::Span<const Sample> GlobalSamples() { return kSamples; }

}  // namespace firstcall::testing
