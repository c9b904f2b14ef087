#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "compare/read/message/message.hpp"
#include "compare/read/message/parts.hpp"
#include "compare/read/message/surroundings.hpp"
#include "compare/read/message/window.hpp"
#include "compare/read/read_error.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace {

constexpr std::size_t most_messages = 64;  // different ones
constexpr std::size_t most_samples = 64;
constexpr std::size_t most_listed = 100;

/// Returns a text whose lines a terminal broke within words, with these lines joined: those that are as long as the
/// longest, or a byte shorter for a blank that was cut off. Empty if there are no such lines.
std::string unbroken(std::string_view text) {
    constexpr std::size_t least = 20;
    constexpr std::size_t most = 400;
    constexpr std::size_t most_bytes = std::size_t{1} << 20;  // of what is pasted from a terminal
    if (text.size() > most_bytes) return {};
    std::size_t width = 0;
    std::size_t count = 0;
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
        end = std::min(text.find('\n', begin), text.size());
        if (end - begin > width) count = 0;
        width = std::max(width, end - begin);
        count += end - begin == width;
    }
    if (width < least || width > most || count < 2) return {};
    std::string joined;
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
        end = std::min(text.find('\n', begin), text.size());
        joined += text.substr(begin, end - begin);
        if (end - begin + 1 < width) joined += '\n';
        if (end - begin + 1 == width) joined += ' ';
    }
    return joined;
}

/// Reader that joins parts to messages.
class reader {
public:
    /// `may_join`: true if lines that a terminal broke are joined in a text without a message.
    reader(std::string_view file, std::string_view original, std::size_t portion, bool may_join = true)
        : file_(file), original_(original), portion_(portion), may_join_(may_join) {}

    [[nodiscard]] reading<found_messages> read() {
        do read_portion();
        while (from_ < original_.size());
        if (found_.messages.empty() && found_.samples.empty()) {
            read_rest_of_list();
            if (found_.messages.empty()) read_class_alone();
            if (found_.messages.empty()) {
                const std::string joined = may_join_ ? unbroken(original_) : std::string{};
                if (!joined.empty())
                    if (reading<found_messages> again = reader(file_, joined, portion_, false).read()) return again;
                return unread_ ? *unread_ : nothing_found();
            }
        }
        const bool only_statements = std::all_of(found_.messages.begin(), found_.messages.end(),
                                                 [](const auto& one) { return one.is_statement(); });
        if (only_statements && found_.samples.empty() && find_foreign_message(original_) != foreign_message::none)
            return nothing_found();
        // Lists and warnings explain a failure, so they come after it.
        std::vector<memory_message> ordered;
        for (const bool is_statement : {false, true})
            for (memory_message& message : found_.messages)
                if (message.is_statement() == is_statement) ordered.push_back(std::move(message));
        add_surroundings(original_, ordered);
        found_.messages = std::move(ordered);
        if (unread_) found_.unread = unread_->message();
        return std::move(found_);
    }

private:
    /// Reads a portion from `from_` on, and moves `from_` to the next. A message that may continue behind the end is
    /// read again as a whole, unless it is as long as half a portion.
    void read_portion() {
        portion_begin_ = from_;
        const std::size_t length = std::min(portion_, original_.size() - from_);
        is_last_ = from_ + length == original_.size();
        plain_ = {};
        add_plain_text(plain_, original_.substr(from_, length), 0, length, from_ == 0 || original_[from_ - 1] == '\n');
        last_ = 0;
        const std::vector<key_place> places = find_key_words(plain_.text);
        const auto can_wait = [&](std::size_t at) { return !is_last_ && plain_.origins[at] > portion_ / 2; };
        std::size_t next = from_ + length;
        for (std::size_t at = 0; at < places.size(); ++at) {
            constexpr std::size_t longest = 16384;
            const bool is_end = at + 1 == places.size();
            const std::size_t end =
                std::min(is_end ? plain_.text.size() : places[at + 1].begin, places[at].end + longest);
            if (is_end && !is_open_ && can_wait(places[at].begin)) {
                const std::size_t before = places[at].begin - std::min(places[at].begin, looked_back);
                next = from_ + plain_.origins[std::max(last_, before)];
                break;
            }
            take(places[at], std::string_view(plain_.text).substr(places[at].end, end - places[at].end));
            last_ = end;
        }
        if (is_open_ && can_wait(begin_)) {
            is_open_ = false;
            now_ = {};
            next = from_ + plain_.origins[begin_];
            if (bad_number_ != nullptr && bad_number_ >= plain_.text.data() + begin_) bad_number_ = nullptr;
        }
        finish();
        // Key words may be cut by the end.
        if (!is_last_ && next == from_ + length && last_ + looked_back < plain_.text.size())
            next = from_ + plain_.origins[plain_.text.size() - looked_back];
        if (bad_number_ != nullptr && !unread_) unread_ = wrong_number();
        bad_number_ = nullptr;
        from_ = next;
    }

