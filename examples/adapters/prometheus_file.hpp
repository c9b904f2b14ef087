#pragma once
// A file with a manager's figures for the textfile collector of Prometheus' node_exporter. To paste.
#include <hbm/growth/growth.hpp>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "prometheus_text.hpp"

namespace adapters {

/// Replaces the file at `path` by way of `path` + ".part", so that readers see the old text or the new. Returns an
/// error message, or an empty text; after an error the old file is unchanged.
inline std::string replace_file(const std::string& path, const std::string& text) {
    const std::string part = path + ".part";
    std::FILE* const file = std::fopen(part.c_str(), "wb");
    const bool is_whole = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const bool is_closed = file != nullptr && std::fclose(file) == 0;
    if (is_whole && is_closed && std::rename(part.c_str(), path.c_str()) == 0) return {};
    const int reason = errno;
    if (file != nullptr) std::remove(part.c_str());
    return "cannot write " + path + ": " + std::strerror(reason);
}

/// An observer that writes the file after every `every` events, and when a request fails:
///
///     hbm::manager<..., hbm::no_device, adapters::prometheus_file> memory{
///         spec, {.events = adapters::prometheus_file{"/var/lib/node_exporter/hbm.prom"}}};
class prometheus_file {
public:
    static constexpr hbm::fixed_string name{"prometheus_file"};

    prometheus_file() = default;
    explicit prometheus_file(std::string path, std::uint64_t every = 1000) : path_(std::move(path)), every_(every) {}

    /// Returns the error of the latest writing; empty if it succeeded.
    [[nodiscard]] const std::string& error() const { return error_; }

    template <class Memory>
    void on(const hbm::event& event, const Memory& memory) {
        growth_.on(event, memory);
        if (++unwritten_ < every_ && event.what != hbm::event_kind::failed) return;
        unwritten_ = 0;
        if (!path_.empty()) error_ = replace_file(path_, prometheus_text(memory, "0", &growth_));
    }
    template <class Memory>
    void look_at(const Memory& memory) {
        growth_.look_at(memory);
    }
    friend bool operator==(const prometheus_file&, const prometheus_file&) = default;

private:
    std::string path_, error_;
    std::uint64_t every_ = 1000, unwritten_ = 0;
    hbm::growth_by_tag growth_;
};

}  // namespace adapters
