#include "services/server/compile_service.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "base/status.h"
#include "base/status_coding.h"
#include "base/steady_clock.h"
#include "runtime/link/cached_object.h"
#include "services/server/sealed_bytes.h"
#include "services/server/seam_coding.h"

namespace firstcall {
namespace {

// How often passes look whether the client has given up the lane.
constexpr absl::Duration kLookInterval = absl::Milliseconds(2);

absl::Status BrokenProtocol() { return absl::InvalidArgumentError("not a message of a client"); }

template <typename T>
std::string AnswerOf(const absl::StatusOr<T>& result, std::string (*encode)(const T&)) {
  Encoder encoder;
  EncodeStatus(result.status(), encoder);
  std::string answer = std::move(encoder).Take();
  if (result.ok()) answer += encode(*result);
  return answer;
}

// The optimization that this thread runs: its lane, and how to stop it. Passes know no context.
thread_local const Lane* optimizing_lane = nullptr;
thread_local StopFlag* optimizing_flag = nullptr;
thread_local absl::Duration next_look;

void StopIfClosed() {
  if (optimizing_lane == nullptr || optimizing_flag->is_set()) return;
  const absl::Duration now = SteadyNow();
  if (now < next_look) return;
  next_look = now + kLookInterval;
  if (optimizing_lane->IsClosed()) optimizing_flag->Set();
}

}  // namespace

// The client's functions, asked over the lane. If that ends, everything is answered by no.
class CompileService::Request {
 public:
  Request(Lane& lane, const SymbolIndex& index) : lane_(lane), index_(index) {}

  // From now on, functions join uninvited if they may be claimed in `ahead`, which keeps threads of
  // this process from compiling them twice: the client is asked when it gets them.
  void InviteLater(CompileAhead& ahead, ModuleId module, SymbolOrdinal function) {
    ahead_ = &ahead;
    module_ = module;
    function_ = function;
  }

  // The compiler is asked once more, because it has failed. What it has claimed stays claimed.
  void BeginAgain() {
    joined_.clear();
    uninvited_.clear();
  }

  // Only a weak definition can be replaced.
  bool IsReplaced(SymbolOrdinal ordinal) {
    if (!index_.at(ordinal).is_weak) return false;
    const bool is_replaced = Ask(QuestionKind::kIsReplaced, ordinal);
    decisions_.push_back({ordinal, is_replaced});
    return is_replaced;
  }
  bool IsWarm(SymbolOrdinal ordinal) { return Ask(QuestionKind::kIsWarm, ordinal); }
  bool MayJoin(SymbolOrdinal ordinal) {
    if (ahead_ != nullptr && !index_.at(ordinal).is_weak) {
      if (!ahead_->Claim(module_, ordinal, function_)) return false;
      uninvited_.push_back(ordinal);
      joined_.push_back(ordinal);
      return true;
    }
    const bool joins = Ask(QuestionKind::kMayJoin, ordinal);
    // The client asks whether a weak one is replaced; if it joins, it is not.
    if (joins && index_.at(ordinal).is_weak) decisions_.push_back({ordinal, false});
    if (joins) joined_.push_back(ordinal);
    return joins;
  }

  bool RunPasses(absl::FunctionRef<void()> passes) {
    Note(lane_.Send(LaneMessage::kPassesBegin, ""));
    if (!status_.ok()) return false;
    passes();
    Note(lane_.Send(LaneMessage::kPassesEnd, ""));
    return ReceiveReply();
  }

  // Whether the client still answers.
  const absl::Status& status() const { return status_; }
  const std::vector<SymbolOrdinal>& joined() const { return joined_; }
  const std::vector<SymbolOrdinal>& uninvited() const { return uninvited_; }
  Decisions TakeDecisions() { return InOrder(std::move(decisions_)); }

 private:
  void Note(absl::Status status) {
    if (status_.ok()) status_ = std::move(status);
  }

