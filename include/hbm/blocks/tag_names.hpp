#pragma once

#include <hbm/blocks/block_node.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// Registry of interned names. A regular value with copy-on-write: copying is O(1) and safe while another thread uses
/// the other copy. A name keeps its tag until it is forgotten.
class tag_names {
public:
    constexpr tag_names() = default;
    constexpr tag_names(const tag_names& other) noexcept : shared_(other.shared_) {
        if (shared_ != nullptr) count(shared_->owners, 1);
    }
    constexpr tag_names(tag_names&& other) noexcept : shared_(other.shared_) { other.shared_ = nullptr; }
    constexpr tag_names& operator=(tag_names other) noexcept {
        registry* const before = shared_;
        shared_ = other.shared_;
        other.shared_ = before;
        return *this;
    }
    constexpr ~tag_names() {
        if (shared_ != nullptr) give_up();
    }

    /// Returns the tag of `name`, a zero-terminated string, adding new names. Null and "" have the tag `tag::none`.
    /// Cost: O(length of the name) on average; O(names) for the first name of a copy that is new or not used lately.
    [[gnu::cold, gnu::noinline]] constexpr tag intern(const char* name) noexcept {
        // A name that is known and was used lately is only looked up. Everything else changes the registry, which is
        // copied first if another value shares it. The tag of a new name is the lowest without a name, so tags stay
        // dense and tables by tag short.
        if (name == nullptr || *name == '\0') return tag::none;
        if (shared_ == nullptr) {
            shared_ = new registry;
            rehash(16);
        }
        std::uint32_t number = shared_->table[find(name)];
        if (number == no_index) {
            if (is_shared()) unshare();
            if (shared_->starts.size() * 2 >= shared_->table.size()) rehash(shared_->table.size() * 2);
            number = new_number();
            shared_->table[find(name)] = number;
            add_text(number, name);
        }
        if (shared_->uses[number] < shared_->turn) {
            if (is_shared()) unshare();
            shared_->uses[number] = shared_->turn;
        }
        return static_cast<tag>(number + 1);
    }

    /// Keeps the name of a tag for good.
    /// Cost: O(names) if copies share it.
    [[gnu::cold]] constexpr void keep(tag label) noexcept {
        if (label == tag::none) return;
        if (is_shared()) unshare();
        shared_->uses[static_cast<std::uint32_t>(label) - 1] = no_index;
    }

    /// Forgets each name that no block and no program of a memory has and that is not kept, unless it has been interned
    /// since names were forgotten before. Its tag is that of a new name later. Without effect until 1,024 names are
    /// new, and one more for each buffer and program that there was when names were forgotten before.
    /// Cost: amortised O(1) a new name, if holes are not many more than buffers.
    template <class State>
    [[gnu::cold, gnu::noinline]] constexpr void forget_unused(const State& state) {
        // In turns: when enough names are new, all that blocks and programs have are noted, and those that were last
        // noted or interned before the turn that ends are dropped. A name thus survives the turn in which it was
        // interned, since its buffer may be about to come. The next turn lasts for as many new names as there are
        // buffers and programs, and 1,024 more: that pays for the walk.
        if (shared_ == nullptr || shared_->left != 0) return;
        if (is_shared()) unshare();
        shared_->left = 1024;
        ++shared_->turn;
        for (const auto& record : state.programs) note_user(record.label);
        const auto& map = state.blocks.map();
        for (block_index block = map.first(); block != no_block; block = map.next(block))
            if (const block_kind kind = map.kind(block); kind == block_kind::data || kind == block_kind::deferred)
                note_user(static_cast<tag>(map.owner(block)));
        drop_unused();
    }

    /// Returns true if `name` has a tag.
    /// Cost: O(length of the name) on average.
    [[nodiscard, gnu::cold, gnu::noinline]] constexpr bool knows(const char* name) const noexcept {
        return shared_ != nullptr && shared_->table[find(name)] != no_index;
    }

    /// Returns the name of a tag, valid until the next `intern` or assignment; "" for a tag that has no name here.
    [[nodiscard]] constexpr const char* name(tag label) const noexcept {
        const auto number = static_cast<std::uint32_t>(label) - 1;
        return number >= size() || shared_->starts[number] == no_index ? ""
                                                                       : shared_->text.data() + shared_->starts[number];
    }

    /// Returns the count of tags (labels of buffers), including those whose name was forgotten.
    [[nodiscard]] constexpr std::size_t size() const noexcept {
        return shared_ == nullptr ? 0 : shared_->starts.size();
    }

