#include <hbm/core/bytes.hpp>
#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/tpu/generations.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "compare/answers/answers.hpp"
#include "compare/answers/message/words.hpp"
#include "compare/answers/serving/pool.hpp"
#include "compare/generate/parameters.hpp"
#include "compare/read/jax/memory_profile.hpp"
#include "compare/read/jax/profile_trace.hpp"
#include "compare/read/message/message.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/read_file.hpp"
#include "compare/read/xla/program.hpp"
#include "compare/text/text.hpp"
#include "compare/text/usage_error.hpp"
#include "compare/workloads/programs.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

namespace {

using imported::scheduled_program;

std::uint64_t most_of(const std::optional<rounded_size>& size) noexcept {
    return size ? size->high : 0;
}

/// Returns the memory of a program. Rounded sizes count with their largest value.
served_program served(const scheduled_program& program, std::uint64_t quantum) {
    served_program result;
    result.name = program.name;
    result.code = saturating_add(most_of(program.what.code), most_of(program.what.constant));
    result.scratch = most_of(program.what.temporary);
    std::vector<bool> is_donated(program.what.arguments.size(), false);
    const std::vector<imported::step_pair> pairs = imported::pair_steps(program.what, program.donation);
    for (std::size_t at = 0; at < pairs.size(); ++at) {
        if (pairs[at].is_donated && pairs[at].argument) {
            is_donated[*pairs[at].argument] = true;
            continue;
        }
        const std::uint64_t bytes = program.what.outputs[at].size.high;
        result.fresh_outputs = saturating_add(result.fresh_outputs, bytes);
        result.output_room = saturating_add(result.output_room, in_quanta(bytes, quantum));
    }
    for (std::size_t at = 0; at < is_donated.size(); ++at) {
        std::uint64_t& target = is_donated[at] ? result.donated : result.kept;
        target = saturating_add(target, program.what.arguments[at].size.high);
    }
    return result;
}

/// Returns the program of a failed load; empty for a message of another kind.
std::optional<served_program> served(const memory_message& from) {
    const bool is_scratch = from.kind == message_kind::reservation || from.kind == message_kind::temporaries;
    if ((!is_scratch && from.kind != message_kind::load) || !from[figure::asked]) return std::nullopt;
    served_program result;
    result.name = from.program.empty() ? "a program without a name" : from.program;
    result.has_failed = true;
    (is_scratch ? result.scratch : result.code) = from[figure::asked]->high;
    const figure room_kind = is_scratch && from[figure::reservable] ? figure::reservable
                             : from[figure::largest]                ? figure::largest
                                                                    : figure::free;
    const std::optional<rounded_size>& room = from[room_kind];
    const std::uint64_t reserved = from[figure::reserved] ? from[figure::reserved]->low : 0;
    const std::uint64_t asked = from[figure::asked]->high;
    if (room) result.missing = asked - std::min(asked, saturating_add(room->low, reserved));
    return result;
}

/// Adds a failed load. Several of one program are that program's: its scratch and its code.
void add_failure(std::vector<served_program>& all, served_program&& failure) {
    const auto known = std::find_if(all.begin(), all.end(), [&](const served_program& program) {
        return program.has_failed && program.name == failure.name;
    });
    if (known == all.end()) {
        all.push_back(std::move(failure));
        return;
    }
    known->code = std::max(known->code, failure.code);
    known->scratch = std::max(known->scratch, failure.scratch);
    known->missing = std::max(known->missing, failure.missing);
}

/// Returns how much weights and pool may take together: less than at a failed load, by what was missing. What is not
/// free or reserved at the message is in use, and no more than at the last measurement before can be the pool. Empty if
/// the log does not state it.
std::optional<std::uint64_t> failed_use(const memory_message& from, const served_program& failure) {
    const std::optional<rounded_size>& memory = from.around.memory     ? from.around.memory
                                                : from[figure::memory] ? from[figure::memory]
                                                                       : from[figure::capacity];
    if (!memory || !from[figure::free] || failure.missing == 0) return std::nullopt;
    const std::uint64_t other =
        saturating_add(from[figure::free]->low, from[figure::reserved].value_or(rounded_size{}).low);
    std::uint64_t use = memory->high - std::min(memory->high, other);
    if (from.around.in_use) use = std::min(use, from.around.in_use->low);
    return use - std::min(use, failure.missing);
}

/// Reads the failed loads of a log; `least` becomes the most memory that a message says is free, if that is more.
void read_failures(const std::string& path, server& target, std::uint64_t& least) {
    const std::string text = read_log(path);
    const imported::found_messages messages = imported::read_messages(text);
    if (messages.messages.empty()) throw imported::no_message_in(text, path);
    bool has_any = false;
    for (const memory_message& message : messages.messages)
        if (std::optional<served_program> failure = served(message)) {
            for (const std::optional<rounded_size>& known :
                 {message[figure::free], message.around.memory, message[figure::capacity]})
                if (known) least = std::max(least, known->low);
            for (const std::optional<rounded_size>& known : {message.around.memory, message[figure::capacity]})
                if (known) target.log_capacity = std::max(target.log_capacity, known->low);
            if (const std::optional<std::uint64_t> use = failed_use(message, *failure))
                target.memory.failed_use = std::min(*use, target.memory.failed_use.value_or(*use));
            add_failure(target.memory.programs, std::move(*failure));
            has_any = true;
        }
    if (!has_any)
        throw trace::read_error(path, "no failed load of a program",
                                "a log with `Error loading program`, or the folder of an XLA dump");
}

/// Returns true if a path is a log, or stdin, rather than a folder or a file of a dump.
bool is_log(const std::string& path) {
    if (path == "-") return true;
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) return false;
    try {
        return read_imported_file(path).kind == imported::file_kind::message;
    } catch (const trace::read_error&) {
        return false;
    }
}

