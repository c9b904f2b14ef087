#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "compare/read/message/message.hpp"
#include "compare/read/message/scan.hpp"
#include "compare/read/message/wordings.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/samples/samples.hpp"
#include "compare/text/plain_text.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace {

constexpr std::size_t most_messages = 64;  // different ones
constexpr std::size_t most_listed = 100;

/// Opening words in a text, with what they open. Labels of lists and of sizes are openings, too.
struct opened_part {
    std::size_t begin = 0;
    std::size_t end = 0;  ///< end of the words
    opening what = {};
    const item_label* label = nullptr;
};

/// Returns all openings of a text, in its order. The text is passed once: a table tells which words begin with a byte.
std::vector<opened_part> find_parts(std::string_view text) {
    std::vector<opened_part> known;
    for (const opening& each : openings) known.push_back({0, 0, each, nullptr});
    for (const item_label& each : item_labels)
        known.push_back({0, 0, {each.words, part::item, belongs::to_any, message_kind::list}, &each});
    for (const size_label& each : size_labels)
        known.push_back({0, 0, {each.words, part::sizes, belongs::to_like, message_kind::sizes, each.to, form::bytes}});
    std::vector<std::vector<opened_part>> by_letter(256);
    for (const opened_part& each : known)
        by_letter[static_cast<unsigned char>(each.what.words.front())].push_back(each);
    std::vector<opened_part> found;
    for (std::size_t at = 0; at < text.size(); ++at) {
        for (const opened_part& each : by_letter[static_cast<unsigned char>(text[at])]) {
            const std::size_t end = end_of_words(text, each.what.words, at);
            if (end == nowhere) continue;
            // Not `peak_bytes_in_use`, `host_argument_size_in_bytes`, `batchSize:`.
            if (at > 0 && (text[at - 1] == '_' || (each.label != nullptr && is_letter(text[at - 1])))) break;
            if (!each.what.needs.empty()) {
                const std::string_view rest = text.substr(end, 300);
                if (find_words(rest, each.what.needs) == nowhere) continue;
            }
            found.push_back({at, end, each.what, each.label});
            at = end - 1;
            break;
        }
    }
    return found;
}

/// Reader that joins parts to messages.
class reader {
public:
    explicit reader(const plain_text& log) : log_(log), text_(log.text) {}

    found_messages read() {
        const std::vector<opened_part> parts = find_parts(text_);
        for (std::size_t at = 0; at < parts.size(); ++at) {
            constexpr std::size_t longest = 16384;
            const std::size_t next = at + 1 < parts.size() ? parts[at + 1].begin : text_.size();
            take(parts[at], std::min(next, parts[at].end + longest));
        }
        finish();
        if (found_.messages.empty()) read_class_alone();
        // Lists and warnings explain a failure, so they come after it.
        std::stable_sort(found_.messages.begin(), found_.messages.end(), [](const auto& a, const auto& b) {
            if (a.is_statement() != b.is_statement()) return b.is_statement();
            return a.line < b.line;
        });
        return std::move(found_);
    }

private:
    void take(const opened_part& now, std::size_t end) {
        const opening& what = now.what;
        if (what.where == belongs::nowhere) return finish();
        const std::string_view rest = text_.substr(now.end, end - now.end);
        const scanned_size first = scan_size(rest, 0, what.how);
        const bool is_stated =
            first.size || !first.unreadable.empty() || find_words(rest.substr(0, 40), "unknown") != nowhere;
        if (what.where == belongs::to_open && !is_stated) return;
        if (what.where == belongs::inside && !is_open_) return;
        const std::size_t before = last_;
        const bool is_new = !is_open_ || !can_join(now);
        if (is_new) begin(what.kind, now.begin);
        last_ = end;
        seen_ |= std::uint32_t{1} << static_cast<unsigned>(what.which);
        is_certain_ = is_certain_ || what.is_certain;
        if (what.kind == message_kind::reservation) now_.kind = what.kind;
        if (what.which == part::scoped) now_.is_setting = true;
        if (what.which == part::item) return read_item(now, rest);
        if (what.which == part::donation) return read_shapes(rest);
        // What stands before, where the beginning of a list or of a sentence was not pasted.
        if (is_new && (what.which == part::output || what.which == part::requirement))
            read_rows(part::usage, text_.substr(0, now.begin),
                      now.begin - std::min<std::size_t>(now.begin - before, 400));
        if (is_new && what.which == part::excess)
            read_rows(part::compile, text_.substr(0, now.begin), now.begin - std::min<std::size_t>(now.begin, 60));
        if (what.first != no_figure) read_figure(what.first, text_.substr(0, end), now.end, what.how);
        read_rows(what.which, text_.substr(0, end), now.begin, now.end);
    }