    /// Reads a list of allocations whose beginning was not pasted: entries without a number and a size.
    void read_rest_of_list() {
        if (plain_.text.find("Allocation type:") == std::string::npos) return;
        begin(message_kind::report, {});
        const std::string_view all = plain_.text;
        for (std::size_t from = 0; from < all.size() && now_.listed.size() < most_listed;) {
            const std::size_t end = std::min(all.find("=====", from), all.size());
            listed_allocation entry;
            message_parser{all.substr(from, end - from), bad_number_}.item(entry, 0);
            if (!entry.type.empty() || !entry.label.empty()) now_.listed.push_back(std::move(entry));
            from = std::min(all.find_first_not_of('=', end), all.size());
        }
        finish();
    }

    /// Reads a text that has the name of a message's class, and none of its words.
    void read_class_alone() {
        struct known_class {
            std::string_view name;
            message_kind kind;
            std::string_view space;
        };
        constexpr known_class classes[] = {
            {"CompileTimeHbmOom", message_kind::compile, "hbm"},
            {"CompileTimeScopedVmemOom", message_kind::compile, "vmem"},
            {"CompileTimeSparseCoreAllocationFailure", message_kind::compile, "SparseCore"},
            {"RuntimeProgramAllocationFailure", message_kind::load, ""},
            {"RuntimeBufferAllocationFailure", message_kind::buffer, ""},
        };
        for (const known_class& known : classes) {
            const std::size_t at = plain_.text.find(known.name);
            if (at == std::string::npos) continue;
            begin(known.kind, {.begin = at});
            is_certain_ = true;
            now_.space = known.space;
            return finish();
        }
    }