/// Returns the bytes of all buffers of a device in a profile.
std::uint64_t buffers_in(const imported_file& file, const std::string& device) {
    const imported::memory_profile profile = imported::read_pprof(file.text, file.path);
    const std::vector<std::string_view> devices = imported::devices_of(profile);
    std::string_view chosen = devices.empty() ? std::string_view{} : devices.front();
    for (const std::string_view name : devices)
        if (!device.empty() && imported::names_device(name, device)) chosen = name;
    std::uint64_t sum = 0;
    for (const imported::profile_sample& sample : profile.samples)
        if (sample.kind == "buffer" && sample.device == chosen)
            sum = saturating_add(sum, imported::profile_sample_bytes(sample).value_or(0));
    return sum;
}

/// Takes the arguments of a program that it does not donate as weights.
void take_arguments(const served_program& program, server& target) {
    target.memory.weights = program.kept;
    target.weights_source = "arguments of " + program.name + " that it does not donate";
    target.weights_program = program.name;
    target.notes.push_back(program.donated == 0
                               ? program.name + " donates nothing, so a KV cache among its arguments counts as "
                                                "weights here: --weights SIZE sets them."
                               : program.name + " donates " + size_in_words(program.donated) +
                                     " of arguments, the KV cache for which it was compiled if it donates nothing "
                                     "else.");
}

/// Returns true if the arguments of a program may be weights: a thousandth of the device or more, and not those of a
/// helper, which JAX compiles for itself or of a private function.
bool may_have_weights(const served_program& program, const memory_spec& device) {
    const bool is_helper = program.name.starts_with("jit__") || find_framework_program(program.name) != nullptr;
    return !program.has_failed && !is_helper && program.kept >= device.capacity / 1000;
}

void find_weights(const options& settings, server& target) {
    const std::vector<served_program>& all = target.memory.programs;
    if (settings.weights.empty()) {
        const served_program* most = nullptr;
        for (const served_program& program : all)
            if (may_have_weights(program, target.device) && (most == nullptr || program.kept > most->kept))
                most = &program;
        if (most != nullptr) return take_arguments(*most, target);
        if (std::any_of(all.begin(), all.end(), [](const auto& program) { return !program.has_failed; }))
            throw usage_error(
                "--serve: found no program whose arguments may be weights: helpers of JAX, or less than a thousandth "
                "of the device; expected --weights SIZE, such as --weights 14.2GiB");
        return;
    }
    std::uint64_t bytes = 0;
    if (trace::parse_size(settings.weights, bytes)) {
        if (bytes != 0 && bytes < default_quantum)
            throw usage_error("--weights: found " + counted(bytes, "byte") +
                              ", expected a size with its unit, such as " + std::to_string(bytes) + "GiB");
        target.memory.weights = bytes;
        target.weights_source = "from --weights";
        return;
    }
    for (const served_program& program : all)
        if (program.name == settings.weights) return take_arguments(program, target);
    std::error_code error;
    if (!std::filesystem::is_regular_file(settings.weights, error))
        throw usage_error(
            "--weights: found " + trace::quoted(settings.weights) +
            ", expected a size such as 14.2GiB, the path of a memory profile of JAX, or the name of a program" +
            trace::nearest_words(settings.weights, all,
                                 [](const served_program& program) -> std::string_view { return program.name; }));
    const imported_file file = read_imported_file(settings.weights);
    if (file.kind != imported::file_kind::profile)
        throw trace::read_error(settings.weights, std::string(imported::kind_in_words(file.kind)),
                                "a device memory profile of JAX with --weights");
    target.memory.weights = buffers_in(file, settings.device);
    target.weights_source = "all buffers of " + settings.weights;
}

