#include "seam/event.h"

namespace firstcall {

const char* WordFor(EventKind kind) {
  switch (kind) {
    case EventKind::kModuleAdded:
      return "module added";
    case EventKind::kFirstCall:
      return "first call";
    case EventKind::kCompiled:
      return "compiled";
    case EventKind::kPublished:
      return "published";
    case EventKind::kPromoted:
      return "promoted";
    case EventKind::kFailed:
      return "failed";
    case EventKind::kRemoved:
      return "removed";
    case EventKind::kStubsMade:
      return "stubs made";
    case EventKind::kMemoryReserved:
      return "memory reserved";
    case EventKind::kMemoryFreed:
      return "memory freed";
  }
  return "";
}

const char* WordFor(CompileReason reason) {
  switch (reason) {
    case CompileReason::kCalled:
      return "call";
    case CompileReason::kAlong:
      return "along";
    case CompileReason::kOrdered:
      return "ordered";
    case CompileReason::kSpeculated:
      return "speculated";
    case CompileReason::kPromoted:
      return "promoted";
    case CompileReason::kContinuation:
      return "continuation";
    case CompileReason::kNeeded:
      return "needed";
  }
  return "";
}

const char* WordFor(Generator generator) {
  switch (generator) {
    case Generator::kLlvm:
      return "llvm";
    case Generator::kBaseline:
      return "baseline";
    case Generator::kUser:
      return "user";
    case Generator::kMcjit:
      return "mcjit";
  }
  return "";
}

}  // namespace firstcall
