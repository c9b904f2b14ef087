#pragma once

/// A manager behind hbm/c.h that takes random calls with random arguments, and a plain model of which of its handles
/// are live. After each call the answer is compared with the model; what failed must have changed nothing; and what the
/// callbacks told must be what the manager says.

#include <hbm/c.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <vector>

#include "c_face/sized.hpp"
#include "fuzz/fuzzing.hpp"

namespace hbm::test {

template <class Handle>
bool same(const Handle& a, const Handle& b) {
    return a.index == b.index && a.generation == b.generation && a.salt == b.salt && a.kind == b.kind;
}
inline bool same(const hbm_fence& a, const hbm_fence& b) {
    return a.number == b.number && a.salt == b.salt && a.kind == b.kind;
}

/// A handle that is live, and how often it is pinned.
template <class Handle>
struct live_handle {
    Handle handle;
    std::uint32_t pins = 0;
};

class fuzzed_manager {
public:
    static constexpr std::uint64_t capacity = 64 * 512;

    /// `name` is a name of a manager; copies fail once in `failing` times, never if that is 0.
    fuzzed_manager(const char* name, numbers& random, std::uint32_t failing) : random_(random), failing_(failing) {
        auto spec = sized<hbm_spec>();
        spec.name = "fuzzed";
        spec.capacity = capacity;
        spec.runs_in_flight = static_cast<std::uint32_t>(random.below(4));
        spec.scratch_percent = random.once_in(3) ? 30 : 0;
        if (random.once_in(3)) spec.top_reserved = 4 * 512;
        if (random.once_in(3)) spec.bounce = spec.top_reserved / 2;
        spec.on_event = hear;
        spec.copy = copy;
        spec.user = this;
        hbm_error why = HBM_ERROR_BAD_VALUE;
        manager_ = hbm_create(name, &spec, &why);
        expect(manager_ != nullptr && why == HBM_OK, "a good spec makes a manager");
    }
    fuzzed_manager(const fuzzed_manager&) = delete;
    fuzzed_manager& operator=(const fuzzed_manager&) = delete;
    ~fuzzed_manager() { expect(hbm_destroy(manager_) == HBM_OK, "a manager is destroyed"); }

    /// The first broken rule in words; null when all is well.
    [[nodiscard]] const char* broken() const { return broken_; }

    /// One random call; `other` is a manager whose handles are foreign here.
    void step(const fuzzed_manager& other) {
        before_ = statistics();
        copies_failed_ = false;
        switch (random_.below(24)) {
        default: return allocate();
        case 4:
        case 5:
        case 6: return free(other);
        case 7: return free_after(other);
        case 8:
        case 9: return pin(other);
        case 10: return unpin(other);
        case 11:
        case 12: return load();
        case 13: return call_program(other, random_.below(4));
        case 14: return unload(other);
        case 15:
        case 16:
        case 17:
        case 18: return run(other);
        case 19: return retire(other);
        case 20: return look(other);
        case 21: return compact();
        case 22: return make_nonsense();
        case 23: return random_.once_in(16) ? read_texts() : check_all();
        }
    }

    /// All handles, and where their buffers are: apart from each other and where the callbacks have said.
    void check_all() {
        std::map<std::uint64_t, std::uint64_t> ends;
        for (const auto& each : buffers_) {
            hbm_extent where{};
            expect(hbm_where(manager_, each.handle, &where) == HBM_OK, "a live buffer is somewhere");
            expect(where.size != 0 && where.size <= capacity && where.offset <= capacity - where.size,
                   "a buffer lies inside the memory");
            expect(ends.emplace(where.offset, where.offset + where.size).second, "buffers lie apart");
            const auto heard = heard_.find(each.handle.index);
            expect(parted_ || (heard != heard_.end() && heard->second == where.offset), "the callbacks told where");
        }
        std::uint64_t end = 0;
        for (const auto& [offset, its_end] : ends) {
            expect(offset >= end, "buffers do not overlap");
            end = its_end;
        }
        for (const auto& each : programs_)
            expect(hbm_check_program(manager_, each.handle) == HBM_OK, "a live program is good");
        for (const hbm_buffer& gone : gone_buffers_)
            expect(hbm_check_buffer(manager_, gone) == HBM_ERROR_STALE_HANDLE, "a buffer that is gone stays gone");
        for (const hbm_program& gone : gone_programs_)
            expect(hbm_check_program(manager_, gone) == HBM_ERROR_STALE_HANDLE, "a program that is gone stays gone");
    }

private:
    void expect(bool good, const char* rule) {
        if (!good && broken_ == nullptr) broken_ = rule;
    }

