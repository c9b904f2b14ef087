#include "compare/answers/message/devices.hpp"

#include <hbm/explain/words.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compare/read/samples/samples.hpp"
#include "compare/read/samples/samples_log.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace {

std::uint64_t in_use(const sample_series& device) {
    return device.samples.back().in_use;
}

std::string name_of(const sample_series& device) {
    return device.device.empty() ? "the device" : "device " + device.device;
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
    const std::string limit = size_in_words(*most->limit);
    if (devices.size() == 1 || in_use(*most) - in_use(*least) <= *most->limit / 20)
        return wrapped("Before it, the log has " + size_in_words(in_use(*most)) + " of " + limit + " in use" +
                       (devices.size() == 1 ? "." : " on each of " + grouped_digits(devices.size()) + " devices."));
    return wrapped("Devices differ: before it, the log has " + size_in_words(in_use(*most)) + " of " + limit +
                   " in use on " + name_of(*most) + ", and " + size_in_words(in_use(*least)) + " on " +
                   name_of(*least) +
                   ". Look for arrays on one device alone, such as those made without a sharding: "
                   "`jax.device_put(x, sharding)` spreads them.");
}

}  // namespace hbm::imported
