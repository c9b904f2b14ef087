#pragma once
// The numbers of the fields that a device memory profile needs, of the messages in
// https://github.com/google/pprof/blob/main/proto/profile.proto.

#include <cstdint>

namespace hbm::imported {

/// Numbers of fields, each with the name of its message before it.
struct pprof_field {
    static constexpr std::uint64_t profile_sample_type = 1;
    static constexpr std::uint64_t profile_sample = 2;
    static constexpr std::uint64_t profile_location = 4;
    static constexpr std::uint64_t profile_function = 5;
    static constexpr std::uint64_t profile_string = 6;
    static constexpr std::uint64_t type_name = 1;
    static constexpr std::uint64_t type_unit = 2;
    static constexpr std::uint64_t sample_location = 1;
    static constexpr std::uint64_t sample_value = 2;
    static constexpr std::uint64_t sample_label = 3;
    static constexpr std::uint64_t label_key = 1;
    static constexpr std::uint64_t label_text = 2;
    static constexpr std::uint64_t location_id = 1;
    static constexpr std::uint64_t location_line = 4;
    static constexpr std::uint64_t line_function = 1;
    static constexpr std::uint64_t line_number = 2;
    static constexpr std::uint64_t function_id = 1;
    static constexpr std::uint64_t function_name = 2;
    static constexpr std::uint64_t function_file = 4;
};

}  // namespace hbm::imported
