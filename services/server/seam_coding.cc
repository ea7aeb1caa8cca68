#include "services/server/seam_coding.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/base/const_init.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "base/coding.h"
#include "runtime/link/cached_object.h"
#include "seam/settings_table.h"

namespace firstcall {
namespace {

// Names of an enumeration's values are not sent; the last of each says what is valid.
constexpr auto kLastGenerator = static_cast<uint8_t>(Generator::kMcjit);
constexpr auto kLastSlotKind = static_cast<uint8_t>(FunctionShape::Slot::Kind::kOther);
constexpr auto kLastExtension = static_cast<uint8_t>(Extension::kZero);
constexpr uint8_t kNone = 0xff;

// Refusals are few, and short; more come from a process that is not ours.
constexpr size_t kMostRefusals = 256;
constexpr size_t kLongestRefusal = 200;

absl::Status Damaged() { return absl::InvalidArgumentError("a damaged message"); }

template <typename Enum>
bool Read(Decoder& decoder, uint8_t last, Enum& value) {
  const uint8_t number = decoder.U8();
  value = static_cast<Enum>(number);
  return number <= last;
}

template <typename Enum>
bool Read(Decoder& decoder, uint8_t last, std::optional<Enum>& value) {
  const uint8_t number = decoder.U8();
  if (number == kNone) return true;
  value = static_cast<Enum>(number);
  return number <= last;
}

template <typename Enum>
uint8_t NumberOf(const std::optional<Enum>& value) {
  return value ? static_cast<uint8_t>(*value) : kNone;
}

void EncodeAll(const std::vector<SymbolOrdinal>& ordinals, Encoder& encoder) {
  encoder.U32(static_cast<uint32_t>(ordinals.size()));
  for (SymbolOrdinal ordinal : ordinals) encoder.U32(ordinal.value);
}

bool DecodeAll(Decoder& decoder, size_t symbol_count, std::vector<SymbolOrdinal>& ordinals) {
  ordinals.resize(decoder.Count(4));
  bool are_valid = true;
  for (SymbolOrdinal& ordinal : ordinals) {
    ordinal.value = decoder.U32();
    are_valid = are_valid && ordinal.value < symbol_count;
  }
  return are_valid;
}

// A copy of `text` that is never freed; "other" if there are too many.
absl::string_view Keep(absl::string_view text) {
  ABSL_CONST_INIT static absl::Mutex mutex(absl::kConstInit);
  static auto* const kept = new absl::flat_hash_set<std::string>();
  if (text.empty()) return "";
  absl::MutexLock lock(&mutex);
  auto found = kept->find(text);
  if (found != kept->end()) return *found;
  if (kept->size() >= kMostRefusals || text.size() > kLongestRefusal) return "other";
  kept->reserve(kMostRefusals);  // The texts stay where they are.
  return *kept->insert(std::string(text)).first;
}

void EncodeOrigin(const CodeOrigin& origin, Encoder& encoder) {
  encoder.U8(static_cast<uint8_t>(origin.generator));
  encoder.String(origin.refusal);
}

bool DecodeOrigin(Decoder& decoder, CodeOrigin& origin) {
  const bool is_valid = Read(decoder, kLastGenerator, origin.generator);
  origin.refusal = Keep(decoder.String());
  return is_valid && origin.generator != Generator::kUser;
}

void EncodeCounts(const std::vector<BranchCounts>& counts, Encoder& encoder) {
  encoder.U32(static_cast<uint32_t>(counts.size()));
  for (const BranchCounts& of_function : counts) {
    encoder.U32(of_function.function.value);
    encoder.U64(of_function.shape);
    encoder.U32(static_cast<uint32_t>(of_function.counts.size()));
    for (uint64_t count : of_function.counts) encoder.U64(count);
    encoder.U32(static_cast<uint32_t>(of_function.calls.size()));
    for (const CallCounts& call : of_function.calls) {
      encoder.U64(call.count);
      encoder.U32(static_cast<uint32_t>(call.targets.size()));
      for (const CallTarget& target : call.targets) {
        encoder.U32(target.function.value);
        encoder.U8(target.is_in_table);
        encoder.U64(target.count);
      }
    }
  }
}

void DecodeCounts(Decoder& decoder, std::vector<BranchCounts>& counts) {
  counts.resize(decoder.Count(20));
  for (BranchCounts& of_function : counts) {
    of_function.function.value = decoder.U32();
    of_function.shape = decoder.U64();
    of_function.counts.resize(decoder.Count(8));
    for (uint64_t& count : of_function.counts) count = decoder.U64();
    of_function.calls.resize(decoder.Count(12));
    for (CallCounts& call : of_function.calls) {
      call.count = decoder.U64();
      call.targets.resize(decoder.Count(13));
      for (CallTarget& target : call.targets) {
        target.function.value = decoder.U32();
        target.is_in_table = decoder.U8() != 0;
        target.count = decoder.U64();
      }
    }
  }
}

void EncodePassing(const IntegerPassing& passing, Encoder& encoder) {
  encoder.U32(passing.bits);
  encoder.U8(static_cast<uint8_t>(passing.extension));
}

void EncodeSlots(const std::vector<FunctionShape::Slot>& slots, Encoder& encoder) {
  encoder.U32(static_cast<uint32_t>(slots.size()));
  for (const FunctionShape::Slot& slot : slots) {
    encoder.U8(static_cast<uint8_t>(slot.kind));
    EncodePassing(slot.integer, encoder);
    encoder.U64(slot.bytes);
    encoder.U64(slot.alignment);
    encoder.U32(static_cast<uint32_t>(slot.array));
    encoder.U8(slot.begins_parameter);
    encoder.String(slot.name);
  }
}

bool DecodeSlots(Decoder& decoder, std::vector<FunctionShape::Slot>& slots) {
  slots.resize(decoder.Count(31));
  bool are_valid = true;
  for (FunctionShape::Slot& slot : slots) {
    are_valid = Read(decoder, kLastSlotKind, slot.kind) && are_valid;
    slot.integer.bits = decoder.U32();
    are_valid = Read(decoder, kLastExtension, slot.integer.extension) && are_valid;
    slot.bytes = decoder.U64();
    slot.alignment = decoder.U64();
    slot.array = decoder.U32();
    slot.begins_parameter = decoder.U8() != 0;
    slot.name = std::string(decoder.String());
    // An array's slots are taken from the list of slots.
    are_valid = are_valid && slot.array <= slots.size() && slot.alignment != 0;
  }
  return are_valid;
}

// What settings are.
template <typename Enum>
void Encode(Enum value, Encoder& encoder) {
  static_assert(std::is_enum_v<Enum> || std::is_same_v<Enum, bool>);
  encoder.U8(static_cast<uint8_t>(value));
}
template <typename Enum>
void Encode(const std::optional<Enum>& value, Encoder& encoder) {
  encoder.U8(NumberOf(value));
}
void Encode(const std::string& value, Encoder& encoder) { encoder.String(value); }
void Encode(const std::vector<std::string>& values, Encoder& encoder) {
  encoder.U32(static_cast<uint32_t>(values.size()));
  for (const std::string& value : values) encoder.String(value);
}
// EncodeSettings refuses these.
void Encode(const std::shared_ptr<const llvm::TargetOptions>&, Encoder&) {}

template <typename Enum>
bool Decode(Decoder& decoder, Enum& value) {
  return Read(decoder, static_cast<uint8_t>(kLastOf<Enum>), value);
}
template <typename Enum>
bool Decode(Decoder& decoder, std::optional<Enum>& value) {
  return Read(decoder, static_cast<uint8_t>(kLastOf<Enum>), value);
}
bool Decode(Decoder& decoder, bool& value) {
  const uint8_t number = decoder.U8();
  value = number != 0;
  return number <= 1;
}
bool Decode(Decoder& decoder, std::string& value) {
  value = std::string(decoder.String());
  return true;
}
bool Decode(Decoder& decoder, std::vector<std::string>& values) {
  values.resize(decoder.Count(4));
  for (std::string& value : values) value = std::string(decoder.String());
  return true;
}
bool Decode(Decoder&, std::shared_ptr<const llvm::TargetOptions>&) { return true; }

}  // namespace

absl::StatusOr<std::string> EncodeSettings(const CompilerSettings& settings) {
  const TargetSettings& target = settings.target;
  if (target.target_options != nullptr) {
    return absl::InvalidArgumentError(
        "options of LLVM's code generator that are objects cannot be sent to a compile server");
  }
  Encoder encoder;
  ForEachSetting(target, [&](const char*, const auto& value) { Encode(value, encoder); });
  encoder.U8(settings.optimizes_ir);
  encoder.U8(settings.promotes);
  encoder.U8(settings.handles_failures);
  encoder.U8(settings.emulates_thread_locals);
  return std::move(encoder).Take();
}

absl::StatusOr<CompilerSettings> DecodeSettings(absl::string_view bytes) {
  Decoder decoder(bytes);
  CompilerSettings settings;
  bool is_valid = true;
  ForEachSetting(settings.target,
                 [&](const char*, auto& value) { is_valid = Decode(decoder, value) && is_valid; });
  settings.optimizes_ir = decoder.U8() != 0;
  settings.promotes = decoder.U8() != 0;
  settings.handles_failures = decoder.U8() != 0;
  settings.emulates_thread_locals = decoder.U8() != 0;
  if (!is_valid || !decoder.ok() || !decoder.rest().empty()) return Damaged();
  return settings;
}

OrderValues ValuesOf(const FunctionOrder& order) {
  OrderValues values;
  values.module = order.module;
  values.function = order.function;
  values.is_far = order.is_far;
  values.lists_callees = order.lists_callees;
  values.others_may_join = order.others_may_join;
  values.callees_along = static_cast<uint32_t>(std::min<size_t>(order.callees_along, UINT32_MAX));
  values.companions = static_cast<uint32_t>(std::min<size_t>(order.companions, UINT32_MAX));
  values.polls = order.polls;
  values.identification = order.identification;
  return values;
}

OrderValues ValuesOf(const DataOrder& order) {
  OrderValues values;
  values.module = order.module;
  values.is_far = order.is_far;
  values.identification = order.identification;
  return values;
}

OrderValues ValuesOf(const OptimizationOrder& order) {
  OrderValues values;
  values.module = order.module;
  values.function = order.function;
  values.loop = order.loop;
  values.is_far = order.is_far;
  values.identification = order.identification;
  values.counts_branches = order.counts_branches;
  values.asks_when_called = order.asks_when_called;
  values.counts = order.counts;
  return values;
}

std::string EncodeOrder(const OrderValues& order) {
  Encoder encoder;
  encoder.U32(order.module.value);
  encoder.U32(order.function.value);
  encoder.U8(order.loop.has_value());
  encoder.U32(order.loop.value_or(0));
  encoder.U8(order.is_far);
  encoder.U8(order.lists_callees);
  encoder.U8(order.others_may_join);
  encoder.U32(order.callees_along);
  encoder.U32(order.companions);
  encoder.U8(order.polls.has_value());
  const PollOptions polls = order.polls.value_or(PollOptions());
  encoder.U8(polls.asks_when_called);
  encoder.U64(static_cast<uint64_t>(polls.allowance));
  encoder.U8(order.identification.has_value());
  if (order.identification) {
    encoder.String(order.identification->part);
    encoder.String(order.identification->signature);
  }
  encoder.U8(order.counts_branches);
  encoder.U8(order.asks_when_called);
  EncodeCounts(order.counts, encoder);
  return std::move(encoder).Take();
}

absl::StatusOr<OrderValues> DecodeOrder(absl::string_view bytes) {
  Decoder decoder(bytes);
  OrderValues order;
  order.module.value = decoder.U32();
  order.function.value = decoder.U32();
  const bool has_loop = decoder.U8() != 0;
  const uint32_t loop = decoder.U32();
  if (has_loop) order.loop = loop;
  order.is_far = decoder.U8() != 0;
  order.lists_callees = decoder.U8() != 0;
  order.others_may_join = decoder.U8() != 0;
  order.callees_along = decoder.U32();
  order.companions = decoder.U32();
  const bool has_polls = decoder.U8() != 0;
  PollOptions polls;
  polls.asks_when_called = decoder.U8() != 0;
  polls.allowance = static_cast<int64_t>(decoder.U64());
  if (has_polls) order.polls = polls;
  if (decoder.U8() != 0) {
    Identification identification;
    identification.part = std::string(decoder.String());
    identification.signature = std::string(decoder.String());
    order.identification = std::move(identification);
  }
  order.counts_branches = decoder.U8() != 0;
  order.asks_when_called = decoder.U8() != 0;
  DecodeCounts(decoder, order.counts);
  if (!decoder.ok() || !decoder.rest().empty()) return Damaged();
  return order;
}

std::string EncodeObject(const CompiledObject& object) {
  Encoder encoder;
  encoder.Reserve(object.bytes.size() + 64 + 4 * object.sources.size());
  EncodeAll(object.sources, encoder);
  encoder.U64(object.imported);
  encoder.U64(object.facts);
  encoder.U64(static_cast<uint64_t>(absl::ToInt64Nanoseconds(object.split)));
  encoder.U64(static_cast<uint64_t>(absl::ToInt64Nanoseconds(object.emit)));
  encoder.U64(static_cast<uint64_t>(absl::ToInt64Nanoseconds(object.optimize)));
  encoder.U8(object.counters.has_value());
  const BranchCounters counters = object.counters.value_or(BranchCounters());
  encoder.U64(counters.shape);
  encoder.U64(counters.count);
  encoder.U64(counters.calls);
  EncodeOrigin(object.origin, encoder);
  encoder.Raw(object.bytes);
  return std::move(encoder).Take();
}

absl::StatusOr<CompiledObject> DecodeObject(absl::string_view bytes, size_t symbol_count) {
  Decoder decoder(bytes);
  CompiledObject object;
  bool is_valid = DecodeAll(decoder, symbol_count, object.sources);
  object.imported = decoder.U64();
  object.facts = decoder.U64();
  object.split = absl::Nanoseconds(static_cast<int64_t>(decoder.U64()));
  object.emit = absl::Nanoseconds(static_cast<int64_t>(decoder.U64()));
  object.optimize = absl::Nanoseconds(static_cast<int64_t>(decoder.U64()));
  const bool has_counters = decoder.U8() != 0;
  BranchCounters counters;
  counters.shape = decoder.U64();
  counters.count = decoder.U64();
  counters.calls = decoder.U64();
  if (has_counters) object.counters = counters;
  is_valid = DecodeOrigin(decoder, object.origin) && is_valid;
  if (!is_valid || !decoder.ok()) return Damaged();
  object.bytes = ObjectBytes(decoder.rest());
  return object;
}

std::string EncodeFunction(const SentFunction& sent) {
  const CompiledFunction& function = sent.function;
  Encoder encoder;
  encoder.Reserve(function.object.bytes.size() + 256);
  EncodeAll(sent.uninvited, encoder);
  EncodeAll(function.callees, encoder);
  encoder.U64(static_cast<uint64_t>(function.poll_balance));
  EncodeOrigin(function.object.origin, encoder);
  encoder.U64(static_cast<uint64_t>(absl::ToInt64Nanoseconds(function.object.split)));
  encoder.U64(static_cast<uint64_t>(absl::ToInt64Nanoseconds(function.object.emit)));
  // The rest is what a cache would keep.
  CachedObject description;
  description.leader = function.leader;
  description.functions = function.functions;
  description.variables = function.variables;
  description.hotness_signs = function.hotness_signs;
  description.sources = function.object.sources;
  description.labels = function.labels;
  encoder.Raw(EncodeCachedObject(description, function.object.bytes));
  return std::move(encoder).Take();
}

absl::StatusOr<SentFunction> DecodeFunction(absl::string_view bytes, size_t symbol_count) {
  Decoder decoder(bytes);
  SentFunction sent;
  CompiledFunction& function = sent.function;
  bool is_valid = DecodeAll(decoder, symbol_count, sent.uninvited);
  is_valid = DecodeAll(decoder, symbol_count, function.callees) && is_valid;
  function.poll_balance = static_cast<int64_t>(decoder.U64());
  is_valid = DecodeOrigin(decoder, function.object.origin) && is_valid;
  function.object.split = absl::Nanoseconds(static_cast<int64_t>(decoder.U64()));
  function.object.emit = absl::Nanoseconds(static_cast<int64_t>(decoder.U64()));
  if (!is_valid || !decoder.ok()) return Damaged();
  std::optional<CachedObject> described =
      DecodeCachedObject(ObjectBytes(decoder.rest()), symbol_count);
  if (!described) return Damaged();
  function.leader = described->leader;
  function.functions = std::move(described->functions);
  function.variables = std::move(described->variables);
  function.hotness_signs = std::move(described->hotness_signs);
  function.object.sources = std::move(described->sources);
  function.labels = std::move(described->labels);
  function.object.bytes = std::move(described->object);
  return sent;
}

std::string EncodeShape(const FunctionShape& shape) {
  const FunctionShape::Signature& signature = shape.signature();
  Encoder encoder;
  EncodeSlots(signature.parameters, encoder);
  EncodeSlots(signature.results, encoder);
  encoder.U8(signature.has_hidden_result);
  encoder.U8(signature.is_variadic);
  return std::move(encoder).Take();
}

absl::StatusOr<FunctionShape> DecodeShape(absl::string_view bytes) {
  Decoder decoder(bytes);
  FunctionShape::Signature signature;
  const bool has_parameters = DecodeSlots(decoder, signature.parameters);
  const bool has_results = DecodeSlots(decoder, signature.results);
  signature.has_hidden_result = decoder.U8() != 0;
  signature.is_variadic = decoder.U8() != 0;
  if (!has_parameters || !has_results || !decoder.ok()) return Damaged();
  return FunctionShape(std::move(signature));
}

}  // namespace firstcall
