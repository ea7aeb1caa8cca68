#include "services/server/remote_compiler.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/coding.h"
#include "base/status.h"
#include "base/status_coding.h"
#include "base/steady_clock.h"
#include "object/elf_linker.h"
#include "services/server/sealed_bytes.h"
#include "services/server/seam_coding.h"

namespace firstcall {
namespace {

// How often a thread that waits for passes looks whether they are still wanted.
constexpr absl::Duration kLookInterval = absl::Milliseconds(5);

// Passes that optimize may take a minute, and the program does not wait for them.
constexpr int kBudgetsForPasses = 20;

absl::Status Damaged() { return absl::UnavailableError("the compile server sent a wrong answer"); }

// A compiler is asked for what was lost with the connection; a worker's own errors are answers.
bool IsWithoutServer(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsFailedPrecondition(status) || absl::IsPermissionDenied(status) ||
         absl::IsResourceExhausted(status);
}

}  // namespace

// The functions of a request. What was claimed for a worker that has ended stays claimed.
struct RemoteCompiler::Questions {
  const IsReplaced* is_replaced = nullptr;
  const MayJoin* may_join = nullptr;
  const IsWarm* is_warm = nullptr;
  const OptimizationOrder* optimization = nullptr;  // Null: there are no passes.
  size_t symbol_count = 0;
  std::vector<SymbolOrdinal> joined;
  bool is_wanted = true;
};

absl::StatusOr<std::unique_ptr<RemoteCompiler>> RemoteCompiler::Create(
    const CompilerSettings& settings, ServerAddress server, Local fallback, Local describer) {
  absl::StatusOr<std::string> encoded = EncodeSettings(settings);
  std::unique_ptr<RemoteCompiler> compiler(new RemoteCompiler(
      encoded.ok() ? *encoded : "", std::move(server), std::move(fallback), std::move(describer)));
  absl::Status status = encoded.status();
  if (status.ok()) {
    status = compiler->Session().status();
    if (!status.ok() && !IsWithoutServer(status)) return status;
  }
  if (!status.ok()) FIRSTCALL_RETURN_IF_ERROR(compiler->UseFallback(status));
  return compiler;
}

absl::StatusOr<std::shared_ptr<WorkerSession>> RemoteCompiler::Session() {
  absl::MutexLock lock(&mutex_);
  if (session_ == nullptr || session_->is_lost()) {
    session_ = nullptr;
    FIRSTCALL_ASSIGN_OR_RETURN(session_, WorkerSession::Begin(server_, settings_));
  }
  return session_;
}

absl::Status RemoteCompiler::UseFallback(const absl::Status& reason) {
  absl::MutexLock lock(&mutex_);
  if (fallback() != nullptr) return absl::OkStatus();
  if (!make_fallback_) return reason;
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<Compiler> compiler, make_fallback_(reason.message()));
  for (const auto& [id, module] : modules_) {
    FIRSTCALL_RETURN_IF_ERROR(compiler->Add(module->order).status());
  }
  owned_fallback_ = std::move(compiler);
  session_ = nullptr;
  fallback_.store(owned_fallback_.get(), std::memory_order_release);
  return absl::OkStatus();
}

std::shared_ptr<RemoteCompiler::Module> RemoteCompiler::Find(ModuleId id) const {
  absl::MutexLock lock(&mutex_);
  auto found = modules_.find(id);
  return found == modules_.end() ? nullptr : found->second;
}

size_t RemoteCompiler::SymbolCount(ModuleId id) const {
  absl::MutexLock lock(&mutex_);
  auto found = modules_.find(id);
  if (found == modules_.end() || found->second->order.index == nullptr) return 0;
  return found->second->order.index->size();
}

absl::Status RemoteCompiler::Reply(Lane& lane, absl::string_view question, Questions& questions) {
  Decoder decoder(question);
  const auto kind = static_cast<QuestionKind>(decoder.U8());
  const SymbolOrdinal ordinal{decoder.U32()};
  if (!decoder.ok() || ordinal.value >= questions.symbol_count) return Damaged();
  bool answer = false;
  if (kind == QuestionKind::kIsReplaced && questions.is_replaced != nullptr) {
    answer = (*questions.is_replaced)(ordinal);
  } else if (kind == QuestionKind::kIsWarm && questions.is_warm != nullptr) {
    answer = (*questions.is_warm)(ordinal);
  } else if (kind == QuestionKind::kMayJoin && questions.may_join != nullptr) {
    std::vector<SymbolOrdinal>& joined = questions.joined;
    answer = std::find(joined.begin(), joined.end(), ordinal) != joined.end();
    if (!answer && (*questions.may_join)(ordinal)) {
      joined.push_back(ordinal);
      answer = true;
    }
  } else {
    return Damaged();
  }
  const char byte = answer ? 1 : 0;
  return lane.Send(LaneMessage::kReply, {&byte, 1});
}