    [[nodiscard]] bool can_join(const opened_part& now) const {
        const opening& what = now.what;
        const bool has_it = what.first != no_figure && now_[what.first];
        const bool is_alike = now_.kind == what.kind || (now_.of_compiler() == false && what.which == part::attempt);
        switch (what.where) {
        case belongs::to_like:
            // The sizes of a compiled program stand together; a later excess is that of another message.
            if (what.which == part::sizes) return is_alike && !has_it && now.begin - last_ < 1024;
            return is_alike && !has_it && (what.which == part::excess || !now_[figure::asked]);
        case belongs::to_open:
            return now_.kind != message_kind::buffer && (seen_ >> static_cast<unsigned>(what.which) & 1U) == 0;
        case belongs::to_any:
        case belongs::inside: return true;
        default: return false;
        }
    }

    /// Reads all that the wordings of a part find in `text` from `begin` on. `end`: end of the opening words.
    void read_rows(part which, std::string_view text, std::size_t begin, std::size_t end = nowhere) {
        for (const wording& row : wordings) {
            if (row.in != which) continue;
            std::size_t at = row.words.empty() ? end : find_words(text, row.words, begin);
            if (row.how == form::lone) at = find_lone(text, row.words, begin);
            if (at == nowhere) continue;
            if (row.to != no_figure)
                read_figure(row.to, text, at, row.how == form::lone ? form::size : row.how);
            else if ((now_.*row.text).empty())
                now_.*row.text = scan_text(text, at, row.how);
        }
        if (which == part::sparse_core && !now_.space.starts_with("SparseCore"))
            now_.space = now_.space.empty() ? "SparseCore" : "SparseCore memory space " + now_.space;
    }

    void read_figure(figure to, std::string_view text, std::size_t at, form how) {
        if (now_[to]) return;
        now_[to] = readable(scan_size(text, at, how));
    }

    /// Returns the size; notes the first figure that cannot be read. The words before it are those of a message.
    std::optional<rounded_size> readable(const scanned_size& scanned) {
        if (scanned.unreadable.empty()) return scanned.size;
        is_certain_ = is_certain_ || !now_.is_statement();
        const auto at = static_cast<std::size_t>(scanned.unreadable.data() - text_.data());
        if (found_.unread.empty() && is_certain_)
            found_.unread = "line " + trace::decimal(log_.line_of(at)) + ": " + trace::quoted(scanned.unreadable);
        return std::nullopt;
    }

    /// Returns the end of a label that stands alone, with a size or nothing after blanks behind it.
    [[nodiscard]] static std::size_t find_lone(std::string_view text, std::string_view label, std::size_t from) {
        for (std::size_t end = find_words(text, label, from); end != nowhere; end = find_words(text, label, end)) {
            const std::size_t begin = end - label.size();
            const bool begins = begin == 0 || !is_letter(text[begin - 1]);
            const std::size_t value = text.find_first_not_of(" \n\t", end);
            if (begins && value != nowhere && value != end && (is_digit(text[value]) || text[value] == 'u')) return end;
        }
        return nowhere;
    }