    // -- callbacks --

    static void hear(void* user, const hbm_event* event) {
        fuzzed_manager& self = *static_cast<fuzzed_manager*>(user);
        self.expect(event->struct_size == sizeof(hbm_event), "an event has its size");
        self.expect(event->kind >= HBM_EVENT_ALLOCATED && event->kind <= HBM_EVENT_TRIMMED, "an event has its kind");
        self.expect(event->label != nullptr && std::strlen(event->label) < 64, "an event has a label");
        self.expect(hbm_sync(self.manager_) == HBM_ERROR_IN_CALLBACK, "a callback cannot call");
        self.expect(hbm_destroy(self.manager_) == HBM_ERROR_IN_CALLBACK, "a callback cannot destroy");
        const bool of_buffer = event->buffer.kind != 0;
        if (event->kind == HBM_EVENT_ALLOCATED || event->kind == HBM_EVENT_DONATED)
            self.heard_[event->index] = event->where.offset;
        if (event->kind == HBM_EVENT_PARTED) self.parted_ = true;
        if (event->kind == HBM_EVENT_MOVED) {
            self.parted_ = false;
            if (of_buffer) {
                self.expect(event->buffer.index == event->index, "an event names its buffer twice");
                self.expect(self.parted_ || self.heard_[event->index] == event->from, "a buffer moves from its place");
                self.heard_[event->index] = event->where.offset;
            } else {
                self.expect(event->program.kind != 0 || event->program.index == 0, "a program moves");
            }
        }
    }
    static int copy(void* user, std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
        fuzzed_manager& self = *static_cast<fuzzed_manager*>(user);
        self.expect(to <= capacity - bytes && from <= capacity - bytes, "bytes are copied inside the memory");
        self.expect((to < from ? from - to : to - from) >= bytes, "what is copied does not overlap");
        if (self.failing_ == 0 || !self.random_.once_in(self.failing_)) return 1;
        self.copies_failed_ = true;
        return 0;
    }

    // -- arguments --

    template <class Handle>
    [[nodiscard]] const live_handle<Handle>* find(const std::vector<live_handle<Handle>>& some,
                                                  const Handle& wanted) const {
        for (const auto& each : some)
            if (same(each.handle, wanted)) return &each;
        return nullptr;
    }
    [[nodiscard]] bool is_live(const hbm_buffer& held) const { return find(buffers_, held) != nullptr; }
    [[nodiscard]] bool is_live(const hbm_program& held) const { return find(programs_, held) != nullptr; }

