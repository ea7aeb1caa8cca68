#include "clients/capi/client_memory.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "clients/capi/error.h"
#include "clients/capi/sized.h"

using firstcall::ExecutorAddress;
using firstcall::MemoryBlock;
using firstcall::MemoryRequest;
using firstcall::Segment;

static_assert(FC_SEGMENT_CODE == static_cast<int>(Segment::kCode));
static_assert(FC_SEGMENT_READ_ONLY == static_cast<int>(Segment::kReadOnly));
static_assert(FC_SEGMENT_DATA == static_cast<int>(Segment::kData));

bool fc_own_memory::Take(Blocks& blocks, const MemoryBlock& block) {
  auto found = blocks.find(KeyOf(block));
  if (found == blocks.end()) return false;
  if (--found->second == 0) blocks.erase(found);
  return true;
}

absl::StatusOr<MemoryBlock> fc_own_memory::Allocate(const MemoryRequest& request,
                                                    bool is_for_client) {
  FIRSTCALL_ASSIGN_OR_RETURN(MemoryBlock block, memory_->Allocate(request));
  absl::MutexLock lock(&mutex_);
  ++(is_for_client ? clients_ : engines_)[KeyOf(block)];
  return block;
}

bool fc_own_memory::HandOver(const MemoryBlock& block) {
  absl::MutexLock lock(&mutex_);
  if (!Take(clients_, block)) return false;
  ++engines_[KeyOf(block)];
  return true;
}

bool fc_own_memory::IsEngines(const MemoryBlock& block) const {
  absl::MutexLock lock(&mutex_);
  return engines_.contains(KeyOf(block));
}

absl::Status fc_own_memory::Finalize(const MemoryBlock& block) {
  {
    absl::MutexLock lock(&mutex_);
    if (!clients_.contains(KeyOf(block)) && !engines_.contains(KeyOf(block))) {
      return absl::InvalidArgumentError("finalizing memory: a block is not the engine's own");
    }
  }
  return memory_->Finalize({block});
}

void fc_own_memory::Free(const MemoryBlock& block, bool is_for_client) {
  {
    // Removed from the record first, because a freed address may become another block's.
    absl::MutexLock lock(&mutex_);
    if (!Take(is_for_client ? clients_ : engines_, block)) return;
  }
  memory_->Free({block});
}

