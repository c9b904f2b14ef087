// HBM and pinned host memory: a manager each, and a rule of one's own for what does not fit. A buffer spills to the
// host if that is cheaper than making room in HBM.
#include <hbm/hbm.hpp>

#include <cstdint>
#include <cstdio>

using namespace hbm::literals;

/// A buffer in one of two memories.
struct placed {
    hbm::buffer handle;
    bool on_host = false;
};

/// The memories of a device.
struct memories {
    hbm::tpu::runtime_memory hbm{hbm::tpu::v5e};
    hbm::manager<hbm::best_fit> host{{.name = "pinned host", .capacity = 64_GiB}};

    /// Allocates in HBM; on the host if `uses` transfers over the host link cost less than relief in HBM, or if there
    /// is none.
    [[nodiscard]] hbm::result<placed> allocate(std::uint64_t bytes, const char* name, std::uint64_t uses) {
        const hbm::planning_result relief = hbm.plan_for({.bytes = bytes});
        const std::uint64_t transfers = uses * hbm.spec().reload_nanoseconds(bytes);
        if (relief.found && relief.found->nanoseconds <= transfers) {
            const auto held = hbm.allocate(bytes, name);
            if (held) return placed{*held, false};
        }
        const auto held = host.allocate(bytes, name);
        if (!held) return held.error();
        return placed{*held, true};
    }

    void free(placed freed) {
        if (freed.on_host)
            host.free(freed.handle);
        else
            hbm.free(freed.handle);
    }

    /// Moves a buffer to HBM; both places are held until `copy` is done. Fails if there is no room, and changes
    /// nothing.
    template <class Copy>
    [[nodiscard]] hbm::result<placed> bring_home(placed spilled, Copy copy) {
        const auto home = hbm.allocate(host.granted(spilled.handle));
        if (!home) return home.error();
        copy(hbm.where(*home), host.where(spilled.handle));
        host.free(spilled.handle);
        return placed{*home, false};
    }
};

int main() {
    memories both;
    const auto weights = both.allocate(8_GiB, "weights", 1000);
    const auto train = both.hbm.load({.name = "train", .code = 200_MiB, .scratch = 1_GiB});
    const auto eval = both.hbm.load({.name = "eval", .code = 4_GiB, .scratch = 1_GiB});
    if (!weights || !train || !eval) return 1;

    // 2.55 GiB are free in HBM. To evict `eval` costs a reload of 4 GiB: more than one transfer of 3 GiB, less than
    // ten.
    const auto seldom_used = both.allocate(3_GiB, "seldom used", 1);
    const auto often_used = both.allocate(3_GiB, "often used", 10);
    if (!seldom_used || !often_used) return 1;
    std::printf("seldom used: %s, often used: %s, evicted: %u\n", seldom_used->on_host ? "host" : "HBM",
                often_used->on_host ? "host" : "HBM", static_cast<unsigned>(both.hbm.done_so_far().evictions));
    if (!seldom_used->on_host || often_used->on_host) return 1;

    both.free(*often_used);
    const auto home = both.bring_home(*seldom_used, [](hbm::extent to, hbm::extent from) {
        std::printf("copy %llu bytes\n", static_cast<unsigned long long>(to.size < from.size ? to.size : from.size));
    });
    return home && !home->on_host && both.host.live_bytes() == 0 ? 0 : 1;
}
