#include "compare/answers/message/special.hpp"

#include <hbm/core/bytes.hpp>
#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "compare/answers/message/headline.hpp"
#include "compare/answers/message/remedies.hpp"
#include "compare/answers/message/remedy_texts.hpp"
#include "compare/answers/message/texts.hpp"
#include "compare/read/xla/shape.hpp"
#include "compare/text/rounded_size.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace texts = message_texts;
namespace advice = remedy_texts;

namespace {

bool is_cut(const memory_message& from) {
    const bool of_runtime = !from.of_compiler() && (!from.asked || !from.free);
    const bool has_excess = from.exceeded && from.exceeded->high != 0;
    return of_runtime || (from.kind == message_kind::compile && !from.asked && !has_excess);
}

bool is_of_host(const memory_message& from) {
    return from.space.find("host") != std::string::npos;
}

std::string on_chip(const memory_message& from) {
    std::string need;
    if (from.asked && from.capacity) {
        const std::size_t limit = from.is_setting ? 0 : from.space.starts_with("SparseCore") ? 1 : 2;
        need = filled(texts::need_and_limit[limit],
                      {{"asked", in_words(*from.asked)}, {"capacity", in_words(*from.capacity)}});
    }
    if (from.exceeded)
        need = filled(need.empty() ? texts::excess_alone : texts::excess_of_need,
                      {{"need", need}, {"exceeded", in_words(*from.exceeded)}});
    return filled(texts::other_memory[is_of_host(from) ? 1 : 0],
                  {{"owner", from.owner.empty() ? std::string(texts::unnamed_owner)
                                                : filled(texts::named_owner, {{"name", from.owner}})},
                   {"space", from.space},
                   {"need", need},
                   {"setting", std::string(from.is_setting ? texts::limit_is_setting : "")}});
}

std::string cut(const memory_message& from) {
    const std::size_t has_size = from.asked ? 1 : 0;
    return filled(from.kind == message_kind::reservation ? texts::cut_scratch[has_size]
                  : from.kind == message_kind::load      ? texts::cut_code[has_size]
                  : from.kind == message_kind::compile   ? texts::cut_compile
                                                         : texts::cut_array[has_size],
                  {{"program", program_of(from)}, {"asked", from.asked ? in_words(*from.asked) : std::string{}}});
}

/// Returns the bytes of all shapes of a donation warning; empty if one is unknown.
std::optional<std::uint64_t> bytes_of_shapes(const memory_message& from) {
    std::uint64_t sum = 0;
    // JAX prints the names of NumPy.
    constexpr std::pair<std::string_view, std::string_view> names[] = {
        {"bfloat16", "bf16"}, {"float", "f"}, {"uint", "u"}, {"int", "s"}, {"bool", "pred"}, {"complex", "c"}};
    for (std::string text : from.shapes) {
        for (const auto& [name, short_name] : names)
            if (text.starts_with(name)) {
                text.replace(0, name.size(), short_name);
                break;
            }
        const std::optional<xla::array_shape> shape = xla::read_array_shape(text);
        const std::optional<std::uint64_t> bytes = shape ? xla::unpadded_bytes(*shape) : std::nullopt;
        if (!bytes) return std::nullopt;
        sum = saturating_add(sum, *bytes);
    }
    return sum;
}

std::string donation(const memory_message& from) {
    std::string shapes;
    for (const std::string& shape : from.shapes) shapes += (shapes.empty() ? "" : ", ") + shape;
    const std::optional<std::uint64_t> bytes = bytes_of_shapes(from);
    return filled(bytes ? texts::donated_without_effect : texts::donated_unknown_without_effect,
                  {{"shapes", shapes}, {"bytes", size_in_words(bytes.value_or(0))}});
}

void of_chip(const memory_message& from, remedies& all) {
    if (is_of_host(from)) {
        add(all, advice::offload_less);
    } else if (from.space == "smem") {
        add(all, advice::fewer_scalars);
    } else if (from.space.starts_with("SparseCore")) {
        add(all, advice::smaller_sparse_core);
    } else {
        constexpr std::uint64_t most_vmem = std::uint64_t{128} << 20;  // of a v5e or v6e; others have less
        if (from.asked && from.asked->high < most_vmem && from.space == "vmem") {
            const std::uint64_t kibibytes = (from.asked->high + 1023) / 1024;
            add(all, filled(advice::raise_limit, {{"bytes", kibibytes * 1024}, {"kibibytes", kibibytes}}),
                "--xla_tpu_scoped_vmem_limit_kib", std::to_string(kibibytes));
        }
        add(all, advice::smaller_blocks);
        add(all, advice::update_libtpu);
    }
}

void of_cut(const memory_message& from, remedies& all) {
    add(all, advice::bring_whole_message);
    if (from.kind == message_kind::buffer) {
        add(all, filled(advice::free_unknown, {{"usual_leaks", std::string(advice::usual_leaks)}}));
        add_donation(all, advice::donate_unknown_output);
        add(all, advice::smaller_array);
        return add(all, advice::check_shape);
    }
    add(all, advice::load_first);
    of_pool(from, {}, all);
    add(all, advice::free_unknown_before_load);
    of_company(all);
    if (from.kind == message_kind::reservation)
        add(all, advice::less_scratch_for_unknown, "--tpu_shared_memory_percent");
    add(all, advice::smaller_program);
}

}  // namespace

std::string special_headline(const memory_message& from, const diagnosis& shortage) {
    if (shortage.what == shortage_kind::on_chip) return on_chip(from);
    if (from.kind == message_kind::donation) return donation(from);
    if (from.kind == message_kind::rematerialization)
        return filled(from.asked && shortage.missing ? texts::rematerialization : texts::rematerialization_of_unknown,
                      {{"asked", from.asked ? in_words(*from.asked) : std::string{}},
                       {"missing", shortage.missing ? in_words(*shortage.missing) : std::string{}}});
    if (is_cut(from)) return cut(from);
    if (from.kind == message_kind::temporaries && shortage.missing)
        return filled(texts::temporaries_too_large,
                      {{"program", program_of(from)}, {"missing", in_words(*shortage.missing)}});
    return {};
}

bool add_special(const memory_message& from, const diagnosis& shortage, remedies& all) {
    if (shortage.what == shortage_kind::on_chip) {
        of_chip(from, all);
    } else if (from.kind == message_kind::donation) {
        add(all, advice::return_same_shape);
        add(all, advice::do_not_donate);
    } else if (is_cut(from) && from.kind != message_kind::compile) {
        of_cut(from, all);
    } else {
        return false;
    }
    return true;
}

}  // namespace hbm::imported