/// Adds notes on sizes that no file states.
void add_notes(const std::vector<scheduled_program>& programs, server& target) {
    std::size_t without_code = 0;
    std::vector<std::string> without_scratch;
    for (const scheduled_program& program : programs) {
        if (!program.what.code) ++without_code;
        if (!program.what.temporary) without_scratch.push_back(program_label(program.name));
    }
    constexpr std::size_t most = 3;
    if (without_scratch.size() > most) {
        const std::size_t others = without_scratch.size() - most;
        without_scratch.resize(most);
        without_scratch.push_back(counted(others, "other"));
    }
    if (!without_scratch.empty())
        target.notes.push_back("The scratch of " + list_in_words(without_scratch) +
                               " is unknown and counts as nothing, so the pool may be too large: bring the "
                               "*after_optimizations-buffer-assignment.txt.");
    if (without_code != 0)
        target.notes.push_back("The code of " + counted(without_code, "program") +
                               " is unknown and counts as nothing: compiled.memory_analysis() in JAX prints it as "
                               "generated_code_size_in_bytes. Add it with FOLDER:code=SIZE, for each program.");
    const bool has_failed = std::any_of(target.memory.programs.begin(), target.memory.programs.end(),
                                        [](const served_program& program) { return program.has_failed; });
    if (has_failed && target.memory.weights)
        target.notes.emplace_back("A log names only the program that failed: the pool can be smaller than this for "
                                  "programs that would have followed.");
}

/// Finds the device: that of --capacity, or one that has as much memory as the logs say is free.
void find_device(const options& settings, std::uint64_t least, server& target) {
    const capacity_choice& capacity = settings.capacities.front();
    target.device = tpu::v5e;
    target.is_assumed = capacity.what == capacity_choice::kind::usual;
    if (capacity.what == capacity_choice::kind::given) target.device = capacity.device;
    if (settings.capacities.size() != 1 || (!target.is_assumed && capacity.what != capacity_choice::kind::given))
        throw usage_error("--serve needs one --capacity, a size such as 15.75GiB or a generation such as v5e");
    // Logs round: 15.75G is what 15.748G is printed as.
    if (least <= target.device.capacity + target.device.capacity / 1000) return;
    const std::string found =
        "--serve: the log says that the device has " + size_in_words(least) + " or more, more than ";
    if (!target.is_assumed)
        throw usage_error(found + "--capacity has (" + size_in_words(target.device.capacity) +
                          "): name the device of the log");
    const memory_spec* chosen = nullptr;
    for (const memory_spec& generation : tpu::generations)
        if (generation.capacity + generation.capacity / 1000 >= least &&
            (chosen == nullptr || generation.capacity < chosen->capacity))
            chosen = &generation;
    if (chosen == nullptr) throw usage_error(found + "any TPU known here has: give --capacity");
    target.device = *chosen;
}

}  // namespace

answer answer_serving(const options& settings, std::vector<std::string>& warnings) {
    server target;
    find_device(settings, 0, target);
    std::vector<program_request> dumps;
    std::uint64_t least = 0;
    for (const program_request& request : settings.served)
        if (is_log(request.file))
            read_failures(request.file, target, least);
        else
            dumps.push_back(request);
    find_device(settings, least, target);
    std::vector<scheduled_program> programs;
    read_programs(dumps, programs, warnings);
    for (const scheduled_program& request : programs)
        target.memory.programs.push_back(served(request, target.device.quantum));
    find_weights(settings, target);
    add_notes(programs, target);
    return serving_answer(target);
}

}  // namespace hbm::compare