    void read_item(const opened_part& now, std::string_view rest) {
        const bool has_it =
            !now_.listed.empty() && ((now.label->text != nullptr && !(now_.listed.back().*now.label->text).empty()) ||
                                     (now.label->size != nullptr && now_.listed.back().*now.label->size));
        const bool is_next =
            now_.listed.empty() || has_it || !now_.listed.back().type.empty() || now.label == item_labels;
        if (is_next && now_.listed.size() == most_listed) return;
        if (is_next) now_.listed.emplace_back();
        listed_allocation& entry = now_.listed.back();
        if (now.label == item_labels) {  // the number before `Size:`
            const std::size_t end = text_.substr(0, now.begin).find_last_not_of(" \n\t.");
            const std::size_t begin = text_.find_last_not_of("0123456789", end);
            if (end != nowhere && end + 1 < now.begin && text_[end + 1] == '.')
                trace::parse_number(text_.substr(begin + 1, end - begin), entry.rank);
        }
        if (now.label->size != nullptr) entry.*now.label->size = scan_size(rest, 0, form::size).size;
        if (now.label->text == nullptr) return;
        std::string_view line = rest_of_line(rest, 0);
        line = line.substr(0, line.find(" ====="));
        entry.*now.label->text = line;
    }

    void read_shapes(std::string_view rest) {
        // `ShapedArray(float32[8,128])` in older versions. A long list is cut: `....`
        for (std::size_t open = rest.find('['); open != nowhere && now_.shapes.size() < most_listed;
             open = rest.find('[', open)) {
            std::size_t begin = open;
            while (begin > 0 && (is_letter(rest[begin - 1]) || is_digit(rest[begin - 1]))) --begin;
            const std::size_t end = std::min(rest.find_first_not_of("0123456789,", open + 1), rest.size());
            if (end == rest.size() || rest[end] != ']' || begin == open) return;
            now_.shapes.emplace_back(rest.substr(begin, end + 1 - begin));
            const std::string_view next = rest.substr(end + 1, 3);
            if (!next.starts_with(", ") && !next.starts_with("),")) return;
            open = end;
        }
    }

    void read_class_alone() {
        for (const message_class& known : message_classes) {
            const std::size_t at = text_.find(known.name);
            if (at == nowhere) continue;
            begin(known.kind, at);
            now_.space = known.space;
            is_certain_ = true;
            return finish();
        }
    }

    void begin(message_kind kind, std::size_t at) {
        finish();
        is_open_ = true;
        is_certain_ = false;
        seen_ = 0;
        now_.kind = kind;
        now_.line = log_.line_of(at);
    }

    void finish() {
        if (!std::exchange(is_open_, false)) return;
        memory_message done = std::exchange(now_, memory_message{});
        // Labels stand in prose, too: an entry has a number, or what nothing else has.
        const bool is_headed = !done.is_statement() || (seen_ >> static_cast<unsigned>(part::list) & 1U) != 0;
        std::erase_if(done.listed, [&](const listed_allocation& entry) {
            return (entry.rank == 0 || !is_headed) && entry.label.empty() && entry.type.empty();
        });
        if (done.kind == message_kind::list && done[figure::required]) {  // a ledger is printed if a load failed
            done.kind = message_kind::load;
            done[figure::asked] = done[figure::required];
        }
        add_exact_free(done);
        if (done.kind == message_kind::sizes) complete_sizes(done);
        const auto& tensor_core = done[figure::tensor_core];
        const auto& sparse_core = done[figure::sparse_core];
        if (tensor_core && sparse_core) done[figure::asked] = sum(*tensor_core, *sparse_core);
        // Older drivers always name the longest piece: it matters only if enough is free.
        const auto& free = done[figure::free];
        if (free && done[figure::asked] && free->bytes < done[figure::asked]->bytes) done[figure::largest].reset();
        const bool is_empty = std::none_of(done.sizes.begin(), done.sizes.end(), [](const auto& size) { return size; });
        if (is_empty && !is_certain_ && done.listed.empty() && done.shapes.empty()) return;
        if (done.kind == message_kind::sizes && !done[figure::total]) return;
        for (memory_message& other : found_.messages)
            if (is_same(other, done)) {
                ++other.times;
                return;
            }
        if (found_.messages.size() == most_messages) {  // the last message is the current problem
            ++found_.left_out;
            found_.messages.pop_back();
        }
        found_.messages.push_back(std::move(done));
    }

