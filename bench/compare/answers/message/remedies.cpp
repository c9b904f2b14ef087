#include "compare/answers/message/remedies.hpp"

#include <hbm/core/memory_spec.hpp>
#include <hbm/eviction/policies.hpp>
#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/tpu/generations.hpp>

#include <cstdint>
#include <optional>

#include "compare/answers/message/largest.hpp"
#include "compare/answers/message/remedy_parts.hpp"
#include "compare/answers/message/remedy_texts.hpp"
#include "compare/answers/message/special.hpp"
#include "compare/text/rounded_size.hpp"
#include "compare/text/share.hpp"

namespace hbm::imported {

namespace texts = remedy_texts;

namespace {

const memory_spec& largest_generation() {
    const memory_spec* largest = &tpu::generations[0];
    for (const memory_spec& each : tpu::generations)
        if (each.capacity > largest->capacity) largest = &each;
    return *largest;
}

std::string with_leaks(std::string_view text, const std::string& enough = {}) {
    return filled(text, {{"enough", enough}, {"usual_leaks", std::string(texts::usual_leaks)}});
}

void of_shortage(const memory_message& from, const diagnosis& shortage, remedies& all) {
    if (from.around.has_pool) of_pool(from, shortage.missing, all);
    add(all, with_leaks(texts::free_arrays, enough_in_words(*shortage.missing)));
    add_donation(all, texts::donate_output, from.asked);
    add(all, smaller(*from.asked, *from.free, texts::this_array));
    add(all, spread(*from.asked, *from.free, texts::this_array));
    add(all, texts::check_shape);
}

void of_fragmentation(const memory_message& from, remedies& all) {
    add(all, texts::large_first);
    add(all, texts::update_jax);
    if (from.kind == message_kind::buffer) add_donation(all, texts::donate_output_in_pieces, from.asked);
    if (from.largest) {
        add(all, smaller(*from.asked, *from.largest, texts::this_array));
        add(all, spread(*from.asked, *from.largest, texts::this_array));
    }
    add(all, with_leaks(texts::free_neighbours));
    add(all, texts::check_shape);
    add(all, restart(texts::restart, difference(*from.free, *from.asked)));
}

std::string batch_of(const rounded_size& temporaries, const byte_range& exceeded) {
    const std::uint64_t left = less(temporaries.low, exceeded.high);
    const std::uint64_t share = per_cent(left, temporaries.high);
    return filled(share < 5 ? texts::hardly_smaller_batch : texts::smaller_batch,
                  {{"temporaries", in_words(temporaries)},
                   {"missing", in_words(exceeded)},
                   {"percent", share},
                   {"parts", grouped_digits(shares_needed(temporaries.high, left))}});
}

void add_donation_of_program(const memory_message& from, const diagnosis& shortage, remedies& all) {
    const bool states_outputs = from.output && from.output->size && !shortage.arguments_not_stated;
    if (outputs_matter(from, shortage))
        add_donation(all, filled(texts::donate_replaced[lists_whole_program(from) ? 1 : 0],
                                 {{"outputs", in_words(*shortage.fresh_outputs)}}));
    else if (!states_outputs)  // or else hardly any outputs, or all donated
        add_donation(all, texts::donate_state);
}

/// Adds remedies for temporaries, unless the program is too large even without them.
void of_temporaries(const memory_message& from, const diagnosis& shortage, remedies& all) {
    if (arguments_exceed(from)) return;
    const std::optional<rounded_size> temporaries = from.kind == message_kind::temporaries ? from.asked
                                                    : from.requirement ? from.requirement->temporaries
                                                                       : std::nullopt;
    if (!temporaries || !shortage.missing) return add(all, texts::smaller_or_recompute);
    add(all, batch_of(*temporaries, *shortage.missing));
    const std::uint64_t share = per_cent(shortage.missing->high, temporaries->low);
    if (share < 95)
        add(all, filled(texts::recompute, {{"missing", in_words(*shortage.missing)}, {"percent", share + 1}}));
}

void of_program(const memory_message& from, const diagnosis& shortage, remedies& all) {
    if (from.kind == message_kind::early_abort) add(all, texts::have_compiler_finish);
    add(all, large_array_remedy(from));
    add(all, padding_remedy(from));
    const bool is_far = from.asked && from.capacity && from.asked->bytes / 4 > from.capacity->bytes;
    if (is_far && from.kind != message_kind::exceeds && from.listed.empty()) add(all, texts::look_for_large_array);
    // Donation saves outputs, not temporaries.
    const bool has_outputs = from.kind != message_kind::temporaries;
    if (!is_far && has_outputs && !arguments_exceed(from)) add_donation_of_program(from, shortage, all);
    of_temporaries(from, shortage, all);
    add(all, narrower_types_remedy(from));
    if (from.asked && from.capacity) {
        // The system's reservation is needed on each device, and is not in the listed memory of a generation.
        const rounded_size reserved = shortage.counts_reserved ? *from.usage->reserved : rounded_size{};
        const byte_range own = difference(*from.asked, reserved);
        const byte_range room = difference(*from.capacity, reserved);
        add(all, spread(*from.asked, *from.capacity, texts::spread_arguments, reserved));
        const std::string larger = generations_with({own.bytes, own.low, own.high}, room.high);
        if (!larger.empty()) add(all, filled(texts::larger_device, {{"devices", larger}}));
    }
    const std::optional<rounded_size> total = from.usage ? from.usage->total : std::nullopt;
    if (!from.capacity && total && generations_with(*total).empty())
        add(all, spread(*total, exactly(largest_generation().capacity), texts::spread_arguments));
    if (is_far) return;
    const auto& arguments = from.usage && !shortage.arguments_not_stated ? from.usage->arguments : std::nullopt;
    add(all, filled(arguments ? texts::offload_arguments : texts::offload,
                    {{"arguments", arguments ? in_words(*arguments) : std::string{}}}));
    if (arguments_exceed(from)) return;
    const std::string mebibytes = from.capacity ? std::to_string(from.capacity->bytes / 100 * 95 >> 20) : "N";
    add(all, filled(texts::look_harder, {{"mebibytes", mebibytes}}), "--xla_tpu_max_hbm_size_mib",
        from.capacity ? mebibytes : "");
}

void of_cores(const memory_message& from, remedies& all) {
    if (from.sparse_core && from.capacity && from.sparse_core->low > from.tensor_core.value_or(rounded_size{}).high) {
        add(all, filled(texts::fewer_tables, {{"sparse_core", in_words(*from.sparse_core)}}));
        add(all, texts::shard_tables);
        add(all, texts::fewer_iterations);
    }
    if (from.asked && from.capacity) add(all, spread(*from.asked, *from.capacity, texts::spread_tables));
    add(all, texts::smaller_tables);
}

}  // namespace

std::vector<remedy> remedies_for(const memory_message& from, const diagnosis& shortage, bool may_donate) {
    remedies all{.may_donate = may_donate};
    if (add_special(from, shortage, all)) return all.list;
    if (from.kind == message_kind::cores) {
        of_cores(from, all);
        return all.list;
    }
    switch (shortage.what) {
    case shortage_kind::shortage: of_shortage(from, shortage, all); break;
    case shortage_kind::fragmentation: of_fragmentation(from, all); break;
    case shortage_kind::crowded: of_load(from, shortage, all); break;
    case shortage_kind::blocked_bottom: of_bottom(from, shortage, all); break;
    case shortage_kind::too_large: of_program(from, shortage, all); break;
    case shortage_kind::unknown:
        if (from.kind == message_kind::report) of_program(from, shortage, all);
        break;
    case shortage_kind::on_chip: break;
    }
    return all.list;
}

std::string free_before(const byte_range& missing) {
    return filled(texts::free_before_load, {{"enough", enough_in_words(missing)}});
}

void of_company(remedies& all) {
    add_donation(all, texts::donate_inputs);
    add(all, texts::fewer_programs);
}

void of_pool(const memory_message& from, const std::optional<byte_range>& missing, remedies& all) {
    std::string share;  // of the device, in thousandths and rounded up
    if (missing && from.around.memory && from.around.memory->bytes >= 1000) {
        const std::uint64_t thousandths = compare::thousandths_of(missing->high, from.around.memory->bytes);
        if (thousandths < 1000) share = compare::share_in_words(thousandths);
    }
    add(all,
        filled(!missing        ? texts::pool
               : share.empty() ? texts::pool_by_bytes
                               : texts::pool_by_share,
               {{"make", std::string(texts::make_pool[from.around.has_pool ? 1 : 0])},
                {"enough", missing ? enough_in_words(*missing) : std::string{}},
                {"share", share}}),
        "--gpu-memory-utilization");
}

void of_scratch(const memory_message& from, const rounded_size& room, remedies& all) {
    const bool is_far = is_out_of_reach(*from.asked, room);
    const byte_range missing = difference(*from.asked, room);
    add(all, smaller(*from.asked, room, texts::the_scratch));
    add(all, texts::recompute_gradients);
    add(all,
        filled(is_far ? texts::hardly_less_scratch : texts::less_scratch,
               {{"missing", in_words(missing)}, {"enough", enough_in_words(missing)}}),
        "--tpu_shared_memory_percent");
    add(all, spread(*from.asked, room, texts::spread_program, {}, is_far));
}

namespace {

/// Returns the sentence on the devices that hold a program alone, of which `larger` is the list.
std::string fits_alone(const memory_message& from, const std::string& larger) {
    const std::optional<rounded_size>& memory = from.around.memory;
    if (!memory || memory->low <= from.asked->high) return filled(texts::check_alone, {{"devices", larger}});
    return filled(texts::fits_alone,
                  {{"left", in_words(difference(*memory, *from.asked))}, {"memory", in_words(*memory)}});
}

}  // namespace

std::string fits_nowhere(const rounded_size& asked) {
    const memory_spec& largest = largest_generation();
    return filled(texts::fits_nowhere,
                  {{"asked", in_words(asked)},
                   {"missing", in_words(difference(asked, exactly(largest_generation().capacity)))},
                   {"name", largest.name},
                   {"capacity", size_in_words(largest.capacity)}});
}

void of_load(const memory_message& from, const diagnosis& shortage, remedies& all) {
    const rounded_size room = possible_in(from, *from.free);
    const auto& temporaries = from.requirement ? from.requirement->temporaries : std::nullopt;
    const bool is_scratch =
        from.kind == message_kind::reservation || (temporaries && temporaries->bytes > from.asked->bytes / 2);
    const rounded_size& free = *from.free;
    const std::string larger = generations_with(*from.asked, free.low == 0 ? 0 : free.low - 1);
    if (const std::string own = remedy_of_known_program(from.program); !own.empty()) {
        add(all, own);
        add(all, free_before(*shortage.missing));
        if (is_scratch)
            add(all, larger.empty() ? fits_nowhere(*from.asked) : filled(texts::device_alone, {{"devices", larger}}));
        return;
    }
    if (is_scratch && larger.empty()) {
        add(all, fits_nowhere(*from.asked));
        add(all, texts::look_for_large_array);
        if (spread(*from.asked, room, {}).empty())
            add(all, spread(*from.asked, exactly(largest_generation().capacity), texts::spread_program));
        return of_scratch(from, room, all);
    }
    if (from.around.has_pool) of_pool(from, shortage.missing, all);
    if (is_scratch) add(all, fits_alone(from, larger));
    add(all, free_before(*shortage.missing));
    if (!from.around.has_pool) of_pool(from, shortage.missing, all);
    of_company(all);
    if (is_scratch) return of_scratch(from, room, all);
    add(all, filled(texts::pass_as_arguments, {{"asked", in_words(*from.asked)}}));
    add(all, texts::smaller_in_memory);
    add(all, spread(*from.asked, room, texts::spread_program));
}

void of_bottom(const memory_message& from, const diagnosis& shortage, remedies& all) {
    if (from.around.has_pool) of_pool(from, shortage.missing, all);
    add(all, texts::load_first_at_bottom);
    if (from.reservable) add(all, filled(texts::free_obstacle, {{"piece", in_words(*from.reservable)}}));
    of_company(all);
    if (from.reservable) of_scratch(from, possible_in(from, *from.reservable), all);
    add(all, restart(texts::restart_and_load, difference(possible_in(from, *from.free), *from.asked)));
}

}  // namespace hbm::imported
