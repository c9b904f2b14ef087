#include <hbm/core/bytes.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/tpu/generations.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/answers/answers.hpp"
#include "compare/answers/batches/fit.hpp"
#include "compare/command_line/destination.hpp"
#include "compare/command_line/errors.hpp"
#include "compare/read/log_file.hpp"
#include "compare/read/message/message.hpp"
#include "compare/read/message/parts.hpp"
#include "compare/read/read_trace.hpp"
#include "compare/read/xla/program/program.hpp"
#include "compare/text/text.hpp"
#include "compare/workloads/programs.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

namespace {

using imported::memory_message;
using imported::message_kind;
using imported::rounded_size;

std::optional<std::uint64_t> bytes_of(const std::optional<rounded_size>& size) {
    return size ? std::optional(size->bytes) : std::nullopt;
}

/// Takes the sizes of a message about a whole program, or about its temporaries. Returns false for other messages.
bool take(const memory_message& from, batch_sample& target) {
    if (!from.of_device_memory()) return false;
    if (from.usage) target.of(part::arguments) = bytes_of(from.usage->arguments);
    if (from.requirement) {
        target.of(part::temporaries) = bytes_of(from.requirement->temporaries);
        target.of(part::constants) = bytes_of(from.requirement->global);
    }
    if (from.output && from.output->size && from.output->shared)
        target.of(part::outputs) = imported::less(from.output->size->bytes, from.output->shared->bytes);
    switch (from.kind) {
    case message_kind::temporaries:
    case message_kind::reservation: target.of(part::temporaries) = bytes_of(from.asked); break;
    case message_kind::compile:
    case message_kind::early_abort:
    case message_kind::cores: target.need = bytes_of(from.asked); break;
    case message_kind::report:
        if (from.usage) target.need = bytes_of(from.usage->total);
        break;
    default: return false;
    }
    if (from.kind != message_kind::reservation) target.capacity = bytes_of(from.capacity);
    const std::vector<std::string> names = imported::program_names(from);
    if (!names.empty()) target.program = names.front();
    return target.need || target.of(part::temporaries);
}

std::string read_message(batch_sample& target) {
    const imported::reading<std::string> text = read_log(target.file);
    if (!text) return text.error().message();
    const imported::reading<imported::found_messages> messages = imported::read_messages(target.file, *text);
    if (!messages) return messages.error().message();
    for (const memory_message& message : messages->messages)
        if (take(message, target)) return {};
    return trace::read_error{target.file, 0, 0, "no message about the memory of a program",
                             "a failed compilation or load, memory_analysis(), or a file of an XLA dump"}
        .message();
}

std::string read_program(batch_sample& target, std::vector<std::string>& warnings) {
    program_request request;
    if (std::string expected = read_program_request(target.file, request); !expected.empty()) return expected;
    std::vector<imported::scheduled_program> programs;
    if (std::string problem = read_programs({request}, programs, warnings); !problem.empty()) return problem;
    if (programs.size() != 1)
        return trace::read_error{target.file, 0, 0, "a folder with the dump of " + counted(programs.size(), "program"),
                                 "a file of one program, at one batch"}
            .message();
    const imported::xla::imported_program& program = programs.front().what;
    const imported::xla::program_sums sums = imported::xla::sums_of(program);
    target.program = program.name;
    target.of(part::arguments) = sums.arguments.bytes;
    if (program.knows_outputs) target.of(part::outputs) = imported::less(sums.outputs.bytes, sums.aliases.bytes);
    target.of(part::temporaries) = bytes_of(program.temporary);
    target.of(part::constants) = bytes_of(program.constant);
    if (program.knows_outputs && program.temporary) target.need = sums.need.bytes;
    if (target.need || target.of(part::temporaries)) return {};
    return trace::read_error{target.file, 0, 0, "a program whose temporaries no file states",
                             "its *after_optimizations-buffer-assignment.txt"}
        .message();
}

/// Reads a value of --batch: `N=FILE`.
std::string read_sample(const std::string& value, batch_sample& target, std::vector<std::string>& warnings) {
    const std::size_t equals = value.find('=');
    if (equals == std::string::npos || !trace::parse_number(value.substr(0, equals), target.batch) ||
        target.batch == 0 || equals + 1 == value.size())
        return "--batch: found " + trace::quoted(value) + ", expected N=FILE, a batch and the message or dump with it";
    target.file = value.substr(equals + 1);
    if (target.file == "-") return read_message(target);
    const imported::reading<imported_file> file = read_imported_file(target.file);
    const bool is_message = file && file->kind == imported::file_kind::message;
    return is_message ? read_message(target) : read_program(target, warnings);
}

/// Finds samples that cannot be compared. Returns the error, or an empty text.
std::string find_mismatch(const std::vector<batch_sample>& samples, std::vector<std::string>& warnings) {
    if (samples.size() < 2)
        return "--batch needs two or more N=FILE: messages or dumps of one program at different batches";
    const batch_sample& first = samples.front();
    for (auto at = samples.begin() + 1; at != samples.end(); ++at) {
        const auto same =
            std::find_if(samples.begin(), at, [&](const auto& sample) { return sample.batch == at->batch; });
        if (same != at)
            return "--batch: found batch " + grouped_digits(at->batch) + " twice, " + same->file + " and " + at->file +
                   ", expected each once";
        if (!first.program.empty() && !at->program.empty() && !imported::is_called(first.program, at->program))
            warnings.push_back(at->file + " is about program '" + at->program + "', " + first.file + " about '" +
                               first.program + "'; their batches may not be comparable");
    }
    const auto has_need = [](const batch_sample& sample) { return sample.need.has_value(); };
    const auto has_temporaries = [](const batch_sample& sample) { return sample.of(part::temporaries).has_value(); };
    if (std::all_of(samples.begin(), samples.end(), has_need) ||
        std::all_of(samples.begin(), samples.end(), has_temporaries))
        return {};
    const auto lacking = std::find_if_not(samples.begin(), samples.end(), has_temporaries);
    return lacking->file + ": found a program without its temporaries, expected all of its memory, as the other texts";
}

}  // namespace