    /// Adds the free bytes of a ledger. They are exact: a load that does not fit leaves a negative rest, in exact
    /// bytes.
    static void add_exact_free(memory_message& done) {
        const auto& required = done[figure::required];
        const auto& lacking = done[figure::lacking];
        if (done[figure::free] || !required || !lacking || !required->is_exact() || !lacking->is_exact()) return;
        if (lacking->bytes <= required->bytes) done[figure::free] = exactly(required->bytes - lacking->bytes);
    }

    /// Adds what the sizes of a program tell together: the total, or the outputs that take over arguments, which all
    /// parts exceed it by.
    static void complete_sizes(memory_message& done) {
        const auto& arguments = done[figure::arguments];
        const auto& output = done[figure::output];
        const auto& temporaries = done[figure::temporaries];
        if (!arguments || !output || !temporaries) return;
        rounded_size parts = sum(sum(*arguments, *output), *temporaries);
        if (const auto& code = done[figure::global]) parts = sum(parts, *code);
        std::optional<rounded_size>& shared = done[figure::shared];
        std::optional<rounded_size>& total = done[figure::total];
        const byte_range rest = difference(parts, total ? *total : shared.value_or(rounded_size{}));
        if (!total)
            total = rounded_size{rest.bytes, rest.low, rest.high};
        else if (!shared)
            shared = rest.low == 0 ? rounded_size{} : rounded_size{rest.bytes, rest.low, rest.high};
    }

    /// Returns true if two messages differ only in their place and device.
    [[nodiscard]] static bool is_same(const memory_message& kept, const memory_message& other) {
        if (kept.kind != other.kind || kept.sizes != other.sizes) return false;
        memory_message moved = other;
        moved.line = kept.line;
        moved.times = kept.times;
        moved.device = kept.device;
        moved.replicas = kept.replicas;
        return moved == kept;
    }

    const plain_text& log_;
    std::string_view text_;
    found_messages found_;
    memory_message now_;
    bool is_open_ = false;
    bool is_certain_ = false;  // true if the open message has words or figures that nothing but a message has
    std::uint32_t seen_ = 0;   // parts of the open message
    std::size_t last_ = 0;     // end of the last part
};

/// Adds to each message what stands around it: the last measurement before it, the last step, and who wrote the log.
void add_surroundings(const plain_text& log, std::vector<memory_message>& messages) {
    stated_surroundings around;
    around.has_pool = has_any(log.text, server_words);
    if (has_any(log.text, tensorflow_words)) around.by = framework::tensorflow;
    if (has_any(log.text, pytorch_words)) around.by = framework::pytorch;
    const std::vector<log_sample> samples = log_samples(log);
    for (memory_message& message : messages) {
        message.around = around;
        std::size_t last_line = 0;
        for (const log_sample& sample : samples) {
            if (sample.line > message.line) break;
            if (!sample.in_use || !sample.limit) continue;
            // The devices of a measurement may stand in a line each: the fullest counts.
            const bool is_of_last = last_line != 0 && sample.line <= last_line + 1;
            last_line = sample.line;
            if (is_of_last && message.around.in_use->bytes >= *sample.in_use) continue;
            message.around.in_use = exactly(*sample.in_use);
            message.around.memory = exactly(*sample.limit);
        }
    }
    for (const plain_text::line& each : log.lines) {
        const std::string_view line = std::string_view(log.text).substr(each.begin);
        const std::optional<std::uint64_t> step = step_in(line.substr(0, line.find('\n')));
        if (!step) continue;
        for (memory_message& message : messages)
            if (each.number <= message.line) message.around.steps = *step;
    }
}

