#pragma once

/// A file with a manager's figures for the textfile collector of Prometheus' node_exporter.

#include <hbm/growth/growth.hpp>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "prometheus_text.hpp"

namespace hbm {

/// Puts `text` in the place of the file at `path`: writes `path` + ".part" and renames it, so that whoever reads sees
/// the old text or the new (where a rename replaces a file at once, as POSIX demands). Returns what is wrong, or an
/// empty text; then the old file is as it was.
[[nodiscard]] inline std::string replace_file(const std::string& path, std::string_view text) {
    const std::string part = path + ".part";
    errno = 0;
    std::FILE* const file = std::fopen(part.c_str(), "wb");
    const bool is_whole = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const bool is_closed = file != nullptr && std::fclose(file) == 0;
    if (is_whole && is_closed && std::rename(part.c_str(), path.c_str()) == 0) return {};
    const int reason = errno;
    if (file != nullptr) std::remove(part.c_str());
    return path + ": found a file that cannot be written (" + std::strerror(reason) +
           "), expected a path in a folder that can";
}

/// When a `prometheus_file` writes.
struct prometheus_options {
    std::string path;            ///< ends in `.prom` for the textfile collector; empty: nothing is written
    std::string device = {};     ///< a label of all samples; empty: none
    std::uint64_t every = 1000;  ///< after so many events, and at once when a request fails

    friend bool operator==(const prometheus_options&, const prometheus_options&) = default;
};

/// An observer that keeps a file up to date: see `prometheus_text`, growth included.
///
///     using watched = hbm::manager<..., hbm::no_device, hbm::prometheus_file>;
///     watched memory{hbm::tpu::v5e, {.events = hbm::prometheus_file{{.path = "/var/lib/node_exporter/hbm.prom"}}}};
///
/// The file is first written when the manager is made. A copy of the manager writes the same file; a fork has no
/// observer. Costs what `growth_by_tag` costs, and now and then the writing of some kilobytes.
class prometheus_file {
public:
    static constexpr fixed_string name{"prometheus_file"};

    prometheus_file() = default;
    explicit prometheus_file(prometheus_options how) : how_(std::move(how)) {}

    /// What was wrong with the last writing; empty if nothing was. A file that cannot be written stops nothing.
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
    /// Growth by tag, as the file tells it.
    [[nodiscard]] const growth_by_tag& growth() const noexcept { return growth_; }

    /// Hears an event. O(1) amortised if `every` is at least the number of blocks.
    template <class Memory>
    void on(const event& e, const Memory& memory) {
        growth_.on(e, memory);
        if (++unwritten_ >= how_.every || e.what == event_kind::failed) write(memory);
    }
    template <class Memory>
    void look_at(const Memory& memory) {
        growth_.look_at(memory);
        write(memory);
    }

    friend bool operator==(const prometheus_file&, const prometheus_file&) = default;

private:
    template <class Memory>
    void write(const Memory& memory) {
        unwritten_ = 0;
        if (!how_.path.empty()) problem_ = replace_file(how_.path, prometheus_text(memory, how_.device, &growth_));
    }

    prometheus_options how_;
    growth_by_tag growth_;
    std::uint64_t unwritten_ = 0;  // events since the file was written
    std::string problem_;
};

static_assert(observer<prometheus_file>);

}  // namespace hbm