int tell_batch(const options& settings) {
    if (const std::string problem = find_beside_batch(settings); !problem.empty())
        return print_error(problem, exit_status::invalid);
    std::vector<batch_sample> samples;
    std::vector<std::string> warnings;
    for (const std::string& value : settings.batches)
        if (const std::string problem = read_sample(value, samples.emplace_back(), warnings); !problem.empty())
            return print_error(problem, exit_status::invalid);
    if (const std::string problem = find_mismatch(samples, warnings); !problem.empty())
        return print_error(problem, exit_status::invalid);
    print_warnings(settings, warnings);
    const capacity_choice& given = settings.capacities.front();
    std::uint64_t capacity = tpu::v5e.capacity;
    std::string device = std::string("TPU ") + tpu::v5e.name + " (" + size_in_words(capacity) + ", assumed)";
    const auto has_capacity = [](const batch_sample& sample) { return sample.capacity.has_value(); };
    const auto stated = std::find_if(samples.begin(), samples.end(), has_capacity);
    const auto other = std::find_if(stated, samples.end(), [&](const batch_sample& sample) {
        return sample.capacity && *sample.capacity != *stated->capacity;
    });
    if (given.what != capacity_choice::kind::given && other != samples.end())
        return print_error("--batch: " + stated->file + " is of a device of " + size_in_words(*stated->capacity) +
                               ", " + other->file + " of one of " + size_in_words(*other->capacity) +
                               ": bring messages of one device, or give --capacity",
                           exit_status::invalid);
    if (given.what == capacity_choice::kind::given) {
        capacity = given.device.capacity;
        device = given.text + " (" + size_in_words(capacity) + ")";
    } else if (stated != samples.end()) {
        capacity = *stated->capacity;
        device = "the device of these messages (" + size_in_words(capacity) + ")";
    }
    const batch_fit fit = fit_batch(std::move(samples), capacity);
    return settings.format == output_format::json ? deliver(settings, batch_json(fit))
                                                  : deliver_text(settings, batch_answer(fit, device));
}

}  // namespace hbm::compare
