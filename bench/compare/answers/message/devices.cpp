#include "compare/answers/message/devices.hpp"

#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compare/answers/message/texts.hpp"
#include "compare/read/samples/samples.hpp"
#include "compare/read/samples/samples_log.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace texts = message_texts;

namespace {

std::uint64_t in_use(const sample_series& device) {
    return device.samples.back().in_use;
}

std::string name_of(const sample_series& device) {
    return device.device.empty() ? std::string(texts::only_device)
                                 : filled(texts::device_of_log, {{"name", device.device}});
}

}  // namespace

std::string devices_in_words(std::string_view log) {
    const std::string csv = samples_in_log(log);
    if (csv.empty()) return {};
    std::vector<sample_series> devices = read_samples(csv, "log").devices;
    std::erase_if(devices, [](const sample_series& device) { return device.samples.empty() || !device.limit; });
    if (devices.empty()) return {};
    const auto [least, most] =
        std::minmax_element(devices.begin(), devices.end(), [](const sample_series& left, const sample_series& right) {
            return in_use(left) < in_use(right);
        });
    const bool are_equal = in_use(*most) - in_use(*least) <= *most->limit / 20;
    return wrapped(filled(devices.size() == 1 ? texts::one_device
                          : are_equal         ? texts::equal_devices
                                              : texts::differing_devices,
                          {{"most", size_in_words(in_use(*most))},
                           {"limit", size_in_words(*most->limit)},
                           {"count", grouped_digits(devices.size())},
                           {"fullest", name_of(*most)},
                           {"least", size_in_words(in_use(*least))},
                           {"emptiest", name_of(*least)}}));
}

}  // namespace hbm::imported