// After passes whose result is not wanted, the compiler may be gone: nothing of it is used.
absl::StatusOr<bool> RemoteCompiler::RunPasses(Lane& lane, Questions& questions) {
  const OptimizationOrder* const order = questions.optimization;
  if (order == nullptr) return Damaged();
  const std::shared_ptr<StopFlag> stop = order->stop;
  void (*const stop_if_exiting)() = order->stop_if_exiting;
  const absl::Duration deadline = SteadyNow() + kBudgetsForPasses * lane.budget();
  absl::StatusOr<Lane::Message> ended = absl::DeadlineExceededError("it does not answer");
  const auto wait = [&] {
    do {
      if (lane.WaitToReceive(kLookInterval)) {
        ended = lane.Receive();
        return;
      }
      if (stop_if_exiting != nullptr) stop_if_exiting();
      if (stop != nullptr && stop->is_set()) {
        ended = absl::CancelledError("nobody wants it any more");
        return;
      }
    } while (SteadyNow() < deadline);
  };
  const bool is_wanted = order->run_passes(wait);
  questions.is_wanted = is_wanted;
  if (!is_wanted || absl::IsCancelled(ended.status())) return false;
  FIRSTCALL_RETURN_IF_ERROR(ended.status());
  if (ended->kind != LaneMessage::kPassesEnd) return Damaged();
  const char yes = 1;
  FIRSTCALL_RETURN_IF_ERROR(lane.Send(LaneMessage::kReply, {&yes, 1}));
  return true;
}

RemoteCompiler::Answer RemoteCompiler::Exchange(WorkerSession& session, LaneMessage kind,
                                                absl::string_view body, int file,
                                                Questions& questions) {
  Answer answer;
  absl::StatusOr<WorkerSession::ClientLane> taken = session.TakeLane();
  answer.lost = taken.status();
  if (!answer.lost.ok()) return answer;
  Lane& lane = *taken->lane;
  answer.lost = lane.Send(kind, body, file);
  while (answer.lost.ok()) {
    absl::StatusOr<Lane::Message> message = lane.Receive();
    if (!message.ok()) {
      answer.lost = message.status();
    } else if (message->kind == LaneMessage::kQuestion) {
      answer.lost = Reply(lane, message->body, questions);
    } else if (message->kind == LaneMessage::kPassesBegin) {
      const absl::StatusOr<bool> goes_on = RunPasses(lane, questions);
      answer.lost = goes_on.status();
      if (!goes_on.ok() || *goes_on) continue;
      // The lane is closed, which tells the worker.
      answer.status = absl::CancelledError("nobody wants it any more");
      return answer;
    } else if (message->kind == LaneMessage::kAnswer) {
      Decoder decoder(message->body);
      answer.status = DecodeStatus(decoder);
      answer.result = std::string(decoder.rest());
      session.ReturnLane(*std::move(taken));
      return answer;
    } else {
      answer.lost = Damaged();
    }
  }
  return answer;
}

RemoteCompiler::Answer RemoteCompiler::AddTo(WorkerSession& session, ModuleId id) {
  Answer answer;
  const std::shared_ptr<Module> module = Find(id);
  if (module == nullptr) return answer;
  absl::MutexLock lock(&session.adding_mutex());
  if (session.added().contains(id)) return answer;
  ModuleOrder& order = module->order;
  const auto contents = order.contents.bytes->Settled(order.contents.digest);
  if (!contents.ok()) {
    answer.status = contents.status();
    return answer;
  }
  const absl::StatusOr<File> file = SealBytes((*contents)->bytes());
  order.contents.bytes->ReleasePages();
  if (!file.ok()) {
    answer.status = file.status();
    return answer;
  }
  // Nothing is kept of a module without a digest.
  if (!order.contents.digest.empty()) session.NoteModule(order.contents.digest);
  Encoder encoder;
  encoder.U32(id.value);
  encoder.U8(static_cast<uint8_t>(order.contents.form));
  encoder.U8(order.index == nullptr);
  encoder.String(order.contents.name);
  Questions none;
  answer = Exchange(session, LaneMessage::kAdd, encoder.bytes(), file->number(), none);
  if (!answer.lost.ok() || !answer.status.ok()) return answer;
  if (order.index == nullptr) {
    absl::StatusOr<SymbolIndex> index = SymbolIndex::Decode(ByteBuffer(std::move(answer.result)));
    if (!index.ok()) {
      answer.lost = Damaged();
      return answer;
    }
    absl::MutexLock modules_lock(&mutex_);  // UseFallback copies the order.
    order.index = std::make_shared<const SymbolIndex>(*std::move(index));
  }
  session.added().insert(id);
  return answer;
}

