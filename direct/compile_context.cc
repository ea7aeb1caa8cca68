#include "direct/compile_context.h"

#include <algorithm>

#include "base/status.h"
#include "direct/host_target.h"

namespace firstcall::direct {

absl::StatusOr<std::unique_ptr<CompileContext>> CompileContext::Create(
    const baseline::BaselineOptions& options, const CompileSettings& settings) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<baseline::ModuleCompiler> compiler,
                             baseline::ModuleCompiler::Create(HostTarget().triple, options));
  return std::unique_ptr<CompileContext>(new CompileContext(std::move(compiler), settings));
}

CompileContext::Reader& CompileContext::Find(const std::shared_ptr<const ReadModule>& module) {
  for (Reader& reader : readers_) {
    if (reader.module == module) return reader;
  }
  Reader reader{module, std::make_unique<bitcode::FunctionReader>(*module->source),
                std::make_unique<NumberMap>()};
  reader.sizes->Clear(module->module().globals().size());
  return readers_.emplace_back(std::move(reader));
}

bitcode::FunctionReader& CompileContext::ReaderOf(const std::shared_ptr<const ReadModule>& module) {
  return *Find(module).bodies;
}

NumberMap& CompileContext::SizesOf(const std::shared_ptr<const ReadModule>& module) {
  return *Find(module).sizes;
}

void CompileContext::DropForgotten() {
  const auto first = std::remove_if(readers_.begin(), readers_.end(), [](const Reader& reader) {
    return reader.module->is_forgotten.load();
  });
  readers_.erase(first, readers_.end());
}

ir::Function& CompileContext::Body(size_t i) {
  while (bodies_.size() <= i) bodies_.push_back(std::make_unique<ir::Function>());
  return *bodies_[i];
}

absl::StatusOr<ContextPool::Lease> ContextPool::Take() {
  {
    absl::MutexLock lock(&mutex_);
    if (!idle_.empty()) {
      Lease lease(this, std::move(idle_.back()));
      idle_.pop_back();
      return lease;
    }
  }
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<CompileContext> context,
                             CompileContext::Create(options_, settings_));
  return Lease(this, std::move(context));
}

void ContextPool::Return(std::unique_ptr<CompileContext> context) {
  absl::MutexLock lock(&mutex_);
  // Here, because otherwise DropForgotten might see neither this context nor its readers.
  context->DropForgotten();
  idle_.push_back(std::move(context));
}

void ContextPool::DropForgotten() {
  absl::MutexLock lock(&mutex_);
  for (const auto& context : idle_) context->DropForgotten();
}

}  // namespace firstcall::direct