    void take(const key_place& place, std::string_view rest) {
        const bool is_sample = place.part == message_part::program_fits || place.part == message_part::statistics;
        const bool ends_text = is_last_ && rest.data() + rest.size() == plain_.text.data() + plain_.text.size();
        message_parser parse{rest, bad_number_, !is_sample, ends_text};
        switch (place.part) {
        case message_part::compile:
            begin(message_kind::compile, place);
            is_certain_ = true;
            return parse.compile(now_);
        case message_part::excess_of_space:
            if (!parse.is_excess_of_space()) return;
            if (!is_open_ || now_.kind != message_kind::compile || now_.exceeded) {
                begin(message_kind::compile, place);
                message_parser{before(place.begin, 120), bad_number_}.used(now_);
            }
            return parse.excess_of_space(now_);
        case message_part::scoped:
            if (!is_open_ || now_.kind != message_kind::compile || now_.asked) begin(message_kind::compile, place);
            return parse.scoped(now_);
        case message_part::temporaries: begin(message_kind::temporaries, place); return parse.temporaries(now_);
        case message_part::sparse_core:
            if (is_open_ && now_.kind == message_kind::compile && now_.asked) return;
            begin(message_kind::compile, place);
            return parse.sparse_core(now_);
        case message_part::rematerialization:
            begin(message_kind::rematerialization, place);
            return parse.rematerialization(now_);
        case message_part::donation: begin(message_kind::donation, place); return parse.donation(now_);
        case message_part::program_sizes:
            // The fields of `memory_analysis()` have a key word among them, too.
            if (!lacks_arguments() || place.begin - begin_ > longest_sizes) begin(message_kind::report, place);
            return message_parser{since(line_begin_of(begin_), rest), bad_number_}.program_sizes(now_);
        case message_part::list:
            if (!is_open_) begin(message_kind::report, place);
            if (now_.space.empty()) now_.space = parse.space();
            return;
        case message_part::buffer:
            begin(message_kind::buffer, place);
            is_certain_ = true;
            return;
        case message_part::load:
            begin(message_kind::load, place);
            is_certain_ = true;
            return parse.program_name(now_);
        case message_part::attempt:
            if (!is_open_ || now_.asked || now_.of_compiler()) begin(message_kind::buffer, place);
            return parse.attempt(now_);
        case message_part::old_buffer:
            if (!parse.is_old_buffer()) return;
            begin(message_kind::buffer, place);
            return parse.old_buffer(now_);
        case message_part::early_abort: begin(message_kind::early_abort, place); return parse.early_abort(now_);
        case message_part::cores: begin(message_kind::cores, place); return parse.cores(now_);
        case message_part::exceeds:
            if (!parse.is_excess()) return;
            begin(message_kind::exceeds, place);
            return parse.excess(now_);
        case message_part::usage:
            if (!parse.is_stated()) return;
            continue_unless(now_.usage.has_value(), place);
            return parse.usage(now_.usage.emplace());
        case message_part::output:
            if (!parse.is_stated()) return;
            if (continue_unless(now_.output.has_value(), place)) look_back(place);
            return parse.output(now_.output.emplace());
        case message_part::requirement:
            if (continue_unless(now_.requirement.has_value(), place)) look_back(place);
            return parse.requirement(now_.requirement.emplace());
        case message_part::item:
            if (!is_open_ && parse.is_listed()) begin(message_kind::report, place);
            if (!is_open_ || now_.listed.size() >= most_listed) return;
            return parse.item(now_.listed.emplace_back(), number_before(place.begin));
        case message_part::persistent:
            if (is_open_ && now_.ledger) parse.persistent(*now_.ledger);
            return;
        case message_part::ledger:
            if (!parse.is_ledger()) return;
            continue_unless(now_.ledger.has_value(), place);
            return parse.ledger(now_.ledger.emplace());
        case message_part::free_chunk:
            if (is_open_ && now_.ledger) now_.ledger->largest = parse.size_here();
            return;
        case message_part::program_fits:
        case message_part::statistics:
            finish();
            if (found_.samples.size() == most_samples) found_.samples.erase(found_.samples.begin());
            stated_statistics& sample = found_.samples.emplace_back();
            sample.line = place_of(place.begin).first;
            return place.part == message_part::statistics ? parse.statistics(sample) : parse.program_fits(sample);
        }
    }