RemoteCompiler::Answer RemoteCompiler::AskOnce(WorkerSession& session, ModuleId module,
                                               LaneMessage kind, absl::string_view body,
                                               Questions& questions) {
  Answer answer = AddTo(session, module);
  if (!answer.lost.ok() || !answer.status.ok() || kind == LaneMessage::kAdd) return answer;
  questions.symbol_count = SymbolCount(module);
  return Exchange(session, kind, body, -1, questions);
}

RemoteCompiler::Outcome RemoteCompiler::Ask(ModuleId module, LaneMessage kind,
                                            absl::string_view body, Questions& questions) {
  Outcome outcome;
  absl::Status lost;
  for (int attempt = 0; attempt < 2; ++attempt) {
    // Kept, because this object may be gone when passes are not wanted any more.
    absl::StatusOr<std::shared_ptr<WorkerSession>> session = Session();
    if (!session.ok()) {
      lost = session.status();
      break;
    }
    Answer answer = AskOnce(**session, module, kind, body, questions);
    if (!questions.is_wanted || answer.lost.ok()) {
      outcome.status = std::move(answer.status);
      outcome.result = std::move(answer.result);
      return outcome;
    }
    lost = std::move(answer.lost);
    (*session)->Lose();
    if (absl::IsDeadlineExceeded(lost)) {
      lost = absl::DeadlineExceededError(
          absl::StrCat("the compile server '", server_.path, "': ", lost.message()));
      break;
    }
    if (attempt == 1) {
      // Here, too, the compiler might end the process.
      outcome.status = absl::InternalError(
          absl::StrCat("the compile server's worker has ended twice: ", lost.message()));
      return outcome;
    }
  }
  outcome.status = UseFallback(lost);
  outcome.use_fallback = outcome.status.ok();
  return outcome;
}

absl::StatusOr<std::shared_ptr<const SymbolIndex>> RemoteCompiler::Add(ModuleOrder order) {
  const ModuleId id = order.id;
  const std::shared_ptr<const SymbolIndex> index = order.index;
  auto module = std::make_shared<Module>(Module{std::move(order)});
  Compiler* other;
  {
    absl::MutexLock lock(&mutex_);
    // Another thread may be making the fallback, with the modules that there are.
    other = fallback();
    if (other == nullptr) modules_[id] = module;
  }
  if (other != nullptr) return other->Add(module->order);
  // The worker gets it when it is needed.
  if (index != nullptr) return index;
  Questions none;
  Outcome outcome = Ask(id, LaneMessage::kAdd, "", none);
  if (outcome.use_fallback) {
    // Making the fallback has added the module, without keeping its index.
    fallback()->Remove(id);
    absl::StatusOr<std::shared_ptr<const SymbolIndex>> added = fallback()->Add(module->order);
    if (added.ok()) return added;
    outcome.status = added.status();
  }
  absl::MutexLock lock(&mutex_);
  if (outcome.status.ok()) return module->order.index;
  modules_.erase(id);
  return outcome.status;
}

absl::StatusOr<CompiledFunction> RemoteCompiler::CompileFunction(const FunctionOrder& order) {
  if (Compiler* other = fallback()) return other->CompileFunction(order);
  Questions questions;
  questions.is_replaced = &order.is_replaced;
  questions.may_join = &order.may_join;
  Outcome outcome =
      Ask(order.module, LaneMessage::kCompileFunction, EncodeOrder(ValuesOf(order)), questions);
  // What was claimed for the worker is the caller's to give back, so the other compiler is asked
  // only if nothing was.
  if (outcome.use_fallback && questions.joined.empty()) return fallback()->CompileFunction(order);
  if (outcome.use_fallback) return absl::UnavailableError("the compile server is gone");
  FIRSTCALL_RETURN_IF_ERROR(outcome.status);
  absl::StatusOr<SentFunction> sent = DecodeFunction(outcome.result, questions.symbol_count);
  if (!sent.ok()) return Damaged();
  return Invite(*std::move(sent), order, questions.joined);
}