    /// A handle: most often a live one, else stale, foreign, of the other kind, or forged.
    template <class Handle, class Other>
    [[nodiscard]] Handle any_handle(const std::vector<live_handle<Handle>>& live, const std::vector<Handle>& gone,
                                    const std::vector<live_handle<Handle>>& foreign,
                                    const std::vector<live_handle<Other>>& of_other_kind) {
        Handle made{};
        if (!live.empty()) made = live[random_.below(live.size())].handle;
        if (tame_) return made;
        switch (random_.below(16)) {
        default: return made;
        case 0: return Handle{};
        case 1: return gone.empty() ? made : gone[random_.below(gone.size())];
        case 2: return foreign.empty() ? made : foreign[random_.below(foreign.size())].handle;
        case 3:
            if (!of_other_kind.empty())
                std::memcpy(&made, &of_other_kind[random_.below(of_other_kind.size())].handle, sizeof made);
            return made;
        case 4: {
            std::uint32_t* const words[] = {&made.index, &made.generation, &made.salt, &made.kind};
            *words[random_.below(4)] ^= std::uint32_t{1} << random_.below(32);
            return made;
        }
        case 5:
            made.index = static_cast<std::uint32_t>(random_.below(80));
            made.generation += static_cast<std::uint32_t>(random_.below(16)) - 8;
            return made;
        case 6:
            made = {word(), word(), random_.once_in(2) ? made.salt : word(), random_.once_in(2) ? made.kind : word()};
            return made;
        }
    }
    [[nodiscard]] hbm_buffer any_buffer(const fuzzed_manager& other) {
        return any_handle(buffers_, gone_buffers_, other.buffers_, programs_);
    }
    [[nodiscard]] hbm_program any_program(const fuzzed_manager& other) {
        return any_handle(programs_, gone_programs_, other.programs_, buffers_);
    }
    [[nodiscard]] hbm_fence any_fence(const fuzzed_manager& other) {
        hbm_fence made{};
        expect(hbm_issued(random_.once_in(8) ? other.manager_ : manager_, &made) == HBM_OK, "a fence is issued");
        if (random_.once_in(3)) made.number -= random_.below(3);
        if (random_.once_in(8)) made.number = random_.next();
        if (random_.once_in(8)) made.salt = word();
        if (random_.once_in(8)) made.kind = random_.once_in(2) ? 0 : word();
        return random_.once_in(8) ? hbm_fence{} : made;
    }
    [[nodiscard]] bool is_good(const hbm_fence& given) const {
        hbm_fence issued{};
        (void)hbm_issued(manager_, &issued);
        if (given.kind == 0) return given.number == 0;
        return given.kind == issued.kind && given.salt == issued.salt && given.number <= issued.number;
    }
    [[nodiscard]] std::uint32_t word() { return static_cast<std::uint32_t>(random_.next()); }
    [[nodiscard]] std::uint64_t any_size() {
        switch (random_.below(12)) {
        default: return 1 + random_.below(capacity / 8);
        case 0: return random_.below(2);
        case 1: return capacity - 512 + random_.below(1024);
        case 2: return ~std::uint64_t{0} - random_.below(1024);
        case 3: return random_.next() >> random_.below(64);
        }
    }
    [[nodiscard]] std::uint64_t any_alignment() {
        if (random_.once_in(12)) return random_.next();
        return random_.once_in(3) ? std::uint64_t{1} << random_.below(64) : random_.below(2);
    }
    [[nodiscard]] const char* any_name() {
        static constexpr const char* names[] = {nullptr, "", "weights", "batch", "a name with spaces", "step"};
        return names[random_.below(std::size(names))];
    }
    [[nodiscard]] std::size_t any_struct_size(std::size_t good) {
        static constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
        const std::size_t wrong[] = {0, 1, good - 1, good + 1, good + 8, most, most - 7};
        return !tame_ && random_.once_in(32) ? wrong[random_.below(std::size(wrong))] : good;
    }

    // -- what is expected --

