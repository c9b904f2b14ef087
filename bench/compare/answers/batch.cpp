#include <hbm/core/bytes.hpp>
#include <hbm/explain/filled_text.hpp>
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
#include "compare/answers/batches/texts.hpp"
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

namespace texts = batch_texts;

namespace {

using imported::memory_message;
using imported::message_kind;
using imported::rounded_size;

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

std::string error_in(const batch_sample& sample, std::string_view found, std::string_view expected) {
    return trace::read_error{sample.file, 0, 0, std::string(found), std::string(expected)}.message();
}

std::string read_message(batch_sample& target) {
    const imported::reading<std::string> text = read_log(target.file);
    if (!text) return text.error().message();
    const imported::reading<imported::found_messages> messages = imported::read_messages(target.file, *text);
    if (!messages) return messages.error().message();
    for (const memory_message& message : messages->messages)
        if (take(message, target)) return {};
    return error_in(target, texts::no_message, texts::expected_message);
}

std::string read_program(batch_sample& target, std::vector<std::string>& warnings) {
    program_request request;
    if (std::string expected = read_program_request(target.file, request); !expected.empty()) return expected;
    std::vector<imported::scheduled_program> programs;
    if (std::string problem = read_programs({request}, programs, warnings); !problem.empty()) return problem;
    if (programs.size() != 1) return error_in(target, counted(programs.size(), "program"), texts::expected_program);
    const imported::xla::imported_program& program = programs.front().what;
    const imported::xla::program_sums sums = imported::xla::sums_of(program);
    target.program = program.name;
    target.of(part::arguments) = sums.arguments.bytes;
    if (program.knows_outputs) target.of(part::outputs) = imported::less(sums.outputs.bytes, sums.aliases.bytes);
    target.of(part::temporaries) = bytes_of(program.temporary);
    target.of(part::constants) = bytes_of(program.constant);
    if (program.knows_outputs && program.temporary) target.need = sums.need.bytes;
    if (target.need || target.of(part::temporaries)) return {};
    return error_in(target, texts::unknown_temporaries, texts::expected_assignment);
}

/// Reads a value of --batch: `N=FILE`.
std::string read_sample(const std::string& value, batch_sample& target, std::vector<std::string>& warnings) {
    const std::size_t equals = value.find('=');
    if (equals == std::string::npos || !trace::parse_number(value.substr(0, equals), target.batch) ||
        target.batch == 0 || equals + 1 == value.size())
        return filled(texts::no_sample, {{"value", trace::quoted(value)}});
    target.file = value.substr(equals + 1);
    if (target.file == "-") return read_message(target);
    const imported::reading<imported_file> file = read_imported_file(target.file);
    const bool is_message = file && file->kind == imported::file_kind::message;
    return is_message ? read_message(target) : read_program(target, warnings);
}

/// Finds samples that cannot be compared. Returns the error, or an empty text.
std::string find_mismatch(const std::vector<batch_sample>& samples, std::vector<std::string>& warnings) {
    if (samples.size() < 2) return std::string(texts::one_sample);
    const batch_sample& first = samples.front();
    for (auto at = samples.begin() + 1; at != samples.end(); ++at) {
        const auto same =
            std::find_if(samples.begin(), at, [&](const auto& sample) { return sample.batch == at->batch; });
        if (same != at)
            return filled(texts::repeated_batch,
                          {{"batch", grouped_digits(at->batch)}, {"first", same->file}, {"second", at->file}});
        if (!first.program.empty() && !at->program.empty() && !imported::is_called(first.program, at->program))
            warnings.push_back(filled(texts::other_program, {{"file", at->file},
                                                             {"program", at->program},
                                                             {"first_file", first.file},
                                                             {"first_program", first.program}}));
    }
    const auto has_need = [](const batch_sample& sample) { return sample.need.has_value(); };
    const auto has_temporaries = [](const batch_sample& sample) { return sample.of(part::temporaries).has_value(); };
    if (std::all_of(samples.begin(), samples.end(), has_need) ||
        std::all_of(samples.begin(), samples.end(), has_temporaries))
        return {};
    const auto lacking = std::find_if_not(samples.begin(), samples.end(), has_temporaries);
    return filled(texts::no_temporaries, {{"file", lacking->file}});
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
    std::string device =
        filled(texts::assumed_device, {{"name", tpu::v5e.name}, {"capacity", size_in_words(capacity)}});
    const auto has_capacity = [](const batch_sample& sample) { return sample.capacity.has_value(); };
    const auto stated = std::find_if(samples.begin(), samples.end(), has_capacity);
    const auto other = std::find_if(stated, samples.end(), [&](const batch_sample& sample) {
        return sample.capacity && *sample.capacity != *stated->capacity;
    });
    if (given.what != capacity_choice::kind::given && other != samples.end())
        return print_error(filled(texts::several_devices, {{"first", stated->file},
                                                           {"first_capacity", size_in_words(*stated->capacity)},
                                                           {"second", other->file},
                                                           {"second_capacity", size_in_words(*other->capacity)}}),
                           exit_status::invalid);
    if (given.what == capacity_choice::kind::given) {
        capacity = given.device.capacity;
        device = filled(texts::device_of_option, {{"name", given.text}, {"capacity", size_in_words(capacity)}});
    } else if (stated != samples.end()) {
        capacity = *stated->capacity;
        device = filled(texts::device_of_messages, {{"capacity", size_in_words(capacity)}});
    }
    const batch_fit fit = fit_batch(std::move(samples), capacity);
    return settings.format == output_format::json ? deliver(settings, batch_json(fit))
                                                  : deliver_text(settings, batch_answer(fit, device));
}

}  // namespace hbm::compare
