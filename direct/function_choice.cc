#include "direct/function_choice.h"

#include <algorithm>

#include "base/status.h"
#include "bitcode/function_reader.h"
#include "direct/body_obstacles.h"
#include "direct/inevitable_calls.h"
#include "direct/likely_calls.h"
#include "ir/function.h"
#include "ir/global.h"
#include "seam/symbol_index.h"

namespace firstcall::direct {
namespace {

// Limits for functions that join (splitter/function_choice.cc).
constexpr size_t kMaxFunctions = 64;
constexpr size_t kMaxJoinedInstructions = 2000;

class Chooser {
 public:
  Chooser(const FunctionOrder& order, const std::shared_ptr<const ReadModule>& module,
          CompileContext& context)
      : order_(order),
        module_(*module),
        index_(*module->index),
        context_(context),
        reader_(context.ReaderOf(module)),
        sizes_(context.SizesOf(module)) {}

  absl::StatusOr<FunctionChoice> Choose() && {
    FIRSTCALL_RETURN_IF_ERROR(AddRequested());
    // The callees of a function that a debugger is to see with it (FunctionOrder::callees_along) do
    // not join: that needs debug information, which LLVM writes.
    if (order_.others_may_join && choice_.variables.empty()) {
      FIRSTCALL_RETURN_IF_ERROR(AddInevitableCallees());
      FIRSTCALL_RETURN_IF_ERROR(AddCompanions());
    }
    ListCallees();
    return std::move(choice_);
  }

 private:
  static absl::Status Refused(const char* obstacle) { return absl::UnimplementedError(obstacle); }

  uint32_t GlobalOf(SymbolOrdinal ordinal) const { return module_.numbers.GlobalOf(ordinal); }

  absl::Status AddRequested() {
    const SymbolOrdinal ordinal = order_.function;
    const uint32_t global = GlobalOf(ordinal);
    FIRSTCALL_RETURN_IF_ERROR(AddVariables());
    if (const char* obstacle = ObstacleInAttributes(module_.module().globals()[global])) {
      return Refused(obstacle);
    }
    ir::Function& body = context_.Body(0);
    FIRSTCALL_RETURN_IF_ERROR(ReadBody(global, body));
    if (const char* obstacle = ObstacleIn(body)) return Refused(obstacle);
    choice_.functions.push_back({global, ordinal});
    return absl::OkStatus();
  }

  // Nothing in the arrays depends on debug information, so a flag is all that there is to drop.
  absl::Status ReadBody(uint32_t global, ir::Function& body) {
    FIRSTCALL_RETURN_IF_ERROR(reader_.Read(global, body));
    if (context_.settings().drops_debug_info) body.has_debug_information = false;
    return absl::OkStatus();
  }

  // The variables of the requested function's group.
  absl::Status AddVariables() {
    for (SymbolOrdinal member : index_.GroupOf(order_.function)) {
      if (member == order_.function) continue;
      if (index_.at(member).kind != SymbolKind::kVariable) {
        return Refused("what is inseparable from other functions");
      }
      choice_.variables.push_back({GlobalOf(member), member});
    }
    return absl::OkStatus();
  }

  bool IsChosen(uint32_t global) const {
    return std::any_of(choice_.functions.begin(), choice_.functions.end(),
                       [&](const auto& chosen) { return chosen.global == global; });
  }

  // How many instructions the function has; 0 if it cannot join. Reads the body into the next free
  // place, unless that was done in a former compile. `is_read`: the body is there.
  uint32_t SizeOf(uint32_t global, bool& is_read) {
    is_read = false;
    if (sizes_.Has(global)) return sizes_[global];
    is_read = true;
    const uint32_t size =
        ReadCandidate(global) ? static_cast<uint32_t>(NextBody().instructions.size()) : 0;
    sizes_.Set(global, size);
    // Otherwise each place would come to have as much memory as a large function takes, though only
    // small ones join.
    if (NextBody().instructions.size() > kMaxJoinedInstructions) {
      context_.DropBody(choice_.functions.size());
      is_read = false;
    }
    return size;
  }