    friend constexpr bool operator==(const tag_names& a, const tag_names& b) noexcept {
        return a.shared_ == b.shared_ || (a.size() == b.size() && a.size() != 0 && a.shared_->text == b.shared_->text);
    }

private:
    /// Count of the copies that share a registry; threads may change it while another copies the registry.
    struct owner_count {
        std::uint32_t value = 1;
        constexpr owner_count() = default;
        constexpr owner_count(const owner_count&) noexcept {}  // a copied registry has one owner
    };
    struct registry {
        trivial_vector<char> text;             // all names, zero-terminated
        trivial_vector<std::uint32_t> starts;  // start of each name; `no_index` for a tag without a name
        trivial_vector<std::uint32_t> uses;    // turn in which each was last interned; `no_index` if kept
        trivial_vector<std::uint32_t> table;   // open addressing; a power of two, at most half full
        owner_count owners;
        std::uint32_t turn = 1;     // a turn ends when names are forgotten
        std::uint32_t left = 1024;  // new names until then
        std::uint32_t lowest = 0;   // no tag before it lacks a name
    };

    /// Adds to a reference count, which other threads may change, and returns it.
    static constexpr std::uint32_t count(owner_count& owners, std::uint32_t more) noexcept {
        if (__builtin_is_constant_evaluated()) return owners.value += more;
        return detail::add_atomically(owners.value, more);
    }
    [[nodiscard]] constexpr bool is_shared() const noexcept {
        if (__builtin_is_constant_evaluated()) return shared_->owners.value != 1;
        return detail::load_atomically(shared_->owners.value) != 1;
    }
    [[gnu::cold, gnu::noinline]] constexpr void give_up() noexcept {
        if (count(shared_->owners, ~std::uint32_t{0}) == 0) delete shared_;
        shared_ = nullptr;
    }
    /// Copies the names that are shared.
    [[gnu::cold]] constexpr void unshare() noexcept {
        registry* const own = new registry(*shared_);
        give_up();
        shared_ = own;
    }
    constexpr void note_user(tag label) noexcept {
        ++shared_->left;
        const auto number = static_cast<std::uint32_t>(label) - 1;
        if (number < size() && shared_->uses[number] < shared_->turn) shared_->uses[number] = shared_->turn;
    }
    /// Forgets the names that were last used in an earlier turn than the one before. O(names).
    [[gnu::cold, gnu::noinline]] constexpr void drop_unused() noexcept {
        // Names that stay are packed anew into one text, in the order of their tags.
        trivial_vector<char> before;
        before.swap(shared_->text);
        shared_->lowest = 0;
        for (std::uint32_t number = 0; number < shared_->starts.size(); ++number) {
            std::uint32_t& start = shared_->starts[number];
            if (start == no_index) continue;
            if (shared_->uses[number] < shared_->turn - 1)
                start = no_index;
            else
                add_text(number, before.data() + start);
        }
        rehash(shared_->table.size());
    }
    /// Returns the number of a tag that has no name.
    constexpr std::uint32_t new_number() noexcept {
        std::uint32_t& lowest = shared_->lowest;
        while (lowest < shared_->starts.size() && shared_->starts[lowest] != no_index) ++lowest;
        if (lowest == shared_->starts.size()) {
            shared_->starts.push_back(no_index);
            shared_->uses.push_back(0);
        }
        if (shared_->left != 0) --shared_->left;
        return lowest;
    }
    constexpr void add_text(std::uint32_t number, const char* name) noexcept {
        const char* last = name;
        while (*last != '\0') ++last;
        shared_->starts[number] = static_cast<std::uint32_t>(shared_->text.size());
        shared_->text.append(name, last + 1);
    }

    static constexpr std::uint32_t hash(const char* name) noexcept {
        std::uint32_t value = 2166136261u;  // FNV-1a
        for (; *name != '\0'; ++name) value = (value ^ static_cast<unsigned char>(*name)) * 16777619u;
        return value;
    }
    [[nodiscard]] constexpr bool same(std::uint32_t number, const char* name) const noexcept {
        const char* other = shared_->text.data() + shared_->starts[number];
        while (*other != '\0' && *other == *name) ++other, ++name;
        return *other == *name;
    }
    [[nodiscard]] constexpr std::size_t find(const char* name) const noexcept {
        // Linear probing (Knuth, "The Art of Computer Programming", 6.4). Nothing is ever removed from the table: when
        // names are dropped it is filled again.
        const trivial_vector<std::uint32_t>& table = shared_->table;
        std::size_t slot = hash(name) & (table.size() - 1);
        while (table[slot] != no_index && !same(table[slot], name)) slot = (slot + 1) & (table.size() - 1);
        return slot;
    }
    [[gnu::cold, gnu::noinline]] constexpr void rehash(std::size_t slots) noexcept {
        shared_->table.assign(slots, no_index);
        for (std::uint32_t number = 0; number < shared_->starts.size(); ++number)
            if (const std::uint32_t start = shared_->starts[number]; start != no_index)
                shared_->table[find(shared_->text.data() + start)] = number;
    }

    registry* shared_ = nullptr;
};

}  // namespace hbm::inline v0
