#include "compare/managers/models/model_entries.hpp"

#include <hbm/donation/donation.hpp>
#include <hbm/eviction/eviction.hpp>
#include <hbm/planning/relief.hpp>

#include <memory>

#include "compare/managers/entry.hpp"
#include "compare/managers/models/torch_caching.hpp"
#include "compare/replay/replayed_manager.hpp"

namespace hbm::compare {

namespace {

template <class Placement>
using model = manager<Placement, never_evict, never_donate, never_relieve>;

/// Replay under a model, whose highest end is its reserved memory: segments may lie apart.
template <class Placement>
class replayed_model final : public trace::replayed<model<Placement>> {
public:
    using trace::replayed<model<Placement>>::replayed;

    [[nodiscard]] trace::memory_readings read() const override {
        trace::memory_readings result = trace::replayed<model<Placement>>::read();
        result.highest_end = this->manager().state().blocks.reserved() * default_quantum;
        return result;
    }
};

template <class Placement>
manager_entry model_entry() {
    manager_entry result = entry_without_explanation<model<Placement>>();
    result.name = result.full_name = {Placement::name.c_str(), Placement::name.size()};
    result.has_footprint = true;
    result.is_model = true;
    result.make = [](const memory_spec& spec, const policy_choices&) -> std::unique_ptr<trace::replayed_memory> {
        memory_spec rounded = spec;
        rounded.quantum = default_quantum;
        return std::make_unique<replayed_model<Placement>>(rounded);
    };
    return result;
}

}  // namespace

manager_entries model_entries() {
    return {model_entry<torch_caching>()};
}

std::string_view modelled_system(const manager_entry& subject) {
    return subject.is_model ? "PyTorch's caching allocator on GPUs" : std::string_view{};
}

}  // namespace hbm::compare
