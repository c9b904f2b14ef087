#include "compare/answers/message/changes.hpp"

#include <hbm/core/handle.hpp>

#include <optional>
#include <string_view>
#include <vector>

#include "compare/answers/message/diagnosis.hpp"
#include "compare/text/byte_range.hpp"
#include "compare/text/rounded_size.hpp"
#include "compare/text/text.hpp"

namespace hbm::imported {

namespace {

/// A size then and now.
struct change {
    const char* what;
    rounded_size before;
    rounded_size now;
};

void add(std::vector<change>& all, const char* what, const std::optional<rounded_size>& before,
         const std::optional<rounded_size>& now) {
    if (before && now) all.push_back({what, *before, *now});
}

std::string in_words(const change& each) {
    const bool grew = each.now.bytes >= each.before.bytes;
    const byte_range by = grew ? difference(each.now, each.before) : difference(each.before, each.now);
    std::string text = std::string(each.what) + ": " + hbm::imported::in_words(each.before) + " then, " +
                       hbm::imported::in_words(each.now) + " now";
    if (each.before == each.now) return text + ", the same";
    return text + ", " + hbm::imported::in_words(by) + (grew ? " more" : " less");
}

/// Returns the free bytes of a sample: the limit less the bytes in use and reserved.
std::optional<rounded_size> free_of(const stated_statistics& sample) {
    if (!sample.limit || !sample.in_use) return std::nullopt;
    byte_range free = difference(*sample.limit, *sample.in_use);
    if (sample.reserved) free = difference(rounded_size{free.bytes, free.low, free.high}, *sample.reserved);
    return rounded_size{free.bytes, free.low, free.high};
}

}  // namespace

std::string changes_in_words(const memory_message& now, const found_messages& before) {
    std::vector<change> all;
    const memory_message* earlier = nullptr;
    for (const memory_message& each : before.messages)
        if (each.of_compiler() == now.of_compiler() && (earlier == nullptr || each.kind == now.kind)) earlier = &each;
    if (earlier != nullptr) {
        add(all, "asked for", earlier->asked, now.asked);
        add(all, "free", earlier->free, now.free);
        add(all, "longest free piece", earlier->largest, now.largest);
        add(all, "free at the bottom", earlier->reservable, now.reservable);
        add(all, "what the device has", earlier->capacity, now.capacity);
        if (earlier->usage && now.usage) {
            if (!diagnose(*earlier).arguments_not_stated && !diagnose(now).arguments_not_stated)
                add(all, "arguments", earlier->usage->arguments, now.usage->arguments);
            add(all, "the program itself", earlier->usage->program, now.usage->program);
        }
        if (earlier->requirement && now.requirement) {
            add(all, "temporaries", earlier->requirement->temporaries, now.requirement->temporaries);
            add(all, "constants and the like", earlier->requirement->global, now.requirement->global);
        }
    } else {
        for (auto sample = before.samples.rbegin(); sample != before.samples.rend() && all.empty(); ++sample) {
            if (now.of_compiler()) {
                add(all, "what the program needs", sample->program, now.asked);
                if (sample->program) add(all, "what the device has", sample->limit, now.capacity);
            } else {
                add(all, "free", free_of(*sample), now.free);
                add(all, "longest free piece", sample->largest, now.largest ? now.largest : now.reservable);
            }
        }
    }
    // Requests of other sizes, programs of other names and other devices cannot be compared over time.
    std::string differing;
    const auto differ = [&](const std::string& then, const std::string& at_present, const char* what) {
        if (!then.empty() && !at_present.empty() && then != at_present)
            differing +=
                (differing.empty() ? "" : "; ") + std::string(what) + " was " + then + ", and is " + at_present;
    };
    if (earlier != nullptr) {
        differ(earlier->device, now.device, "the device");
        differ(earlier->program, now.program, "the program");
        if (earlier->asked && now.asked && !now.of_compiler())
            differ(hbm::imported::in_words(*earlier->asked), hbm::imported::in_words(*now.asked), "the request");
    }
    if (all.empty()) return wrapped("The earlier text has no number that can be compared with this message.");
    std::string text = "What has changed since the earlier text:\n";
    for (const change& each : all) text += wrapped(in_words(each), "  ");
    if (!differing.empty()) text += wrapped("Not the same failure: " + differing + ". Compare with care.");
    for (const change& each : all) {
        if (std::string_view(each.what) != "free" || (earlier != nullptr && earlier->device != now.device)) continue;
        const byte_range less = difference(each.before, each.now);
        if (less.low != 0)
            text += wrapped(hbm::imported::in_words(less) +
                            " less free than then: something grows, or was added. `hbm_compare --growth --trace FILE` "
                            "tells what.");
        else if (each.now.low > each.before.high)
            text += wrapped("More is free than then: memory that grows is not the cause.");
        else
            text += wrapped("About as much is free as then: memory that grows is not the cause.");
    }
    return text;
}

}  // namespace hbm::imported