    [[nodiscard]] hbm_statistics statistics() const {
        auto all = sized<hbm_statistics>();
        (void)hbm_get_statistics(manager_, &all);
        return all;
    }
    /// After a call that returned `why` and should have succeeded, or not.
    void settle(hbm_error why, bool may_succeed, const char* rule) {
        expect(may_succeed || why != HBM_OK, rule);
        expect(why == HBM_OK || why == HBM_ERROR_DEVICE_FAILED || unchanged(), "a failed call changes nothing");
        expect(why != HBM_ERROR_DEVICE_FAILED || copies_failed_, "the device fails only if a copy does");
        char text[8];
        const std::size_t length = hbm_last_message(manager_, text, sizeof text);
        expect(why == HBM_OK ? length == 2 && std::strcmp(text, "OK") == 0 : length > sizeof text,
               "the last failure has a message");
    }
    [[nodiscard]] bool unchanged() const {
        const hbm_statistics now = statistics();
        return std::memcmp(&now, &before_, sizeof now) == 0;
    }
    /// Whether an error may be that of a handle that is not good.
    [[nodiscard]] static bool is_of_handle(hbm_error why) {
        return why == HBM_ERROR_STALE_HANDLE || why == HBM_ERROR_FOREIGN_HANDLE || why == HBM_ERROR_WRONG_KIND;
    }
    void add(const hbm_buffer& made) {
        expect(!is_live(made), "a new buffer has a handle of its own");
        buffers_.push_back({made, 0});
    }
    template <class Handle>
    static void drop(std::vector<live_handle<Handle>>& live, std::vector<Handle>& gone, const Handle& ended) {
        for (std::size_t at = 0; at < live.size(); ++at) {
            if (!same(live[at].handle, ended)) continue;
            live[at] = live.back();
            live.pop_back();
            break;
        }
        if (gone.size() < 64) gone.push_back(ended);
    }

    // -- calls --

    void allocate() {
        hbm_buffer made{word(), word(), word(), word()};
        const hbm_buffer untouched = made;
        const bool nowhere = random_.once_in(64);
        const std::uint64_t bytes = any_size();
        const hbm_error why = hbm_allocate(manager_, bytes, any_alignment(), any_name(), nowhere ? nullptr : &made);
        settle(why, !nowhere && bytes <= capacity, "what is too large is refused, and so is a null pointer");
        if (why == HBM_OK)
            add(made);
        else
            expect(same(made, untouched), "a call that failed writes nothing");
    }
    void free(const fuzzed_manager& other) {
        const hbm_buffer given = any_buffer(other);
        const bool live = is_live(given);
        const hbm_error why = hbm_free(manager_, given);
        expect(live ? why == HBM_OK : is_of_handle(why), "free takes what is live, and nothing else");
        settle(why, live, "free takes what is live");
        if (live) drop(buffers_, gone_buffers_, given);
    }
    void free_after(const fuzzed_manager& other) {
        const hbm_buffer given = any_buffer(other);
        const hbm_fence until = any_fence(other);
        const bool good = is_live(given) && is_good(until);
        const hbm_error why = hbm_free_after(manager_, given, until);
        expect(good == (why == HBM_OK), "a buffer is freed as of a good fence");
        settle(why, good, "a buffer is freed as of a good fence");
        if (good) drop(buffers_, gone_buffers_, given);
    }
    void pin(const fuzzed_manager& other) {
        const hbm_buffer given = any_buffer(other);
        const auto* const held = find(buffers_, given);
        const hbm_error why = hbm_pin(manager_, given);
        settle(why, held != nullptr, "only a live buffer is pinned");
        if (held == nullptr)
            expect(is_of_handle(why), "a pin says what is wrong with a handle");
        else if (why == HBM_OK)
            ++const_cast<live_handle<hbm_buffer>*>(held)->pins;
        else
            expect(why == HBM_ERROR_DEVICE_FAILED, "a live buffer can be pinned");
    }
    void unpin(const fuzzed_manager& other) {
        const hbm_buffer given = any_buffer(other);
        const auto* const held = find(buffers_, given);
        const hbm_error why = hbm_unpin(manager_, given);
        settle(why, held != nullptr && held->pins != 0, "only a pinned buffer is unpinned");
        if (held == nullptr)
            expect(is_of_handle(why), "an unpin says what is wrong with a handle");
        else if (held->pins == 0)
            expect(why == HBM_ERROR_NOT_PINNED, "a buffer that is not pinned cannot be unpinned");
        else
            --const_cast<live_handle<hbm_buffer>*>(held)->pins;
    }
    void load() {
        hbm_program_spec spec{};
        spec.struct_size = any_struct_size(sizeof spec);
        spec.name = any_name();
        spec.code = any_size();
        spec.scratch = random_.once_in(2) ? 0 : any_size();
        spec.reload_us = random_.once_in(2) ? 0 : random_.next() >> random_.below(64);
        hbm_program made{};
        const bool nowhere = random_.once_in(64);
        const bool from_nowhere = random_.once_in(64);
        const hbm_error why = hbm_load(manager_, from_nowhere ? nullptr : &spec, nowhere ? nullptr : &made);
        settle(why, !nowhere && !from_nowhere && spec.struct_size == sizeof spec && spec.code <= capacity,
               "a program that is too large is refused, and so is a null pointer");
        if (why != HBM_OK) return;
        expect(!is_live(made), "a new program has a handle of its own");
        programs_.push_back({made, 0});
    }
    void call_program(const fuzzed_manager& other, std::uint64_t which) {
        const hbm_program given = any_program(other);
        const bool live = is_live(given);
        int loaded = 2;
        const hbm_error why = which == 0   ? hbm_reload(manager_, given)
                              : which == 1 ? hbm_evict(manager_, given)
                              : which == 2 ? hbm_unload_for_now(manager_, given)
                                           : hbm_is_loaded(manager_, given, random_.once_in(9) ? nullptr : &loaded);
        if (which == 3) {
            expect(why != HBM_OK || (live && (loaded == 0 || loaded == 1)), "a live program is loaded or not");
            return;
        }
        settle(why, live, "only a live program is called");
        expect(live || is_of_handle(why), "a program's handle is checked");
        expect(!live || which == 0 || why == HBM_OK, "a live program leaves the memory");
        if (why == HBM_OK && hbm_is_loaded(manager_, given, &loaded) == HBM_OK)
            expect(loaded == (which == 0 ? 1 : 0), "a program that was reloaded is in memory, others are not");
    }
    void unload(const fuzzed_manager& other) {
        const hbm_program given = any_program(other);
        const bool live = is_live(given);
        const hbm_error why = hbm_unload(manager_, given);
        expect(live ? why == HBM_OK : is_of_handle(why), "unload takes what is live, and nothing else");
        settle(why, live, "unload takes what is live");
        if (live) drop(programs_, gone_programs_, given);
    }