namespace firstcall::capi {
namespace {

fc_memory_block ToC(const MemoryBlock& block, bool is_engines_own) {
  return {block.write, static_cast<uintptr_t>(block.run.value()), block.size,
          static_cast<fc_segment>(block.segment), is_engines_own};
}

MemoryBlock FromC(const fc_memory_block& block) {
  MemoryBlock result;
  result.write = static_cast<uint8_t*>(block.write);
  result.run = block.run == 0 ? ExecutorAddress::Of(block.write) : ExecutorAddress(block.run);
  result.size = block.size;
  result.segment = static_cast<Segment>(block.segment);
  return result;
}

absl::StatusOr<MemoryRequest> FromC(const fc_memory_request& request, std::string& section) {
  FIRSTCALL_ASSIGN_OR_RETURN(fc_memory_request known, CopyIn(request, "fc_memory_request"));
  if (known.segment < FC_SEGMENT_CODE || known.segment > FC_SEGMENT_DATA) {
    return absl::InvalidArgumentError(
        absl::StrCat("allocating memory: there is no segment ", static_cast<int>(known.segment)));
  }
  if (known.alignment == 0 || (known.alignment & (known.alignment - 1)) != 0) {
    return absl::InvalidArgumentError(absl::StrCat("allocating memory: the alignment ",
                                                   known.alignment, " is not a power of two"));
  }
  if (known.section != nullptr) section = known.section;
  MemoryRequest result;
  result.segment = static_cast<Segment>(known.segment);
  result.size = known.size;
  result.alignment = known.alignment;
  result.section = section;
  result.near = ExecutorAddress(known.near_address);
  result.object = {known.object_code_size, known.object_read_only_size, known.object_data_size};
  return result;
}

}  // namespace

// Checks what the client has returned for `request`.
absl::StatusOr<MemoryBlock> ClientMemory::Check(const fc_memory_block& returned,
                                                const MemoryRequest& request) {
  MemoryBlock block = FromC(returned);
  block.size = request.size;
  block.segment = request.segment;
  if (own_.HandOver(block)) return block;
  const auto wrong = [&](absl::string_view what) {
    Free({block});
    return absl::InternalError(absl::StrCat("the client's memory manager was asked for ",
                                            request.size, " bytes for '", request.section,
                                            "' and has returned ", what));
  };
  if (block.write == nullptr && request.size != 0) return wrong("no address to write at");
  if (block.run.value() % request.alignment != 0) {
    return wrong(absl::StrCat("the address 0x", absl::Hex(block.run.value()),
                              ", which is not aligned to ", request.alignment));
  }
  if (request.segment == Segment::kData && ExecutorAddress::Of(block.write) != block.run) {
    return wrong("two addresses for writable data");
  }
  return block;
}

absl::StatusOr<MemoryBlock> ClientMemory::Allocate(const MemoryRequest& request) {
  const fc_memory_manager& client = **callbacks_;
  const bool is_code = request.segment == Segment::kCode;
  if (is_code ? client.allocate_code == nullptr : client.allocate_data == nullptr) {
    return own_.Allocate(request, /*is_for_client=*/false);
  }
  const std::string section(request.section);
  const fc_memory_request asked = {sizeof(fc_memory_request),
                                   static_cast<fc_segment>(request.segment),
                                   request.size,
                                   request.alignment,
                                   section.c_str(),
                                   static_cast<uintptr_t>(request.near.value()),
                                   request.object.code,
                                   request.object.read_only,
                                   request.object.data};
  fc_memory_block block = {};
  FIRSTCALL_RETURN_IF_ERROR(
      TakeError(is_code ? client.allocate_code(client.user_data, &own_, &asked, &block)
                        : client.allocate_data(client.user_data, &own_, &asked,
                                               request.segment == Segment::kReadOnly, &block)));
  return Check(block, request);
}

std::vector<fc_memory_block> ClientMemory::Describe(absl::Span<const MemoryBlock> blocks) const {
  std::vector<fc_memory_block> described;
  for (const MemoryBlock& block : blocks) described.push_back(ToC(block, own_.IsEngines(block)));
  return described;
}

absl::Status ClientMemory::Finalize(absl::Span<const MemoryBlock> blocks) {
  const fc_memory_manager& client = **callbacks_;
  const std::vector<fc_memory_block> described = Describe(blocks);
  if (client.finalize != nullptr) {
    FIRSTCALL_RETURN_IF_ERROR(
        TakeError(client.finalize(client.user_data, &own_, described.data(), described.size())));
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (described[i].is_engines_own) FIRSTCALL_RETURN_IF_ERROR(own_.Finalize(blocks[i]));
  }
  return absl::OkStatus();
}

void ClientMemory::Free(absl::Span<const MemoryBlock> blocks) {
  const fc_memory_manager& client = **callbacks_;
  if (client.free_blocks != nullptr) {
    const std::vector<fc_memory_block> described = Describe(blocks);
    client.free_blocks(client.user_data, &own_, described.data(), described.size());
  }
  for (const MemoryBlock& block : blocks) own_.Free(block, /*is_for_client=*/false);
}

}  // namespace firstcall::capi

using firstcall::capi::FromC;
using firstcall::capi::Guarded;
using firstcall::capi::RequireAll;

extern "C" {

fc_error* fc_own_allocate(fc_own_memory* own, const fc_memory_request* request,
                          fc_memory_block* block) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(
        RequireAll("fc_own_allocate", {{"own", own}, {"request", request}, {"block", block}}));
    std::string section;
    FIRSTCALL_ASSIGN_OR_RETURN(MemoryRequest known, FromC(*request, section));
    FIRSTCALL_ASSIGN_OR_RETURN(MemoryBlock allocated, own->Allocate(known, /*is_for_client=*/true));
    *block = firstcall::capi::ToC(allocated, /*is_engines_own=*/true);
    return absl::OkStatus();
  });
}

fc_error* fc_own_finalize(fc_own_memory* own, const fc_memory_block* blocks, size_t count) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(RequireAll("fc_own_finalize", {{"own", own}}));
    for (size_t i = 0; i < count; ++i) {
      FIRSTCALL_RETURN_IF_ERROR(own->Finalize(FromC(blocks[i])));
    }
    return absl::OkStatus();
  });
}

void fc_own_free(fc_own_memory* own, const fc_memory_block* blocks, size_t count) {
  for (size_t i = 0; i < count; ++i) own->Free(FromC(blocks[i]), /*is_for_client=*/true);
}
}
