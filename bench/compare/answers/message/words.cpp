#include "compare/answers/message/words.hpp"

#include <hbm/core/bytes.hpp>
#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/tpu/generations.hpp>

#include <cstddef>
#include <iterator>
#include <utility>

#include "compare/text/text.hpp"

namespace hbm::compare {

using imported::listed_allocation;

std::string times_in_words(std::uint64_t whole, std::uint64_t part) {
    if (part == 0) return "many times";
    const std::uint64_t count = whole / part;
    std::uint64_t unit = 1;
    while (count / unit >= 1000) unit *= 10;
    if (count >= 10) return grouped_digits(count / unit * unit) + " times";
    const auto tenths = static_cast<std::uint64_t>(wide_bytes{whole} * 10 / part);
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " times";
}

std::string device_in_words(const memory_spec& device) {
    const bool has_name = std::string_view(device.name) != "custom";
    return filled(has_name ? "TPU {name} ({capacity})" : "a device of {capacity}",
                  {{"name", device.name}, {"capacity", size_in_words(device.capacity)}});
}

const memory_spec& largest_generation() {
    return *std::max_element(std::begin(tpu::generations), std::end(tpu::generations),
                             [](const memory_spec& a, const memory_spec& b) { return a.capacity < b.capacity; });
}

std::string generations_with(const rounded_size& needed, std::uint64_t more_than) {
    constexpr std::size_t most = 3;
    std::string text;
    std::uint64_t last = std::max(more_than, needed.high == 0 ? 0 : needed.high - 1);
    for (std::size_t count = 0; count < most; ++count) {
        const memory_spec* next = nullptr;
        for (const memory_spec& each : tpu::generations)
            if (each.capacity > last && (next == nullptr || each.capacity < next->capacity)) next = &each;
        if (next == nullptr) break;
        last = next->capacity;
        const byte_range left = difference(imported::exactly(last), needed);
        append_item(text, filled("TPU {name} ({capacity}, {left} left)",
                                 {{"name", next->name},
                                  {"capacity", size_in_words(last)},
                                  {"left", in_unit(left.bytes, left.unit, imported::rounding::nearest)}}));
    }
    return text;
}

std::string words_or_empty(const std::optional<rounded_size>& size) {
    return size ? in_words(*size) : std::string{};
}

std::string words_or_empty(const std::optional<byte_range>& size) {
    return size ? in_words(*size) : std::string{};
}

std::string program_of(const memory_message& from) {
    return from.program.empty() ? "the program" : "program '" + from.program + "'";
}

std::string without_layout(std::string_view shape) {
    constexpr std::size_t longest = 60;
    shape = shape.substr(0, shape.find('{'));
    return std::string(shape.substr(0, longest)) + (shape.size() > longest ? "..." : "");
}

std::string operation_of(const listed_allocation& entry) {
    constexpr std::size_t longest = 48;
    std::string_view name = quoted_field(entry.origin, "op_name=\"");
    name = name.substr(0, name.find('['));  // parameters of the operation
    return name.size() <= longest ? std::string(name) : "..." + std::string(name.substr(name.size() - longest));
}

namespace {

std::string source_of(std::string_view origin) {
    std::string_view file = quoted_field(origin, "source_file=\"");
    file = file.substr(file.find_last_of('/') + 1);
    constexpr std::string_view field = "source_line=";
    const std::size_t at = origin.find(field);
    if (file.empty() || at == std::string_view::npos) return std::string(file);
    const std::string_view line = origin.substr(at + field.size());
    return std::string(file) + ":" + std::string(line.substr(0, line.find_first_not_of("0123456789")));
}

/// Returns the name of the operation; without it, the compiler's label: `%fusion.4 = bf16[..` is `fusion.4`.
std::string operation_or_label(const listed_allocation& entry) {
    std::string operation = operation_of(entry);
    if (!operation.empty()) return operation;
    constexpr std::size_t longest = 48;
    std::string_view label = entry.label;
    label = label.substr(label.starts_with('%') ? 1 : 0);
    label = label.substr(0, label.find(" = "));
    return std::string(label.substr(0, longest));
}

std::uint64_t bytes_in(const allocation_group& group) {
    return group.first->size ? saturating_multiply(group.first->size->bytes, group.count) : 0;
}

// From the sources of JAX: names of its internal jitted functions, and of primitives that run outside of `jax.jit`.
constexpr std::string_view sharded_from_start =
    "Make the array where it belongs: `jax.jit(make, out_shardings=s)()`: no device then has the whole array.";
constexpr std::string_view index_less =
    "Index inside of a jitted function, so that no copy of a part is kept, or take the part on the host.";
constexpr framework_program framework_programs[] = {
    {"jit__identity_fn", "a copy to another sharding: `jax.device_put`, or `process_allgather`",
     "Do not gather whole arrays on every device: read each process's own part (`x.addressable_shards`), save "
     "checkpoints as shards (Orbax does), or gather one array at a time."},
    {"jit__multi_slice", "slices that shard an array on its way to the devices",
     "Send each device its own part: `jax.make_array_from_callback(shape, sharding, read_part)` in place of a "
     "`jax.device_put` of the whole array."},
    {"jit_convert_element_type", "`x.astype(...)` outside of `jax.jit`",
     "Cast before the array is on the device (NumPy with ml_dtypes), or inside of a jitted function that donates it: "
     "otherwise both copies are in memory."},
    {"jit_broadcast_in_dim", "`jnp.zeros`, `jnp.full` or a broadcast outside of `jax.jit`", sharded_from_start},
    {"jit_concatenate", "`jnp.concatenate` or `jnp.stack` outside of `jax.jit`",
     "Concatenate on the host, or inside of a jitted function that donates the parts: otherwise parts and result are "
     "in memory together."},
    {"jit_dynamic_slice", "indexing such as `x[i]` outside of `jax.jit`", index_less},
    {"jit_gather", "indexing with an array outside of `jax.jit`", index_less},
    {"jit_copy", "a copy of an array: `jnp.array(x)` or `x.copy()` outside of `jax.jit`",
     "Leave the copy out, or delete the original before: `jnp.asarray(x)` does not copy."},
    {"jit__normal", "`jax.random.normal` outside of `jax.jit`", sharded_from_start},
    {"jit__uniform", "`jax.random.uniform` outside of `jax.jit`", sharded_from_start},
    {"jit__threefry_split", "`jax.random.split` outside of `jax.jit`", {}},
    {"jit_iota", "`jnp.arange` outside of `jax.jit`", sharded_from_start},
};

constexpr framework_words words_of_jax{
    "`del x` or `x.delete()`", "`jax.clear_caches()`", "`jax.jit(step, donate_argnums=...)`", "`jax.checkpoint`",
    "Next: whose memory it is. Call `jax.profiler.save_device_memory_profile('memory.prof')` just before the line that "
    "fails; `hbm_compare memory.prof` says who holds what."};
constexpr framework_words words_of_pytorch{
    "`del x`, then `torch_xla.sync()`", "a new process",
    "`torch_xla.sync()` after each step, with new values in place "
    "of the old (`x.copy_(y)`)",
    "`torch_xla.utils.checkpoint.checkpoint`",
    "Next: what each graph needs. Run with PT_XLA_DEBUG=1 and bring what it prints, or XLA_FLAGS=--xla_dump_to=DIR and "
    "`hbm_compare --program DIR`."};
constexpr framework_words words_of_tensorflow{
    "drop the last reference, or `tf.keras.backend.clear_session()`", "a new process",
    "`variable.assign(new)` inside of the step", "`tf.recompute_grad`",
    "Next: what the program needs. Run with XLA_FLAGS=--xla_dump_to=DIR; `hbm_compare --program DIR` says which arrays "
    "take how much."};

}  // namespace

std::vector<allocation_group> largest_groups(const memory_message& from) {
    std::vector<allocation_group> groups;
    for (const listed_allocation& entry : from.listed) {
        allocation_group next{1, &entry, operation_or_label(entry), source_of(entry.origin)};
        const auto group = std::find_if(groups.begin(), groups.end(), [&](const allocation_group& other) {
            return other.first->size == entry.size && other.first->shape == entry.shape &&
                   other.operation == next.operation && other.source == next.source;
        });
        if (group != groups.end())
            ++group->count;
        else
            groups.push_back(std::move(next));
    }
    std::stable_sort(groups.begin(), groups.end(),
                     [](const allocation_group& a, const allocation_group& b) { return bytes_in(a) > bytes_in(b); });
    return groups;
}

const framework_program* find_framework_program(std::string_view name) {
    for (const framework_program& program : framework_programs)
        if (program.name == name) return &program;
    return nullptr;
}

const framework_words& words_of(const memory_message& from) {
    if (from.around.by == imported::framework::pytorch) return words_of_pytorch;
    return from.around.by == imported::framework::tensorflow ? words_of_tensorflow : words_of_jax;
}

}  // namespace hbm::compare