absl::StatusOr<CompiledFunction> RemoteCompiler::Invite(SentFunction sent,
                                                        const FunctionOrder& order,
                                                        const std::vector<SymbolOrdinal>& joined) {
  CompiledFunction& function = sent.function;
  if (function.leader) return function;
  const std::vector<SymbolOrdinal> all = std::move(function.functions);
  const std::vector<HotnessSigns> signs = std::move(function.hotness_signs);
  function.functions.clear();
  function.hotness_signs.clear();
  const auto contains = [](const std::vector<SymbolOrdinal>& list, SymbolOrdinal ordinal) {
    return std::find(list.begin(), list.end(), ordinal) != list.end();
  };
  for (SymbolOrdinal claimed : joined) {
    if (!contains(all, claimed)) return Damaged();
  }
  for (size_t i = 0; i < all.size(); ++i) {
    if (contains(sent.uninvited, all[i]) && (all[i] == order.function || !order.may_join(all[i]))) {
      function.unused.push_back(all[i]);
      continue;
    }
    function.functions.push_back(all[i]);
    if (!signs.empty()) function.hotness_signs.push_back(signs[i]);
  }
  if (!contains(function.functions, order.function) || function.object.bytes.empty()) {
    return Damaged();
  }
  return function;
}

absl::StatusOr<CompiledObject> RemoteCompiler::CompileData(const DataOrder& order) {
  if (Compiler* other = fallback()) return other->CompileData(order);
  Questions questions;
  questions.is_replaced = &order.is_replaced;
  Outcome outcome =
      Ask(order.module, LaneMessage::kCompileData, EncodeOrder(ValuesOf(order)), questions);
  if (outcome.use_fallback) return fallback()->CompileData(order);
  FIRSTCALL_RETURN_IF_ERROR(outcome.status);
  return DecodeObject(outcome.result, questions.symbol_count);
}

absl::StatusOr<CompiledObject> RemoteCompiler::CompileWhole(const DataOrder& order) {
  if (Compiler* other = fallback()) return other->CompileWhole(order);
  Questions questions;
  questions.is_replaced = &order.is_replaced;
  Outcome outcome =
      Ask(order.module, LaneMessage::kCompileWhole, EncodeOrder(ValuesOf(order)), questions);
  if (outcome.use_fallback) return fallback()->CompileWhole(order);
  FIRSTCALL_RETURN_IF_ERROR(outcome.status);
  return DecodeObject(outcome.result, questions.symbol_count);
}

absl::StatusOr<CompiledObject> RemoteCompiler::Optimize(const OptimizationOrder& order) {
  if (Compiler* other = fallback()) return other->Optimize(order);
  Questions questions;
  questions.is_replaced = &order.is_replaced;
  questions.is_warm = &order.is_warm;
  questions.optimization = &order;
  Outcome outcome =
      Ask(order.module, LaneMessage::kOptimize, EncodeOrder(ValuesOf(order)), questions);
  if (!questions.is_wanted) return outcome.status;
  if (outcome.use_fallback) return fallback()->Optimize(order);
  FIRSTCALL_RETURN_IF_ERROR(outcome.status);
  return DecodeObject(outcome.result, questions.symbol_count);
}

absl::StatusOr<CodeDescription> RemoteCompiler::DescribeBodies(const DescriptionOrder& order) {
  FIRSTCALL_ASSIGN_OR_RETURN(Compiler * describer, DescriberOf(order.module));
  return describer->DescribeBodies(order);
}

absl::StatusOr<Compiler*> RemoteCompiler::DescriberOf(ModuleId module) {
  if (Compiler* other = fallback()) return other;
  absl::MutexLock lock(&mutex_);
  const auto cannot = [](const absl::Status& why) {
    return absl::UnimplementedError(absl::StrCat("describing code: ", why.message()));
  };
  if (!make_describer_) return cannot(absl::UnimplementedError("compile servers do not"));
  if (describer_ == nullptr) {
    absl::StatusOr<std::unique_ptr<Compiler>> made = make_describer_("describing code");
    if (!made.ok()) return cannot(made.status());
    describer_ = *std::move(made);
  }
  if (described_.count(module) == 0) {
    const auto added = describer_->Add(modules_.at(module)->order);
    if (!added.ok()) return cannot(added.status());
    described_.insert(module);
  }
  return describer_.get();
}

absl::StatusOr<BodyDigests> RemoteCompiler::DigestBodies(ModuleId module) {
  if (Compiler* other = fallback()) return other->DigestBodies(module);
  Encoder encoder;
  encoder.U32(module.value);
  Questions none;
  Outcome outcome = Ask(module, LaneMessage::kDigestBodies, encoder.bytes(), none);
  if (outcome.use_fallback) return fallback()->DigestBodies(module);
  FIRSTCALL_RETURN_IF_ERROR(outcome.status);
  std::optional<BodyDigests> digests = BodyDigests::Decode(outcome.result, SymbolCount(module));
  if (!digests) return Damaged();
  return *std::move(digests);
}

