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
#include "compare/answers/serving/texts.hpp"
#include "compare/command_line/destination.hpp"
#include "compare/command_line/terminal.hpp"
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

namespace texts = serving_texts;

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
    result.name = from.program.empty() ? std::string(texts::unnamed_program) : from.program;
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

/// Reads the failed loads of a log; `least` becomes the most memory that a message says is free, if that is more.
std::string read_failures(const std::string& path, serving_answer& target, std::uint64_t& least) {
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
            add_failure(target.memory.programs, std::move(*failure));
            has_any = true;
        }
    if (has_any) return {};
    throw trace::read_error(path, std::string(texts::no_failed_load), std::string(texts::log_or_dump));
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
void take_arguments(const served_program& program, serving_answer& target) {
    target.memory.weights = program.kept;
    target.weights_source = filled(texts::weights_of_program, {{"program", program.name}});
    target.weights_program = program.name;
    target.notes.push_back(filled(program.donated == 0 ? texts::nothing_donated : texts::cache_donated,
                                  {{"program", program.name}, {"donated", size_in_words(program.donated)}}));
}

/// Returns true if the arguments of a program may be weights: a thousandth of the device or more, and not those of a
/// helper, which JAX compiles for itself or of a private function.
bool may_have_weights(const served_program& program, const memory_spec& device) {
    const bool is_helper = program.name.starts_with("jit__") || find_framework_program(program.name) != nullptr;
    return !program.has_failed && !is_helper && program.kept >= device.capacity / 1000;
}

/// Finds the weights. Returns the error, or an empty text.
std::string find_weights(const options& settings, serving_answer& target) {
    const std::vector<served_program>& all = target.memory.programs;
    if (settings.weights.empty()) {
        const served_program* most = nullptr;
        for (const served_program& program : all)
            if (may_have_weights(program, target.device) && (most == nullptr || program.kept > most->kept))
                most = &program;
        if (most != nullptr) take_arguments(*most, target);
        const bool has_dump =
            std::any_of(all.begin(), all.end(), [](const auto& program) { return !program.has_failed; });
        if (most == nullptr && has_dump) return std::string(texts::no_weights);
        return {};
    }
    std::uint64_t bytes = 0;
    if (trace::parse_size(settings.weights, bytes)) {
        if (bytes != 0 && bytes < default_quantum)
            return filled(texts::weights_without_unit, {{"bytes", counted(bytes, "byte")}, {"number", bytes}});
        target.memory.weights = bytes;
        target.weights_source = texts::weights_of_option;
        return {};
    }
    for (const served_program& program : all)
        if (program.name == settings.weights) {
            take_arguments(program, target);
            return {};
        }
    std::error_code error;
    if (!std::filesystem::is_regular_file(settings.weights, error))
        return filled(texts::other_weights,
                      {{"weights", trace::quoted(settings.weights)},
                       {"nearest", trace::nearest_words(settings.weights, all,
                                                        [](const served_program& program) -> std::string_view {
                                                            return program.name;
                                                        })}});
    const imported_file file = read_imported_file(settings.weights);
    if (file.kind != imported::file_kind::profile)
        throw trace::read_error(settings.weights, std::string(imported::kind_in_words(file.kind)),
                                std::string(texts::memory_profile));
    target.memory.weights = buffers_in(file, settings.device);
    target.weights_source = filled(texts::weights_of_profile, {{"file", settings.weights}});
    return {};
}

/// Adds notes on sizes that no file states.
void add_notes(const std::vector<scheduled_program>& programs, serving_answer& target) {
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
        target.notes.push_back(filled(texts::unknown_scratch, {{"programs", list_in_words(without_scratch)}}));
    if (without_code != 0)
        target.notes.push_back(filled(texts::unknown_code, {{"programs", counted(without_code, "program")}}));
    const bool has_failed = std::any_of(target.memory.programs.begin(), target.memory.programs.end(),
                                        [](const served_program& program) { return program.has_failed; });
    if (has_failed && target.memory.weights) target.notes.emplace_back(texts::later_programs);
}

std::string find_capacity(const options& settings, serving_answer& target) {
    const capacity_choice& capacity = settings.capacities.front();
    target.device = tpu::v5e;
    target.is_assumed = capacity.what == capacity_choice::kind::usual;
    if (capacity.what == capacity_choice::kind::given) target.device = capacity.device;
    if (settings.capacities.size() == 1 && (target.is_assumed || capacity.what == capacity_choice::kind::given))
        return {};
    return std::string(texts::one_capacity);
}

/// Finds a device that has as much memory as the logs say is free. Returns the error, or an empty text.
std::string find_larger_device(std::uint64_t least, serving_answer& target) {
    if (least <= target.device.capacity) return {};
    if (!target.is_assumed)
        return filled(texts::smaller_than_log,
                      {{"least", size_in_words(least)}, {"capacity", size_in_words(target.device.capacity)}});
    const memory_spec* chosen = nullptr;
    for (const memory_spec& generation : tpu::generations)
        if (generation.capacity >= least && (chosen == nullptr || generation.capacity < chosen->capacity))
            chosen = &generation;
    if (chosen == nullptr) return filled(texts::larger_than_known, {{"least", size_in_words(least)}});
    target.device = *chosen;
    return {};
}

std::string answer_serving(const options& settings, serving_answer& answer, std::vector<std::string>& warnings) {
    if (std::string problem = find_capacity(settings, answer); !problem.empty()) return problem;
    std::vector<program_request> dumps;
    std::uint64_t least = 0;
    for (const program_request& request : settings.served) {
        if (!is_log(request.file)) {
            dumps.push_back(request);
        } else if (std::string problem = read_failures(request.file, answer, least); !problem.empty()) {
            return problem;
        }
    }
    if (std::string problem = find_larger_device(least, answer); !problem.empty()) return problem;
    std::vector<scheduled_program> programs;
    read_programs(dumps, programs, warnings);
    for (const scheduled_program& request : programs)
        answer.memory.programs.push_back(served(request, answer.device.quantum));
    if (std::string problem = find_weights(settings, answer); !problem.empty()) return problem;
    add_notes(programs, answer);
    return {};
}

}  // namespace

void tell_serving(const options& settings) {
    serving_answer answer;
    std::vector<std::string> warnings;
    if (const std::string problem = answer_serving(settings, answer, warnings); !problem.empty())
        throw usage_error(problem);
    print_warnings(settings, warnings);
    if (settings.format == output_format::json) return deliver(settings, serving_json(answer));
    deliver_text(settings, serving_text(answer));
}

}  // namespace hbm::compare