constexpr std::string_view bring_gpu_profile =
    "a message about a TPU: only these are explained. Bring what was in memory: call "
    "`jax.profiler.save_device_memory_profile('memory.prof')` just before the line that fails; then `hbm_compare "
    "memory.prof` says who held what";

/// Words of messages that are not of the TPU's compiler or runtime.
struct foreign_words {
    std::string_view words;
    foreign_message what;
};

constexpr foreign_message of_pytorch{"an out-of-memory message of PyTorch about a GPU", bring_gpu_profile};
constexpr foreign_message of_xla{"an out-of-memory message of XLA about a GPU or CPU", bring_gpu_profile};
constexpr std::string_view of_compiler = "a message of the TPU's compiler or runtime";
constexpr foreign_message of_vllm{
    "a message of vLLM: weights leave too little room for its KV pool", of_compiler,
    "vLLM computed that the weights leave too little room for its KV pool. Nothing has failed on the device.",
    "Raise --gpu-memory-utilization, shorten --max-model-len, or spread the weights over more devices "
    "(--tensor-parallel-size). `hbm_compare --serve DUMP --weights SIZE` finds the largest pool."};
constexpr foreign_message of_sglang{
    "a message of SGLang: its KV pool has no room for another token", of_compiler,
    "SGLang's KV pool has no room for another token. Nothing has failed on the device.",
    "Serve fewer requests at once (--max-running-requests), take smaller pages (--page-size), or raise "
    "--mem-fraction-static."};
constexpr foreign_message of_tpu_inference{
    "a message of tpu-inference: more is in use than its own limit allows", of_compiler,
    "tpu-inference found more memory in use than its own limit allows: total_hbm_used_gb, with the weights, is above "
    "total_hbm_limit_cap_gb, so nothing is left for the KV pool. Nothing has failed on the device.",
    "Raise --gpu-memory-utilization, which sets that limit, if the device has more; else quantise the weights, or "
    "spread them over more devices (--tensor-parallel-size)."};
constexpr foreign_message of_offload{
    "an error E1200: an array in the host's memory is an output of the program", of_compiler,
    "Not a lack of memory: E1200 says that the program returns an array which it moved to the host's memory, and the "
    "layout of that output is the device's.",
    "Return it where it is: `jax.jit(f, out_shardings=s)` with `s.with_memory_kind('pinned_host')`; or move it back "
    "before, with `jax.device_put`."};
constexpr foreign_message of_tpu_info{
    "output of tpu-info without figures", of_compiler,
    "tpu-info had no figures: no program that used the TPU was there when it looked, or its runtime does not report "
    "them.",
    "Run it again while the program runs, on the same host: `tpu-info --streaming`."};
constexpr foreign_message of_other{"an out-of-memory message of another accelerator",
                                   "a message about a TPU: only these are explained"};

constexpr foreign_words all_foreign_words[] = {
    {"CUDA out of memory", of_pytorch},
    {"HIP out of memory", of_pytorch},
    {"OutOfMemoryError: CUDA", of_pytorch},
    {"CUDA error: out of memory", of_pytorch},
    {"Allocator (GPU_", of_xla},
    {"_bfc) ran out of memory", of_xla},
    {"CUDA_ERROR_OUT_OF_MEMORY", of_xla},
    {"HIP_ERROR_OutOfMemory", of_xla},
    {"Out of memory while trying to allocate", of_xla},
    {"Out of memory allocating", of_xla},
    {"Failed to allocate request for", of_xla},
    {"BufferAssignment OOM Debugging", of_xla},
    {"Shared memory size limit exceeded", of_xla},
    {"Shared memory requested exceeds device resources", of_xla},
    {"No available memory for the cache blocks", of_vllm},
    {"larger than the available KV cache memory", of_vllm},
    {"larger than the maximum number of tokens that can be stored in KV cache", of_vllm},
    {"Decode out of memory", of_sglang},
    {"exceeds total_hbm_limit_cap_gb", of_tpu_inference},
    {"E1200:", of_offload},
    {"layout for this output is not set to host memory", of_offload},
    {"HBM Usage (GiB)", of_tpu_info},
    {"MODULE:PT_DEVMEM Allocation failed", of_other},
};

}  // namespace