absl::StatusOr<AssemblyLabels> RemoteCompiler::ReadLabels(ModuleId module) {
  if (Compiler* other = fallback()) return other->ReadLabels(module);
  Encoder encoder;
  encoder.U32(module.value);
  Questions none;
  Outcome outcome = Ask(module, LaneMessage::kReadLabels, encoder.bytes(), none);
  if (outcome.use_fallback) return fallback()->ReadLabels(module);
  FIRSTCALL_RETURN_IF_ERROR(outcome.status);
  std::optional<AssemblyLabels> labels =
      AssemblyLabels::Decode(outcome.result, SymbolCount(module));
  if (!labels) return Damaged();
  return *std::move(labels);
}

absl::StatusOr<EntryPoint> RemoteCompiler::ReadEntryPoint(ModuleId module, SymbolOrdinal function) {
  if (Compiler* other = fallback()) return other->ReadEntryPoint(module, function);
  Encoder encoder;
  encoder.U32(module.value);
  encoder.U32(function.value);
  Questions none;
  Outcome outcome = Ask(module, LaneMessage::kReadEntryPoint, encoder.bytes(), none);
  if (outcome.use_fallback) return fallback()->ReadEntryPoint(module, function);
  FIRSTCALL_RETURN_IF_ERROR(outcome.status);
  std::optional<EntryPoint> entry = EntryPoint::Decode(outcome.result);
  if (!entry) return Damaged();
  return *entry;
}

absl::StatusOr<FunctionShape> RemoteCompiler::ReadShape(ModuleId module, SymbolOrdinal function,
                                                        bool is_last_use) {
  if (Compiler* other = fallback()) return other->ReadShape(module, function, is_last_use);
  Encoder encoder;
  encoder.U32(module.value);
  encoder.U32(function.value);
  encoder.U8(is_last_use);
  Questions none;
  Outcome outcome = Ask(module, LaneMessage::kReadShape, encoder.bytes(), none);
  if (outcome.use_fallback) return fallback()->ReadShape(module, function, is_last_use);
  FIRSTCALL_RETURN_IF_ERROR(outcome.status);
  return DecodeShape(outcome.result);
}

// A worker that does not have the module, or is gone, has nothing to read again or to forget.

void RemoteCompiler::Tell(ModuleId module, LaneMessage kind, bool flag) {
  std::shared_ptr<WorkerSession> session;
  {
    absl::MutexLock lock(&mutex_);
    session = session_;
  }
  if (session == nullptr || session->is_lost()) return;
  {
    absl::MutexLock lock(&session->adding_mutex());
    if (!session->added().contains(module)) return;
    if (kind == LaneMessage::kRemove) session->added().erase(module);
  }
  Encoder encoder;
  encoder.U32(module.value);
  encoder.U8(flag);
  if (kind == LaneMessage::kRemove) {
    // Everything else stands still meanwhile. The worker hears of it before it sees the lane's end.
    absl::StatusOr<WorkerSession::ClientLane> taken = session->TakeLane();
    if (taken.ok()) (void)taken->lane->Send(kind, encoder.bytes());
    return;
  }
  Questions none;
  if (!Exchange(*session, kind, encoder.bytes(), -1, none).lost.ok()) session->Lose();
}

void RemoteCompiler::ReadAgain(ModuleId module) {
  if (Compiler* other = fallback()) return other->ReadAgain(module);
  Tell(module, LaneMessage::kReadAgain, false);
}

void RemoteCompiler::ForgetFunctions(ModuleId module, bool data_is_compiled) {
  if (Compiler* other = fallback()) return other->ForgetFunctions(module, data_is_compiled);
  Tell(module, LaneMessage::kForgetFunctions, data_is_compiled);
}

void RemoteCompiler::Remove(ModuleId module) {
  {
    absl::MutexLock lock(&mutex_);
    modules_.erase(module);
    if (described_.erase(module) > 0) describer_->Remove(module);
  }
  if (Compiler* other = fallback()) return other->Remove(module);
  Tell(module, LaneMessage::kRemove, false);
}

absl::StatusOr<std::unique_ptr<Linker>> RemoteCompiler::MakeLinker() {
  if (Compiler* other = fallback()) return other->MakeLinker();
  return std::make_unique<ElfLinker>();
}

const void* RemoteCompiler::SomewhereInLibrary() {
  Compiler* const other = fallback();
  return other == nullptr ? nullptr : other->SomewhereInLibrary();
}

}  // namespace firstcall
