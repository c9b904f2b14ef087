#pragma once

#include <hbm/c.h>
#include <hbm/c/c_errors.hpp>
#include <hbm/core/error.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/events/events.hpp>
#include <hbm/state/memory_view.hpp>
#include <hbm/state/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace hbm::inline v0::c_face {

// Numbers unlikely to be passed by accident.
inline constexpr std::uint32_t buffer_kind = 0x48424246;
inline constexpr std::uint32_t program_kind = 0x48425047;
inline constexpr std::uint32_t fence_kind = 0x48424643;

inline hbm_buffer to_c(hbm::buffer held) noexcept {
    return {held.index, held.generation, held.salt, buffer_kind};
}
inline hbm_program to_c(hbm::program held) noexcept {
    return held ? hbm_program{held.index, held.generation, held.salt, program_kind} : hbm_program{};
}

/// Converts a handle of the C interface.
/// Fails: returns an error if its kind differs.
template <class C, class Handle>
inline hbm::error take_handle(const C& given, std::uint32_t kind, Handle& target) noexcept {
    target = Handle::of(given.index, given.generation, given.salt);
    if (given.kind == kind) return hbm::error::none;
    return given.kind == 0 ? hbm::error::stale_handle : hbm::error::wrong_kind;
}
inline hbm::error take(const hbm_buffer& given, hbm::buffer& target) noexcept {
    return take_handle(given, buffer_kind, target);
}
inline hbm::error take(const hbm_program& given, hbm::program& target) noexcept {
    return take_handle(given, program_kind, target);
}

/// Copies a struct that begins with its size, which may be that of an earlier version.
/// Fails: returns false for other sizes.
template <class T>
[[nodiscard]] bool read_struct(const T* given, T& target, std::size_t size_of_first_version = sizeof(T)) noexcept {
    std::size_t size = 0;
    std::memcpy(&size, static_cast<const void*>(given), sizeof size);
    if (size < size_of_first_version || size > sizeof(T)) return false;
    target = T{};
    std::memcpy(static_cast<void*>(&target), static_cast<const void*>(given), size);
    return true;
}
/// Writes as many bytes of a struct as its size says.
/// Requires: `read_struct` has read it.
template <class T>
inline void write_struct(const T& source, T* target) noexcept {
    std::memcpy(static_cast<void*>(target), static_cast<const void*>(&source), source.struct_size);
}

/// Describes the block or hole of an index.
inline hbm_block describe(const hbm::memory_view<std::uint64_t>& memory, hbm::block_index block,
                          std::uint32_t salt) noexcept {
    const hbm::block_map<std::uint64_t>& map = memory.map();
    const hbm::extent where = memory.where(block);
    hbm_block described{};
    described.struct_size = sizeof described;
    described.kind = static_cast<std::uint32_t>(number_of(map.kind(block)));
    described.index = block;
    described.where = {where.offset, where.size};
    described.label = "";
    if (map.is_hole(block)) return described;
    described.pins = map.pins(block);
    described.holds = map.holds(block);
    described.granted = std::uint64_t{map.granted(block)} * memory.spec().quantum;
    if (described.kind == HBM_BLOCK_CODE || described.kind == HBM_BLOCK_SCRATCH) {
        described.program = to_c(memory.handle_of(map.owner(block)));
        described.label = memory.name_of(memory.programs()[map.owner(block)].label);
    } else if (described.kind != HBM_BLOCK_RESERVATION) {
        described.label = memory.name_of(static_cast<hbm::tag>(map.owner(block)));
    }
    if (described.kind == HBM_BLOCK_BUFFER)
        described.buffer = to_c(hbm::buffer::of(block, map.generation(block), salt));
    return described;
}

inline hbm_step to_c(const hbm::step& given) noexcept {
    return {static_cast<std::uint32_t>(number_of(given.what)),
            given.subject,
            given.from,
            given.to,
            given.bytes,
            given.nanoseconds};
}
/// Converts a step. Costs of a move are computed anew.
/// Requires: its kind is valid.
inline hbm::step described(const hbm_step& given, const hbm::memory_spec& spec) noexcept {
    if (given.kind == HBM_STEP_MOVE) return hbm::move_step(spec, given.index, given.from, given.to, given.bytes);
    return {.what = given.kind == HBM_STEP_WAIT ? hbm::step_kind::wait : hbm::step_kind::evict,
            .subject = given.index,
            .from = given.from,
            .to = given.to,
            .bytes = given.bytes,
            .nanoseconds = given.nanoseconds};
}

inline std::size_t write_text(std::string_view text, char* target, std::size_t size) noexcept {
    if (target != nullptr && size != 0) {
        const std::size_t length = text.size() < size - 1 ? text.size() : size - 1;
        std::memcpy(target, text.data(), length);
        target[length] = '\0';
    }
    return text.size();
}

/// The callbacks of a manager, its observer and its device, with a mark while one runs.
/// Requires: they outlive the manager.
class callbacks {
public:
    hbm_event_function on_event = nullptr;
    hbm_copy_function copy_bytes = nullptr;
    void* user = nullptr;
    std::uint32_t salt = 0;
    bool running = false;

    void on(const hbm::event& occurred, const hbm::memory_view<std::uint64_t>& memory) noexcept {
        if (on_event == nullptr) return;
        const hbm_event told = describe(occurred, memory);
        running = true;
        on_event(user, &told);
        running = false;
    }
    bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) noexcept {
        if (copy_bytes == nullptr) return true;
        running = true;
        const bool copied = copy_bytes(user, to, from, bytes) != 0;
        running = false;
        return copied;
    }

private:
    [[nodiscard]] hbm_event describe(const hbm::event& occurred,
                                     const hbm::memory_view<std::uint64_t>& memory) const noexcept {
        using hbm::event_kind;
        hbm_event told{};
        told.struct_size = sizeof told;
        told.kind = static_cast<std::uint32_t>(number_of(occurred.what));
        told.error = static_cast<std::uint32_t>(number_of(occurred.reason));
        told.label = memory.name_of(occurred.label);
        told.where = {occurred.where.offset, occurred.where.size};
        told.from = occurred.from;
        told.index = occurred.subject;
        told.is_scratch = occurred.kind == hbm::block_kind::scratch;
        switch (occurred.what) {
        case event_kind::allocated:
        case event_kind::donated:
        case event_kind::trimmed:
        case event_kind::begun:
        case event_kind::stayed:
        case event_kind::moved:
        case event_kind::parted: describe_block(occurred.subject, memory.map(), memory, told); break;
        case event_kind::loaded:
        case event_kind::reloaded:
        case event_kind::evicted:
        case event_kind::unloaded:
        case event_kind::ran:
        case event_kind::thrashing: told.program = to_c(memory.handle_of(occurred.subject)); break;
        default: break;
        }
        return told;
    }
    void describe_block(hbm::block_index block, const hbm::block_map<std::uint64_t>& map,
                        const hbm::memory_view<std::uint64_t>& memory, hbm_event& told) const noexcept {
        if (map.kind(block) == hbm::block_kind::data) {
            told.buffer = to_c(hbm::buffer::of(block, map.generation(block), salt));
        } else {
            told.index = map.owner(block);
            told.program = to_c(memory.handle_of(told.index));
        }
    }
};

}  // namespace hbm::inline v0::c_face