  ir::Function& NextBody() { return context_.Body(choice_.functions.size()); }

  bool ReadCandidate(uint32_t global) {
    const ir::Global& function = module_.module().globals()[global];
    const SymbolOrdinal ordinal = module_.numbers.OrdinalOf(global);
    return function.IsFunction() && index_.at(ordinal).is_definition &&
           !function.is_declaration() && !MustBeInlined(function) &&
           index_.GroupOf(ordinal).empty() && ObstacleInAttributes(function) == nullptr &&
           ReadBody(global, NextBody()).ok() && ObstacleIn(NextBody()) == nullptr;
  }

  // A body that was read in a former compile is read again only once the function has joined.
  absl::Status Add(uint32_t global, bool is_read) {
    const SymbolOrdinal ordinal = module_.numbers.OrdinalOf(global);
    if (!order_.may_join(ordinal)) return absl::OkStatus();
    if (!is_read) FIRSTCALL_RETURN_IF_ERROR(ReadBody(global, NextBody()));
    choice_.functions.push_back({global, ordinal});
    return absl::OkStatus();
  }

  // Adds the functions that those chosen are bound to call, what those are bound to call, and so
  // on.
  absl::Status AddInevitableCallees() {
    size_t instructions = 0;
    for (size_t i = 0; i < choice_.functions.size(); ++i) {
      const std::vector<uint32_t> callees = InevitableCallees(context_.Body(i));
      for (uint32_t callee : callees) {
        if (choice_.functions.size() >= kMaxFunctions) return absl::OkStatus();
        if (IsChosen(callee)) continue;
        bool is_read = false;
        const uint32_t size = SizeOf(callee, is_read);
        if (size == 0) continue;
        instructions += size;
        if (instructions > kMaxJoinedInstructions) return absl::OkStatus();
        FIRSTCALL_RETURN_IF_ERROR(Add(callee, is_read));
      }
    }
    return absl::OkStatus();
  }

  // See splitter/function_choice.cc: for a debugger. The function's code has no debug information,
  // so only functions behind it in the module join.
  absl::Status AddCompanions() {
    constexpr size_t kLooks = 16;
    const size_t requested = choice_.functions.size();
    const size_t count = std::min(index_.size(), kLooks * order_.companions);
    const size_t first = order_.function.value;
    for (size_t i = 1; i < count; ++i) {
      if (choice_.functions.size() - requested >= order_.companions) break;
      const SymbolOrdinal ordinal{static_cast<uint32_t>((first + i) % index_.size())};
      if (index_.at(ordinal).kind != SymbolKind::kFunction) continue;
      const uint32_t global = GlobalOf(ordinal);
      if (IsChosen(global)) continue;
      bool is_read = false;
      if (SizeOf(global, is_read) != 0) FIRSTCALL_RETURN_IF_ERROR(Add(global, is_read));
    }
    return absl::OkStatus();
  }

  void ListCallees() {
    if (!order_.lists_callees) return;
    for (uint32_t callee : LikelyCallees(context_.Body(0))) {
      const SymbolOrdinal ordinal = module_.numbers.OrdinalOf(callee);
      if (index_.at(ordinal).is_definition && !IsChosen(callee)) {
        choice_.callees.push_back(ordinal);
      }
    }
  }

  const FunctionOrder& order_;
  const ReadModule& module_;
  const SymbolIndex& index_;
  CompileContext& context_;
  bitcode::FunctionReader& reader_;
  NumberMap& sizes_;
  FunctionChoice choice_;
};

}  // namespace

absl::StatusOr<FunctionChoice> ChooseFunctions(const FunctionOrder& order,
                                               const std::shared_ptr<const ReadModule>& module,
                                               CompileContext& context) {
  return Chooser(order, module, context).Choose();
}

}  // namespace firstcall::direct
