#include "compare/read/torch/snapshot_trace.hpp"

namespace hbm::imported {

outcome<std::uint64_t> device_of(const memory_snapshot& snapshot, const std::string& file, std::string_view name) {
    const std::vector<std::uint64_t> all = snapshot.devices();
    if (name.empty()) return all.empty() ? std::uint64_t{0} : all.front();
    std::uint64_t wanted = 0;
    if (trace::parse_number(name.substr(name.rfind(':') + 1), wanted) &&
        std::find(all.begin(), all.end(), wanted) != all.end())
        return wanted;
    std::string words;
    for (std::size_t at = 0; at < all.size() && at < 16; ++at) words += (at == 0 ? "" : ", ") + trace::decimal(all[at]);
    return trace::read_error{file, 0, 0, "no device " + trace::quoted(name),
                             "one of the devices of the snapshot: " + words};
}

trace::read_result trace_of(const memory_snapshot& snapshot, const std::string& file, std::string_view name) {
    const outcome<std::uint64_t> device = device_of(snapshot, file, name);
    if (!device) return device.error();
    trace::workload made = snapshot_tracer(snapshot, *device, file).make();
    if (const std::size_t devices = snapshot.devices().size(); name.empty() && devices > 1)
        made.notes.push_back("the snapshot has " + trace::decimal(devices) + " devices, and this is device " +
                             trace::decimal(*device) + "; choose another with --device");
    return made;
}

}  // namespace hbm::imported