  bool ReceiveReply() {
    if (!status_.ok()) return false;
    const absl::StatusOr<Lane::Message> reply = lane_.Receive();
    if (!reply.ok()) {
      Note(reply.status());
    } else if (reply->kind != LaneMessage::kReply || reply->body.size() != 1) {
      Note(BrokenProtocol());
    } else {
      return reply->body[0] != 0;
    }
    return false;
  }

  bool Ask(QuestionKind kind, SymbolOrdinal ordinal) {
    Encoder question;
    question.U8(static_cast<uint8_t>(kind));
    question.U32(ordinal.value);
    if (status_.ok()) Note(lane_.Send(LaneMessage::kQuestion, question.bytes()));
    return ReceiveReply();
  }

  Lane& lane_;
  const SymbolIndex& index_;
  absl::Status status_;
  Decisions decisions_;
  std::vector<SymbolOrdinal> joined_;
  std::vector<SymbolOrdinal> uninvited_;  // Of those that joined.
  CompileAhead* ahead_ = nullptr;
  ModuleId module_;
  SymbolOrdinal function_;
};

void CompileService::Serve(File file) {
  const KeptFile socket(std::move(file));
  // A client may wait as long as it likes before it asks.
  Lane lane(socket, absl::InfiniteDuration());
  while (true) {
    absl::StatusOr<Lane::Message> message = lane.Receive();
    if (!message.ok()) return;
    {
      absl::MutexLock lock(&mutex_);
      at_work_[&lane] = SteadyNow();
    }
    const absl::StatusOr<std::string> answer = Answer(lane, *std::move(message));
    {
      absl::MutexLock lock(&mutex_);
      at_work_.erase(&lane);
    }
    if (!answer.ok() || !lane.Send(LaneMessage::kAnswer, *answer).ok()) return;
  }
}

absl::Duration CompileService::longest_request() const {
  absl::MutexLock lock(&mutex_);
  absl::Duration longest;
  for (const auto& [lane, since] : at_work_) longest = std::max(longest, SteadyNow() - since);
  return longest;
}

bool CompileService::IsBody(const Module& module, SymbolOrdinal function) {
  if (function.value >= module.index->size()) return false;
  const Symbol symbol = module.index->at(function);
  return symbol.kind == SymbolKind::kFunction && symbol.is_definition;
}

std::shared_ptr<CompileService::Module> CompileService::Find(ModuleId id) const {
  absl::MutexLock lock(&mutex_);
  auto found = modules_.find(id);
  return found == modules_.end() ? nullptr : found->second;
}

absl::StatusOr<std::string> CompileService::Answer(Lane& lane, Lane::Message message) {
  switch (message.kind) {
    case LaneMessage::kAdd:
      return Add(std::move(message));
    case LaneMessage::kCompileFunction:
      return CompileFunction(lane, message.body);
    case LaneMessage::kCompileData:
      return CompileData(lane, message.body, /*whole=*/false);
    case LaneMessage::kCompileWhole:
      return CompileData(lane, message.body, /*whole=*/true);
    case LaneMessage::kOptimize:
      return Optimize(lane, message.body);
    default:
      return AnswerAboutModule(message.kind, message.body);
  }
}

absl::StatusOr<std::string> CompileService::Add(Lane::Message message) {
  Decoder decoder(message.body);
  ModuleOrder order;
  order.id.value = decoder.U32();
  const uint8_t form = decoder.U8();
  const bool wants_index = decoder.U8() != 0;
  order.contents.name = std::string(decoder.String());
  if (!decoder.ok() || form > static_cast<uint8_t>(ModuleContents::Form::kText) ||
      !message.file.is_open() || Find(order.id) != nullptr) {
    return BrokenProtocol();
  }
  order.contents.form = static_cast<ModuleContents::Form>(form);
  FIRSTCALL_ASSIGN_OR_RETURN(order.contents.bytes, MapSealedBytes(message.file));
  const ModuleId id = order.id;
  const bool is_reopenable = order.contents.form == ModuleContents::Form::kBitcode;
  const absl::StatusOr<std::shared_ptr<const SymbolIndex>> index = compiler_.Add(std::move(order));
  Encoder encoder;
  EncodeStatus(index.status(), encoder);
  if (!index.ok()) return std::move(encoder).Take();
  if (wants_index) encoder.Raw((*index)->Encode());
  store_.Add(id, *index);
  absl::MutexLock lock(&mutex_);
  modules_.emplace(id, std::make_shared<Module>(*index, is_reopenable));
  return std::move(encoder).Take();
}

absl::StatusOr<std::string> CompileService::CompileFunction(Lane& lane, absl::string_view body) {
  FIRSTCALL_ASSIGN_OR_RETURN(OrderValues values, DecodeOrder(body));
  const std::shared_ptr<Module> module = Find(values.module);
  if (module == nullptr || !IsBody(*module, values.function)) return BrokenProtocol();
  SentFunction sent;
  Request request(lane, *module->index);
  CompileAhead::Taken taken = ahead_.Take(values);
  if (taken.made) {
    const bool is_right =
        std::none_of(taken.made->weak.begin(), taken.made->weak.end(),
                     [&](SymbolOrdinal weak) { return request.IsReplaced(weak); });
    FIRSTCALL_RETURN_IF_ERROR(request.status());
    if (!is_right) taken.made = std::nullopt;
  }
  if (taken.made) {
    sent = {std::move(taken.made->function), std::move(taken.made->joined)};
    store_.Keep(values, sent.function, request.TakeDecisions(), sent.uninvited);
  } else {
    if (taken.must_read_again && module->is_reopenable) compiler_.ReadAgain(values.module);
    if (values.others_may_join) request.InviteLater(ahead_, values.module, values.function);
    const auto is_replaced = [&](SymbolOrdinal ordinal) { return request.IsReplaced(ordinal); };
    const auto may_join = [&](SymbolOrdinal ordinal) { return request.MayJoin(ordinal); };
    FunctionOrder order{values.module, values.function, is_replaced, may_join};
    order.others_may_join = values.others_may_join;
    order.is_far = values.is_far;
    order.callees_along = values.callees_along;
    order.companions = values.companions;
    order.lists_callees = values.lists_callees;
    order.polls = values.polls;
    order.identification = values.identification;
    absl::StatusOr<CompiledFunction> function = compiler_.CompileFunction(order);
    if (absl::IsFailedPrecondition(function.status()) && module->is_reopenable) {
      // Its body was moved out of what this thread has read, by the thread that compiles ahead.
      compiler_.ReadAgain(values.module);
      request.BeginAgain();
      function = compiler_.CompileFunction(order);
    }
    FIRSTCALL_RETURN_IF_ERROR(request.status());
    if (!function.ok()) return AnswerOf<SentFunction>(function.status(), EncodeFunction);
    sent = {*std::move(function), request.uninvited()};
    store_.Keep(values, sent.function, request.TakeDecisions(), request.joined());
  }
  ahead_.NoteObject(values, module->index, sent.function.object.bytes);
  return AnswerOf<SentFunction>(std::move(sent), EncodeFunction);
}

absl::StatusOr<std::string> CompileService::CompileData(Lane& lane, absl::string_view body,
                                                        bool whole) {
  FIRSTCALL_ASSIGN_OR_RETURN(OrderValues values, DecodeOrder(body));
  const std::shared_ptr<Module> module = Find(values.module);
  // Data are moved out of what was read, so they can be asked for once.
  if (module == nullptr || module->data_was_asked_for.exchange(true)) return BrokenProtocol();
  Request request(lane, *module->index);
  const auto is_replaced = [&](SymbolOrdinal ordinal) { return request.IsReplaced(ordinal); };
  DataOrder order{values.module, is_replaced, values.is_far};
  order.identification = values.identification;
  const absl::StatusOr<CompiledObject> object =
      whole ? compiler_.CompileWhole(order) : compiler_.CompileData(order);
  FIRSTCALL_RETURN_IF_ERROR(request.status());
  if (object.ok() && !whole) store_.KeepData(values, *object, request.TakeDecisions());
  return AnswerOf(object, EncodeObject);
}

absl::StatusOr<std::string> CompileService::Optimize(Lane& lane, absl::string_view body) {
  FIRSTCALL_ASSIGN_OR_RETURN(OrderValues values, DecodeOrder(body));
  const std::shared_ptr<Module> module = Find(values.module);
  if (module == nullptr || !IsBody(*module, values.function)) return BrokenProtocol();
  Request request(lane, *module->index);
  const auto is_replaced = [&](SymbolOrdinal ordinal) { return request.IsReplaced(ordinal); };
  const auto is_warm = [&](SymbolOrdinal ordinal) { return request.IsWarm(ordinal); };
  const auto run = [&](absl::FunctionRef<void()> passes) { return request.RunPasses(passes); };
  const auto stop = std::make_shared<StopFlag>();
  optimizing_flag = stop.get();
  optimizing_lane = &lane;
  const absl::StatusOr<CompiledObject> object = compiler_.Optimize(
      {values.module, values.function, values.loop, values.is_far, stop, &StopIfClosed, is_replaced,
       is_warm, run, values.identification, values.counts_branches, std::move(values.counts),
       /*keeps_debug_info=*/false, values.asks_when_called});
  optimizing_lane = nullptr;
  FIRSTCALL_RETURN_IF_ERROR(request.status());
  return AnswerOf(object, EncodeObject);
}

absl::StatusOr<std::string> CompileService::AnswerAboutModule(LaneMessage kind,
                                                              absl::string_view body) {
  Decoder decoder(body);
  const ModuleId id{decoder.U32()};
  const std::shared_ptr<Module> module = Find(id);
  if (!decoder.ok() || module == nullptr) return BrokenProtocol();
  const auto function = [&]() -> absl::StatusOr<SymbolOrdinal> {
    const SymbolOrdinal ordinal{decoder.U32()};
    if (!decoder.ok() || !IsBody(*module, ordinal)) return BrokenProtocol();
    return ordinal;
  };
  const std::string ok(1, '\0');  // An OK status.
  switch (kind) {
    case LaneMessage::kDigestBodies: {
      const absl::StatusOr<BodyDigests> digests = compiler_.DigestBodies(id);
      return AnswerOf(
          digests, +[](const BodyDigests& read) { return read.Encode(); });
    }
    case LaneMessage::kReadLabels: {
      const absl::StatusOr<AssemblyLabels> labels = compiler_.ReadLabels(id);
      return AnswerOf(
          labels, +[](const AssemblyLabels& read) { return read.Encode(); });
    }
    case LaneMessage::kReadEntryPoint: {
      FIRSTCALL_ASSIGN_OR_RETURN(SymbolOrdinal ordinal, function());
      const absl::StatusOr<EntryPoint> entry = compiler_.ReadEntryPoint(id, ordinal);
      if (entry.ok()) store_.KeepEntryPoint(id, ordinal, *entry);
      return AnswerOf(
          entry, +[](const EntryPoint& read) { return read.Encode(); });
    }
    case LaneMessage::kReadShape: {
      FIRSTCALL_ASSIGN_OR_RETURN(SymbolOrdinal ordinal, function());
      return AnswerOf(compiler_.ReadShape(id, ordinal, decoder.U8() != 0), EncodeShape);
    }
    case LaneMessage::kReadAgain:
      compiler_.ReadAgain(id);
      return ok;
    case LaneMessage::kForgetFunctions:
      ahead_.Forget(id);
      compiler_.ForgetFunctions(id, decoder.U8() != 0);
      return ok;
    case LaneMessage::kRemove: {
      ahead_.Forget(id);
      compiler_.Remove(id);
      store_.Remove(id);
      absl::MutexLock lock(&mutex_);
      modules_.erase(id);
      return ok;
    }
    default:
      return BrokenProtocol();
  }
}

}  // namespace firstcall
