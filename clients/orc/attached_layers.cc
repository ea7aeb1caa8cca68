#include "clients/orc/attached_layers.h"

#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace firstcall {
namespace {

struct Layers {
  std::mutex mutex;
  std::map<const llvm::orc::LLJIT*, OrcLazyLayer*> of_jits;
};

// Never destroyed: JITs may be destroyed while static objects are.
Layers& All() {
  static auto* const layers = new Layers;
  return *layers;
}

// In the place of the JIT's own support of its platform, to which it goes on. A JIT destroys it
// after its session has ended, and before the session and its mutex are destroyed.
class Owner final : public llvm::orc::LLJIT::PlatformSupport {
 public:
  Owner(const llvm::orc::LLJIT& jit, std::unique_ptr<PlatformSupport> support,
        std::unique_ptr<OrcLazyLayer> layer, std::function<void(OrcLazyLayer&)> when_it_ends)
      : jit_(&jit),
        support_(std::move(support)),
        layer_(std::move(layer)),
        when_it_ends_(std::move(when_it_ends)) {
    const std::lock_guard<std::mutex> lock(All().mutex);
    All().of_jits[jit_] = layer_.get();
  }

  ~Owner() override {
    when_it_ends_(*layer_);
    const std::lock_guard<std::mutex> lock(All().mutex);
    All().of_jits.erase(jit_);
  }

  llvm::Error initialize(llvm::orc::JITDylib& dylib) override {
    return support_->initialize(dylib);
  }
  llvm::Error deinitialize(llvm::orc::JITDylib& dylib) override {
    return support_->deinitialize(dylib);
  }

 private:
  const llvm::orc::LLJIT* const jit_;
  const std::unique_ptr<PlatformSupport> support_;
  const std::unique_ptr<OrcLazyLayer> layer_;
  const std::function<void(OrcLazyLayer&)> when_it_ends_;
};

// Gives access to what an LLJIT keeps for itself.
struct Support : llvm::orc::LLJIT {
  static std::unique_ptr<PlatformSupport>& Of(LLJIT& jit) { return jit.*&Support::PS; }
};

}  // namespace

llvm::Error AttachLazyLayer(llvm::orc::LLJIT& jit, const llvm::orc::JITTargetMachineBuilder& target,
                            OrcLazyLayerOptions options,
                            std::function<void(OrcLazyLayer&)> when_it_ends) {
  std::unique_ptr<llvm::orc::LLJIT::PlatformSupport>& support = Support::Of(jit);
  if (support == nullptr) {
    return llvm::make_error<llvm::StringError>("the JIT supports no platform",
                                               llvm::inconvertibleErrorCode());
  }
  llvm::Expected<std::unique_ptr<OrcLazyLayer>> layer =
      OrcLazyLayer::Create(jit, target, std::move(options));
  if (!layer) return layer.takeError();
  support =
      std::make_unique<Owner>(jit, std::move(support), std::move(*layer), std::move(when_it_ends));
  return llvm::Error::success();
}

OrcLazyLayer* LazyLayerOf(const llvm::orc::LLJIT& jit) {
  const std::lock_guard<std::mutex> lock(All().mutex);
  const auto found = All().of_jits.find(&jit);
  return found == All().of_jits.end() ? nullptr : found->second;
}

}  // namespace firstcall