    void begin(message_kind kind, const key_place& place) {
        finish();
        is_open_ = true;
        is_certain_ = false;
        begin_ = place.begin;
        now_.kind = kind;
        std::tie(now_.line, now_.column) = place_of(place.begin);
    }
    /// Begins a report unless the open message can take this part. Returns true if it began one.
    bool continue_unless(bool has_it, const key_place& place) {
        const bool can_have_it = is_open_ && !has_it && now_.kind != message_kind::buffer;
        if (!can_have_it) begin(message_kind::report, place);
        return !can_have_it;
    }
    /// Returns true if sizes of a compiled program are open, and its arguments were not among them yet.
    [[nodiscard]] bool lacks_arguments() const {
        return is_open_ && now_.kind == message_kind::report && now_.usage && !now_.usage->arguments &&
               !now_.usage->total && now_.output && now_.requirement && !now_.requirement->total;
    }
    /// Returns the text before `at`, at most `length` bytes.
    [[nodiscard]] std::string_view before(std::size_t at, std::size_t length) const {
        const std::size_t from = at - std::min(at, length);
        return std::string_view(plain_.text).substr(from, at - from);
    }
    /// Returns the beginning of a line, or a place not far before `at` in a long one.
    [[nodiscard]] std::size_t line_begin_of(std::size_t at) const {
        const std::string_view line = before(at, looked_back);
        return at - line.size() + (line.find('\n') == std::string_view::npos ? 0 : line.rfind('\n') + 1);
    }
    /// Returns the text from `begin` to the end of `rest`.
    [[nodiscard]] std::string_view since(std::size_t begin, std::string_view rest) const {
        const auto end = static_cast<std::size_t>(rest.data() + rest.size() - plain_.text.data());
        return std::string_view(plain_.text).substr(begin, end - begin);
    }
    /// Reads the end of a list of usage whose beginning was not pasted.
    void look_back(const key_place& place) {
        stated_usage usage;
        const std::size_t length = std::min(looked_back, place.begin - std::min(last_, place.begin));
        message_parser{before(place.begin, length), bad_number_}.usage_lines(usage);
        if (usage.program || usage.arguments) now_.usage = usage;
    }
    void finish() {
        if (!is_open_) return;
        is_open_ = false;
        memory_message done = std::exchange(now_, memory_message{});
        if (done.kind == message_kind::report && done.ledger && done.ledger->required) {  // printed if a load failed
            done.kind = message_kind::load;
            done.asked = done.ledger->required;
            done.free = done.ledger->free;
        }
        const bool has_content = done.asked || done.exceeded || done.usage || done.requirement || done.ledger ||
                                 done.output || !done.listed.empty() || !done.shapes.empty();
        if (!has_content && !is_certain_) return;
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
    /// Returns true if two messages differ only in their place and device.
    [[nodiscard]] static bool is_same(const memory_message& kept, const memory_message& other) {
        if (kept.kind != other.kind || kept.asked != other.asked || kept.free != other.free) return false;
        memory_message moved = other;
        moved.line = kept.line;
        moved.column = kept.column;
        moved.times = kept.times;
        moved.device = kept.device;
        moved.replicas = kept.replicas;
        return moved == kept;
    }

    [[nodiscard]] std::uint64_t number_before(std::size_t at) const {
        while (at > 0 && !is_digit(plain_.text[at - 1])) --at;
        std::uint64_t value = 0;
        std::size_t begin = at;
        while (begin > 0 && at - begin < 6 && is_digit(plain_.text[begin - 1])) --begin;
        trace::parse_number(std::string_view(plain_.text).substr(begin, at - begin), value);
        return value;
    }
    /// Returns the line and the column in the original. Counting continues from the previous call's place.
    [[nodiscard]] std::pair<std::size_t, std::size_t> place_of(std::size_t at) {
        const std::size_t offset = portion_begin_ + plain_.origins[at];
        if (offset < counted_to_) counted_to_ = line_begin_ = 0, line_ = 1;
        for (; counted_to_ < offset; ++counted_to_)
            if (original_[counted_to_] == '\n') {
                ++line_;
                line_begin_ = counted_to_ + 1;
            }
        return {line_, offset - line_begin_ + 1};
    }

    [[nodiscard]] trace::read_error wrong_number() {
        const auto at = static_cast<std::size_t>(bad_number_ - plain_.text.data());
        const auto [line, column] = place_of(at);
        const std::string_view content = window(plain_.text).size_text(at);
        if (!is_digit(content.back()))
            return {std::string(file_), line, column, trace::quoted(content),
                    "a size below 2^64 bytes, such as 15.75G"};
        const std::size_t end = at + content.size();
        const bool has_point = std::string_view(plain_.text).substr(end).starts_with('.');
        const bool is_end = window(plain_.text).after_spaces(end + (has_point ? 1 : 0)) == plain_.text.size();
        if (is_last_ && is_end)
            return {std::string(file_), line, column,
                    trace::quoted(content) + " at the end, where the message is cut off",
                    "the whole message: a size with its unit, such as 15.75G, and what follows"};
        if (std::uint64_t bytes = 0;
            content.find('.') == std::string_view::npos && !trace::parse_number(content, bytes))
            return {std::string(file_), line, column, trace::quoted(content),
                    "a size below 2^64 bytes, such as 15.75G"};
        return {std::string(file_), line, column, trace::quoted(content) + " without a unit",
                "a size with its unit, such as 15.75G: the message may be cut off"};
    }
    [[nodiscard]] trace::read_error nothing_found() const {
        if (const foreign_message gpu = find_foreign_message(original_); gpu != foreign_message::none)
            return {std::string(file_), 0, 0, found_of(gpu), expected_of(gpu)};
        return {std::string(file_), 0, 0,
                original_.empty()
                    ? "an empty text"
                    : "no message about the device's memory in " + trace::decimal(original_.size()) + " bytes",
                "a text that holds a message such as `Error allocating device buffer`, `Error loading program` or `Ran "
                "out of memory in memory space hbm`"};
    }

    std::string_view file_;
    std::string_view original_;
    std::size_t portion_;
    bool may_join_;
    plain_text plain_;
    found_messages found_;
    memory_message now_;
    bool is_open_ = false;
    bool is_certain_ = false;  // true if the open message began with words that nothing but a message has
    std::optional<trace::read_error> unread_ = {};
    static constexpr std::size_t looked_back = 400;
    static constexpr std::size_t longest_sizes = 1024;  // bytes between the sizes of one compiled program
    std::size_t portion_begin_ = 0;  // start of the portion in the original
    std::size_t from_ = 0;           // start of the next portion
    bool is_last_ = false;           // true for the last portion
    std::size_t begin_ = 0;          // start of the open message
    std::size_t last_ = 0;           // end of the last part
    const char* bad_number_ = nullptr;
    std::size_t counted_to_ = 0;
    std::size_t line_ = 1;
    std::size_t line_begin_ = 0;
};

}  // namespace