const foreign_message* find_foreign_message(std::string_view text) {
    for (const foreign_words& each : all_foreign_words)
        if (find_words(text, each.words) != nowhere) return &each.what;
    return nullptr;
}

found_messages read_messages(std::string_view text) {
    plain_text log = sorted_by_worker(plain_text_of(text));
    found_messages found = reader(log).read();
    if (const std::string joined = unwrapped(text);
        !joined.empty() && (found.messages.empty() || !found.unread.empty())) {
        plain_text joined_log = sorted_by_worker(plain_text_of(joined));
        found_messages whole = reader(joined_log).read();
        if (!whole.messages.empty() && whole.unread.empty()) {
            log = std::move(joined_log);
            found = std::move(whole);
        }
    }
    // A GPU's message has lists and warnings, too.
    const bool has_failure = std::any_of(found.messages.begin(), found.messages.end(),
                                         [](const memory_message& each) { return !each.is_statement(); });
    if (!has_failure && find_foreign_message(log.text) != nullptr) return {};
    if (!found.messages.empty()) add_surroundings(log, found.messages);
    return found;
}

trace::read_error no_message_in(std::string_view text, const std::string& file) {
    if (const foreign_message* const other = find_foreign_message(plain_text_of(text).text))
        return {file, std::string(other->found), std::string(other->expected)};
    return {file,
            text.empty() ? "an empty text"
                         : "no message about the device's memory in " + trace::decimal(text.size()) + " bytes",
            "a text that holds a message such as `Error allocating device buffer`, `Error loading program` or `Ran out "
            "of memory in memory space hbm`"};
}

namespace {

/// Returns `jit_step` of `op_name="jit(step)/jit(main)/dot_general"`, the name of the module. Empty if it does not
/// begin with a function that JAX compiled.
std::string program_of_operation(std::string_view origin) {
    const std::size_t at = origin.find("op_name=\"");
    if (at == nowhere) return {};
    const std::string_view name = origin.substr(at + 9);
    for (const std::string_view call : {"jit(", "pjit(", "pmap("}) {
        if (!name.starts_with(call)) continue;
        const std::size_t end = name.find(")/");
        if (end == nowhere) return {};
        return std::string(call.substr(0, call.size() - 1)) + '_' +
               std::string(name.substr(call.size(), end - call.size()));
    }
    return {};
}

/// Returns the letters and digits of a name, without the number behind `jit_step.12`: others are replaced in modules.
std::string plain_name(std::string_view name) {
    const std::size_t end = name.find_last_not_of("0123456789");
    if (end != nowhere && end + 1 < name.size() && name[end] == '.') name = name.substr(0, end);
    std::string plain(name);
    std::erase_if(plain, [](char letter) { return !is_digit(letter) && !is_letter(letter); });
    return plain;
}

}  // namespace

std::vector<std::string> program_names(const memory_message& from) {
    if (!from.program.empty()) return {from.program};
    std::vector<std::string> names;
    for (const listed_allocation& entry : from.listed) {
        std::string name = program_of_operation(entry.origin);
        if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(std::move(name));
    }
    return names;
}

bool is_called(std::string_view module, std::string_view program) {
    return plain_name(module) == plain_name(program);
}

}  // namespace hbm::imported
