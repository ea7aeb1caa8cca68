#include "services/server/served_cache.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/coding.h"
#include "base/packets.h"
#include "base/steady_clock.h"
#include "services/server/client_socket.h"
#include "services/server/protocol.h"

namespace firstcall {
namespace {

// How long others may be given for a module that this process could compile itself, as a part of
// the budget: three seconds, if that is not changed. They give what they have to the server after
// two seconds at the latest, if the processors are not busy.
constexpr int kPartOfBudget = 10;
constexpr absl::Duration kLongestPatience = absl::Minutes(1);

// Whether a part is made with the rest of a module's code. Others are there without it.
bool IsCode(ModulePart part) {
  switch (part.kind) {
    case ModulePart::Kind::kIndex:
    case ModulePart::Kind::kEntryPoint:
    case ModulePart::Kind::kBodies:
    case ModulePart::Kind::kLastVersion:
    case ModulePart::Kind::kLabels:
      return false;
    default:
      return true;
  }
}

// Whether a client that does not find a part has it made by a worker, which publishes it.
bool IsPublished(ModulePart part) {
  return part.kind == ModulePart::Kind::kFunction || part.kind == ModulePart::Kind::kData;
}

}  // namespace

std::shared_ptr<const ObjectPack> ServedCache::Ask(absl::string_view signature,
                                                   absl::Duration patience) {
  if (is_without_server_) return nullptr;
  const absl::Duration deadline = SteadyNow() + server_.budget;
  absl::StatusOr<std::unique_ptr<ClientSocket>> socket =
      ClientSocket::Connect(server_.path, deadline);
  is_without_server_ = true;
  if (!socket.ok()) return nullptr;
  const int number = (*socket)->number();
  Encoder question;
  question.U8(static_cast<uint8_t>(ServerMessage::kFind));
  question.U32(static_cast<uint32_t>(absl::ToInt64Milliseconds(patience)));
  question.String(server_.client);
  question.Raw(PackKey(settings_, signature));
  if (!SendPacket(number, question.bytes()).ok()) return nullptr;
  absl::StatusOr<Packet> answer = ReceivePacket(number, deadline);
  if (!answer.ok()) return nullptr;
  is_without_server_ = false;
  if (answer->files.size() != 1) return nullptr;
  absl::StatusOr<ObjectPack> pack = ObjectPack::Read(answer->files[0]);
  if (!pack.ok()) return nullptr;
  return std::make_shared<const ObjectPack>(*std::move(pack));
}

// A start asks for the index first, and then for code. A client whose front has some code has
// compiled the module before, and will hardly need a worker: it waits for nobody. Nor does one that
// looks for something better than first bodies: a start object, an optimized body.
absl::Duration ServedCache::PatienceFor(const ObjectKey& key) {
  if (key.part.kind != ModulePart::Kind::kIndex) {
    absl::MutexLock lock(&mutex_);
    if (!IsPublished(key.part) || with_code_.contains(key.signature)) return absl::ZeroDuration();
  }
  return std::min(server_.budget / kPartOfBudget, kLongestPatience);
}

ServedCache::Answer ServedCache::AnswerFor(absl::string_view signature, absl::Duration patience) {
  absl::MutexLock lock(&mutex_);
  const auto found = answers_.find(signature);
  if (found == answers_.end()) return {};
  Answer answer = found->second;
  if (patience == absl::ZeroDuration() || answer.pack != nullptr) answer.may_ask = false;
  return answer;
}

std::shared_ptr<const ObjectPack> ServedCache::PackOf(const ObjectKey& key) {
  const absl::Duration patience = PatienceFor(key);
  Answer answer = AnswerFor(key.signature, patience);
  if (!answer.may_ask) return answer.pack;
  absl::MutexLock asking(&asking_mutex_);
  answer = AnswerFor(key.signature, patience);
  if (!answer.may_ask) return answer.pack;
  answer.pack = Ask(key.signature, patience);
  // It is not asked again by one who has let it wait.
  answer.may_ask = patience == absl::ZeroDuration();
  absl::MutexLock lock(&mutex_);
  answers_[key.signature] = answer;
  return answer.pack;
}

std::optional<ServedCache::Bytes> ServedCache::Find(const ObjectKey& key) {
  if (front_ != nullptr) {
    if (std::optional<Bytes> found = front_->Find(key)) {
      if (IsCode(key.part)) NoteCode(key.signature);
      return found;
    }
  }
  const std::shared_ptr<const ObjectPack> pack = PackOf(key);
  if (pack == nullptr) return std::nullopt;
  std::optional<Bytes> entry = pack->Find(key.part);
  if (entry && front_ != nullptr) front_->Store(key, *entry);
  return entry;
}

void ServedCache::NoteCode(absl::string_view signature) {
  absl::MutexLock lock(&mutex_);
  if (!with_code_.contains(signature)) with_code_.emplace(signature);
}

void ServedCache::Expect(absl::Span<const ObjectKey> keys) {
  if (front_ != nullptr) front_->Expect(keys);
}

bool ServedCache::Has(const ObjectKey& key) {
  if (front_ != nullptr && front_->Has(key)) return true;
  const std::shared_ptr<const ObjectPack> pack =
      AnswerFor(key.signature, absl::ZeroDuration()).pack;
  return pack != nullptr && pack->Has(key.part);
}

void ServedCache::Store(const ObjectKey& key, Bytes object) {
  if (front_ != nullptr) front_->Store(key, std::move(object));
}

std::optional<std::string> ServedCache::FindDigest(const FileIdentity& file) {
  return front_ == nullptr ? std::nullopt : front_->FindDigest(file);
}

void ServedCache::RememberDigest(const FileIdentity& file, absl::string_view digest) {
  if (front_ != nullptr) front_->RememberDigest(file, digest);
}

void ServedCache::Flush() {
  if (front_ != nullptr) front_->Flush();
}

}  // namespace firstcall