reading<found_messages> read_messages(std::string_view file, std::string_view text, std::size_t portion) {
    return reader(file, text, portion).read();
}

foreign_message find_foreign_message(std::string_view text) noexcept {
    constexpr std::string_view of_pytorch[] = {"CUDA out of memory", "HIP out of memory", "OutOfMemoryError: CUDA",
                                               "CUDA error: out of memory"};
    constexpr std::string_view of_xla[] = {"Allocator (GPU_",
                                           "_bfc) ran out of memory",
                                           "CUDA_ERROR_OUT_OF_MEMORY",
                                           "HIP_ERROR_OutOfMemory",
                                           "Out of memory while trying to allocate",
                                           "Out of memory allocating",
                                           "Failed to allocate request for",
                                           "BufferAssignment OOM Debugging",
                                           "Shared memory size limit exceeded",
                                           "Shared memory requested exceeds device resources"};
    constexpr std::string_view of_server[] = {
        "No available memory for the cache blocks", "larger than the available KV cache memory",
        "larger than the maximum number of tokens that can be stored in KV cache"};
    if (has_any(text, of_pytorch)) return foreign_message::of_pytorch;
    if (has_any(text, of_xla)) return foreign_message::of_xla;
    return has_any(text, of_server) ? foreign_message::of_server : foreign_message::none;
}

std::string found_of(foreign_message which) {
    if (which == foreign_message::of_server) return "a message of vLLM: weights leave too little room for its KV pool";
    return which == foreign_message::of_pytorch ? "an out-of-memory message of PyTorch about a GPU"
                                                : "an out-of-memory message of XLA about a GPU or CPU";
}

std::string expected_of(foreign_message which) {
    if (which == foreign_message::of_server)
        return "a message of the TPU's compiler or runtime. This one is vLLM's own arithmetic, nothing has failed on "
               "the device: raise --gpu-memory-utilization, shorten --max-model-len, or spread the weights over more "
               "devices (--tensor-parallel-size). `hbm_compare --serve DUMP --weights SIZE` finds the largest pool";
    const std::string begin = "a message about a TPU: only these are explained. ";
    if (which == foreign_message::of_pytorch)
        return begin + "Bring a memory snapshot: call `torch.cuda.memory._record_memory_history()` at the start and "
                       "`torch.cuda.memory._dump_snapshot('snapshot.pickle')` where it fails, then `hbm_compare "
                       "--growth --trace "
                       "snapshot.pickle` says who held what, and without --growth how it would fit best";
    return begin +
           "Bring what was in memory: call `jax.profiler.save_device_memory_profile('memory.prof')` just before the "
           "line that fails, then `hbm_compare --growth --trace memory.prof`; or the program: run with "
           "XLA_FLAGS=--xla_dump_to=DIR, then `hbm_compare --program FILE`, FILE being its "
           "DIR/module_*after_optimizations.txt";
}

}  // namespace hbm::imported
