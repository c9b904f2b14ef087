// Draws the pictures of the guide, as SVG, from the blocks of real managers: `19_pictures donation > donation.svg`.
// Without an argument it prints the pictures' names.
#include <hbm/hbm.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/planning/relief_policies.hpp>

#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

using namespace hbm::literals;

namespace {

constexpr unsigned memory_height = 160, panel_gap = 20, title_height = 40;

std::string attribute(const char* name, std::uint64_t value) {
    return std::string(" ") + name + "=\"" + std::to_string(value) + "\"";
}

/// An SVG with panels in rows. A panel shows memory over time: a column for each step, addresses upwards.
class drawing {
public:
    drawing(unsigned panels_in_a_row, unsigned steps, unsigned step_width, std::uint64_t capacity)
        : panels_in_a_row_(panels_in_a_row), steps_(steps), step_width_(step_width), capacity_(capacity) {}

    /// Begins the next panel.
    void begin(std::string_view title) {
        const unsigned row = panels_ / panels_in_a_row_, column = panels_ % panels_in_a_row_;
        left_ = panel_gap + column * (panel_width() + panel_gap);
        top_ = title_height + row * (memory_height + title_height);
        ++panels_;
        write(left_, top_ - 20, title, " font-weight=\"bold\"");
        shapes_ += "<rect" + attribute("x", left_) + attribute("y", top_) + attribute("width", panel_width()) +
                   attribute("height", memory_height) + " fill=\"#f4f4f4\" stroke=\"#999\"/>\n";
        step_ = 0;
    }
    /// Adds a column with the live blocks of a memory.
    template <class Manager>
    void add(const Manager& memory) {
        for (const hbm::block_view& block : memory.blocks()) add(memory, block);
        ++step_;
    }
    /// Ends the panel with a sentence under its title.
    void describe(std::string_view sentence) {
        finish();
        write(left_, top_ - 6, sentence, " fill=\"#666\"");
    }
    /// Adds a column that shows a failure.
    void fail() {
        const unsigned x = left_ + step_ * step_width_;
        shapes_ += "<rect" + attribute("x", x) + attribute("y", top_) + attribute("width", step_width_) +
                   attribute("height", memory_height) + " fill=\"#d00\" fill-opacity=\"0.25\"/>\n";
        write(x + step_width_ / 2 - 4, top_ + memory_height / 2, "\xc3\x97", " fill=\"#d00\"");
        ++step_;
    }
    [[nodiscard]] std::string text() const {
        const unsigned rows = (panels_ + panels_in_a_row_ - 1) / panels_in_a_row_;
        return "<svg xmlns=\"http://www.w3.org/2000/svg\"" +
               attribute("width", panel_gap + panels_in_a_row_ * (panel_width() + panel_gap)) +
               attribute("height", rows * (memory_height + title_height)) +
               " font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" +
               shapes_ + "</svg>\n";
    }

private:
    [[nodiscard]] unsigned panel_width() const { return steps_ * step_width_; }

    void write(std::uint64_t x, std::uint64_t y, std::string_view words, const char* style) {
        shapes_ += "<text" + attribute("x", x) + attribute("y", y) + style + ">";
        for (const char letter : words)
            shapes_ += letter == '<' ? "&lt;" : letter == '>' ? "&gt;" : std::string(1, letter);
        shapes_ += "</text>\n";
    }
    /// A block that stays at one place for some steps.
    struct rectangle {
        std::uint64_t x = 0, y = 0, width = 0, height = 0;
        std::string name;
        const char* fill = "";
        const char* text_fill = "";
    };
    template <class Manager>
    void add(const Manager& memory, const hbm::block_view& block) {
        static constexpr const char* colours[] = {"#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#c9a227",
                                                  "#4a9a94", "#e0708a", "#9c755f", "#7a9a5f"};
        const auto pixels = [&](std::uint64_t bytes) { return bytes * memory_height / capacity_; };
        const std::uint64_t end = pixels(block.where.offset + block.where.size);
        rectangle shape{.x = left_ + step_ * step_width_,
                        .y = top_ + memory_height - end,
                        .width = step_width_,
                        .height = end - pixels(block.where.offset),
                        .name = "scratch",
                        .fill = "#ccc",
                        .text_fill = "#000"};
        if (block.kind == hbm::block_kind::data)
            shape.name = memory.name_of(static_cast<hbm::tag>(block.owner)),
            shape.fill = colours[block.owner % std::size(colours)], shape.text_fill = "#fff";
        if (block.kind == hbm::block_kind::code)
            shape.name = memory.name_of(memory.programs()[block.owner].label), shape.fill = "#555",
            shape.text_fill = "#fff";
        for (rectangle& before : rectangles_)
            if (before.x + before.width == shape.x && before.y == shape.y && before.height == shape.height &&
                before.name == shape.name)
                return void(before.width += step_width_);
        rectangles_.push_back(shape);
    }
    /// Writes the blocks of the panel.
    void finish() {
        for (const rectangle& shape : rectangles_) {
            shapes_ += "<rect" + attribute("x", shape.x) + attribute("y", shape.y) + attribute("width", shape.width) +
                       attribute("height", shape.height) + " fill=\"" + shape.fill + "\" stroke=\"#fff\"/>\n";
            const std::string style = std::string(" fill=\"") + shape.text_fill + "\"";
            write(shape.x + 3, shape.y + shape.height / 2 + 4, shape.name, style.c_str());
        }
        rectangles_.clear();
    }