    /// How long a list is said to be that is null, or that has `count` items.
    [[nodiscard]] std::size_t any_count(bool is_null, std::size_t count) {
        if (tame_) return count;
        if (is_null && random_.once_in(2)) return random_.once_in(2) ? random_.next() : random_.below(4);
        if (random_.once_in(64)) return std::size_t{HBM_MAX_ARGUMENTS} + 1 + random_.below(1000);
        return is_null ? 0 : count;
    }

    void run(const fuzzed_manager& other);
    void call_run(const fuzzed_manager& other);
    /// Whether a run could succeed, as far as its arguments go.
    [[nodiscard]] bool run_is_good(const hbm_run_spec& spec, const std::vector<hbm_buffer>& inputs,
                                   const std::vector<hbm_buffer>& donated, const hbm_program& subject) const;

    void retire(const fuzzed_manager& other);
    void compact();
    void relieve();
    void try_fork();
    void visit_blocks();
    void look(const fuzzed_manager& other);
    void read_texts();
    /// Calls that cannot succeed.
    void make_nonsense();
    void make_managers();

    numbers& random_;
    std::uint32_t failing_;
    hbm_manager* manager_ = nullptr;
    const char* broken_ = nullptr;

    std::vector<live_handle<hbm_buffer>> buffers_;
    std::vector<live_handle<hbm_program>> programs_;
    std::vector<hbm_buffer> gone_buffers_;
    std::vector<hbm_program> gone_programs_;
    std::map<std::uint32_t, std::uint64_t> heard_;  // where each buffer is, by its index, as the callbacks told
    bool parted_ = false;                           // a move has stopped in the middle
    bool copies_failed_ = false;
    bool tame_ = false;  // the arguments of the call in hand are mostly good
    hbm_statistics before_{};
};

}  // namespace hbm::test
