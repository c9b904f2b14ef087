#include "compare/answers/message/special.hpp"

#include <hbm/core/bytes.hpp>
#include <hbm/explain/words.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "compare/answers/message/headline.hpp"
#include "compare/answers/message/remedies.hpp"
#include "compare/read/xla/shape.hpp"
#include "compare/text/rounded_size.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace {

bool is_cut(const memory_message& from) {
    const bool of_runtime = !from.of_compiler() && (!from.asked || !from.free);
    return of_runtime || (from.kind == message_kind::compile && !from.asked && !from.exceeded);
}

bool is_of_host(const memory_message& from) {
    return from.space.find("host") != std::string::npos;
}

std::string on_chip(const memory_message& from) {
    std::string text =
        (from.owner.empty() ? std::string("An operation or kernel of the program") : "'" + from.owner + "'") +
        " needs too much of '" + from.space +
        (is_of_host(from) ? "', memory of the host, to which a program can offload" : "', a small memory on the chip");
    if (from.asked && from.capacity)
        text += ", where " + in_words(*from.asked) + " is needed and " + in_words(*from.capacity) +
                (from.is_setting                        ? " is allowed"
                 : from.space.starts_with("SparseCore") ? " may be used"
                                                        : " exists");
    if (from.exceeded)
        text += (from.asked ? ": " : ", exceeded by ") + in_words(*from.exceeded) + (from.asked ? " too much" : "");
    if (from.is_setting) text += ". That limit is a setting, and the chip may have more";
    return text + ". The device's memory (HBM) is not short: freeing it does not help.";
}

std::string cut(const memory_message& from) {
    const std::string size = from.asked ? in_words(*from.asked) : "memory";
    switch (from.kind) {
    case message_kind::reservation:
        return "There was no room for " + program_of(from) + ": " + size +
               " of scratch memory at the bottom of the device's memory. The text does not say how much was free: the "
               "message is cut before it.";
    case message_kind::load:
        return "There was no room for " + program_of(from) + " on the device" +
               (from.asked ? ": " + size + " for its code and constants" : "") +
               ". The text does not say how much was free: the message is cut before it.";
    case message_kind::compile:
        return "The program does not fit, even into empty memory. The text does not say by how much: the message is "
               "cut before its numbers. Freeing memory does not help: the program itself has to become smaller.";
    default:
        return "An array of " + (from.asked ? size : "unknown size") +
               " was requested and did not fit. The text does not say how much was free: the message is cut before it.";
    }
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
    return "A warning, not a failure: no output could take over these donated arguments: " + shapes +
           (bytes ? ". Together they have " + size_in_words(*bytes) + " or more, which the outputs need in addition."
                  : ".");
}

void of_chip(const memory_message& from, remedies& all) {
    if (is_of_host(from)) {
        add(all, "Offload less to the host: fewer activations or less of the optimizer's state. Or take a machine with "
                 "more memory for each device.");
    } else if (from.space == "smem") {
        add(all, "Pass less scalar data to the kernel: block tables and grid indices live in 'smem'. In vLLM, larger "
                 "pages (--block-size) or fewer sequences (--max-num-seqs) make the block table smaller.");
    } else if (from.space.starts_with("SparseCore")) {
        add(all, "Let the SparseCore work on less at a time: fewer embedding tables together, narrower features, a "
                 "smaller batch. XLA's page on error E3000 explains the limit.");
    } else {
        constexpr std::uint64_t most_vmem = std::uint64_t{128} << 20;  // of a v5e or v6e; others have less
        if (from.asked && from.asked->high < most_vmem && from.space == "vmem") {
            const std::string kibibytes = std::to_string((from.asked->high + 1023) / 1024);
            add(all,
                "Raise the limit if the chip has more vmem: for a Pallas kernel of yours, pass "
                "`compiler_params=pltpu.CompilerParams(vmem_limit_bytes=" +
                    std::to_string((from.asked->high + 1023) / 1024 * 1024) +
                    ")`; for all operations, set LIBTPU_INIT_ARGS=--xla_tpu_scoped_vmem_limit_kib=" + kibibytes +
                    " before the process starts. Other operations then have less.",
                "--xla_tpu_scoped_vmem_limit_kib", kibibytes);
        }
        add(all, "Use smaller blocks in that kernel (in Pallas, its `BlockSpec`), or fewer buffers for a block.");
        add(all, "Update jax and libtpu, if the kernel is the compiler's own: it should have chosen smaller blocks. "
                 "XLA's page on error E1001 lists further flags.");
    }
}

void of_cut(const memory_message& from, remedies& all) {
    add(all, "Bring the whole message, to the end of its line: it says whether less is free, or not in one piece.");
    if (from.kind == message_kind::buffer) {
        add(all, "Delete arrays that are no longer needed (`del x` for every reference, or `x.delete()`). " +
                     std::string(usual_leaks));
        add_donation(all, "Donate, if it is an output of a program: " + std::string(donate) + ".");
        add(all, "Take a smaller batch or a shorter sequence, or spread the array over more devices.");
        return add(all, check_shape);
    }
    add(all, "Load the program first: compile it and run it once before large arrays are made.");
    of_pool(from, {}, all);
    add(all, "Delete arrays that are no longer needed (`del x`, `x.delete()`), and programs that are no longer used "
             "(`jax.clear_caches()`), before the program is loaded.");
    of_company(all);
    if (from.kind == message_kind::reservation)
        add(all,
            "Let the compiler use less scratch memory: set LIBTPU_INIT_ARGS=--tpu_shared_memory_percent=N before the "
            "process starts. Programs then run slower.",
            "--tpu_shared_memory_percent");
    add(all, "Take a smaller batch or a shorter sequence, or spread the program over more devices.");
}

}  // namespace

std::string special_headline(const memory_message& from, const diagnosis& shortage) {
    if (shortage.what == shortage_kind::on_chip) return on_chip(from);
    if (from.kind == message_kind::donation) return donation(from);
    if (from.kind == message_kind::rematerialization)
        return "A warning of the compiler, not yet a failure: with everything recomputed that can be, the program "
               "still needs " +
               (from.asked ? in_words(*from.asked) : "too much") +
               (shortage.missing ? ", " + in_words(*shortage.missing) + " more than its limit" : "") +
               ". If loading it then fails, this program is why.";
    if (is_cut(from)) return cut(from);
    if (from.kind == message_kind::temporaries && shortage.missing)
        return "The temporaries of " + program_of(from) + " alone need " + in_words(*shortage.missing) +
               " more than the device has. Arguments come on top, so even more may be missing. Freeing memory does not "
               "help: the program itself has to become smaller.";
    return {};
}

bool add_special(const memory_message& from, const diagnosis& shortage, remedies& all) {
    if (shortage.what == shortage_kind::on_chip) {
        of_chip(from, all);
    } else if (from.kind == message_kind::donation) {
        add(all, "Return an output of the same shape, type and sharding for each donated argument: only such an output "
                 "takes over its memory. A cast, another sharding or a reshape between them prevents it.");
        add(all, "Otherwise do not donate it: the donation has no effect. For a program's module, `hbm_compare "
                 "--describe DIR/module_*after_optimizations.txt` lists what could be donated.");
    } else if (is_cut(from) && from.kind != message_kind::compile) {
        of_cut(from, all);
    } else {
        return false;
    }
    return true;
}

}  // namespace hbm::imported