    unsigned panels_in_a_row_ = 1, steps_ = 1, step_width_ = 1;
    std::uint64_t capacity_ = 1;
    unsigned panels_ = 0, left_ = 0, top_ = 0, step_ = 0;
    std::vector<rectangle> rectangles_;  ///< of the panel that is being drawn
    std::string shapes_;
};

/// An allocation, or a free if its size is 0.
struct step {
    const char* name;
    unsigned mebibytes = 0;
};
constexpr step twelve_requests[] = {{"A", 4}, {"B", 4}, {"C", 6}, {"B"},    {"D", 1}, {"E", 3},
                                    {"A"},    {"C"},    {"F", 3}, {"G", 1}, {"H", 4}, {"I", 4}};

template <class... Placements>
std::string draw_placements() {
    drawing picture{4, std::size(twelve_requests), 14, 16_MiB};
    const auto draw = [&]<class Placement>(std::type_identity<Placement>) {
        hbm::manager<Placement> memory{{.name = "small", .capacity = 16_MiB}};
        std::vector<hbm::buffer> buffers(26);
        picture.begin(Placement::name.c_str());
        for (const step& request : twelve_requests) {
            hbm::buffer& buffer = buffers[static_cast<std::size_t>(request.name[0] - 'A')];
            if (request.mebibytes == 0) {
                memory.free(buffer);
            } else if (const auto result = memory.allocate(request.mebibytes * 1_MiB, request.name)) {
                buffer = *result;
            } else {
                picture.fail();
                return picture.describe(std::string(request.name) + " (" + std::to_string(request.mebibytes) +
                                        " MiB) fails, " + std::to_string(result.error().free / 1_MiB) + " MiB is free");
            }
            picture.add(memory);
        }
        picture.describe("completes");
    };
    (draw(std::type_identity<Placements>{}), ...);
    return picture.text();
}

template <class... Reliefs>
std::string draw_relief() {
    drawing picture{3, 2, 110, 16_GiB};
    const auto draw = [&]<class Relief>(std::type_identity<Relief>) {
        using placement = hbm::bottom_reserve<hbm::compacting<hbm::best_fit>>;
        hbm::manager<placement, hbm::evict_lru, hbm::never_donate, Relief> memory{{.capacity = 16_GiB}};
        const auto weights = memory.allocate(5_GiB, "weights"), old = memory.allocate(2_GiB, "old");
        const auto cache = memory.allocate(3_GiB, "cache");
        const auto program = memory.load({.name = "evaluate", .code = 2_GiB, .scratch = 2_GiB});
        if (!weights || !old || !cache || !program || !memory.free(*old)) return;
        picture.begin(Relief::name.c_str());
        picture.add(memory);
        if (!memory.allocate(3_GiB, "batch")) {
            picture.fail();
            return picture.describe("3 GiB does not fit, " + std::to_string(memory.free_bytes() / 1_GiB) +
                                    " GiB is free");
        }
        picture.add(memory);
        const hbm::totals& done = memory.done_so_far();
        picture.describe("moved: " + std::to_string(done.moved_bytes / 1_GiB) +
                         " GiB, evicted: " + std::to_string(done.evicted_bytes / 1_GiB) + " GiB");
    };
    (draw(std::type_identity<Reliefs>{}), ...);
    return picture.text();
}

template <class... Donations>
std::string draw_donation() {
    drawing picture{2, 6, 60, 16_GiB};
    const auto draw = [&]<class Donation>(std::type_identity<Donation>) {
        constexpr bool donates = !std::is_same_v<Donation, hbm::never_donate>;
        hbm::manager<hbm::best_fit, hbm::never_evict, Donation> memory{{.capacity = 16_GiB}};
        const auto program = memory.load({.name = "step", .code = 2_GiB});
        const auto first = memory.allocate(6_GiB, "weights");
        if (!program || !first) return;
        picture.begin(Donation::name.c_str());
        std::vector<hbm::buffer> weights{*first};
        for (unsigned count = 0; count < 3; ++count) {
            const hbm::output outputs[] = {{6_GiB, memory.tag_of("weights")}};
            hbm::run_spec spec{.outputs = outputs};
            (donates ? spec.donated : spec.inputs) = weights;
            const auto result = memory.run(*program, spec);
            if (!result) return;
            picture.add(memory);
            if (!donates) memory.free(weights[0]);
            picture.add(memory);
            weights[0] = result->outputs[0];
        }
        picture.describe("three steps, peak: " + std::to_string(memory.peak_live_bytes() / 1_GiB) + " GiB");
    };
    (draw(std::type_identity<Donations>{}), ...);
    return picture.text();
}

}  // namespace

int main(int argc, char** argv) {
    using namespace hbm;
    const std::string_view name = argc > 1 ? argv[1] : "";
    std::string text = "placements\nrelief\ndonation\n";
    if (name == "placements")
        text = draw_placements<best_fit, best_fit_lifo, first_fit, good_fit, buddy, bfc, bottom_reserve<best_fit>,
                               compacting<best_fit>>();
    else if (name == "relief")
        text = draw_relief<never_relieve, compact_first, evict_first>();
    else if (name == "donation")
        text = draw_donation<never_donate, donate_same_size>();
    else if (!name.empty())
        return std::fprintf(stderr, "There is no picture %s. The pictures are:\n%s", argv[1], text.c_str()), 1;
    return std::fputs(text.c_str(), stdout) < 0 ? 1 : 0;
}
