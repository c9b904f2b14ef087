#include "compare/export/minimalloc.hpp"

namespace hbm::compare {

namespace {

/// A cell of CSV without quotes, comments and blanks at its ends.
std::string plain_cell(std::string_view text) {
    std::string made(text);
    for (char& each : made)
        if (static_cast<unsigned char>(each) <= ' ' || each == ',' || each == '"' || each == '#' || each == '\x7f')
            each = '_';
    return made;
}

}  // namespace

std::string minimalloc_file::new_id(const recorded_cell& of, const trace::recorded_block& block) {
    std::string id = plain_cell(of.id_of(block));
    if (block.kind == block_kind::code || block.kind == block_kind::scratch)
        (id += '.') += recorded_cell::kind_of(block);
    std::uint64_t& times = used_[id];
    std::string made = ++times == 1 ? id : id + '.' + std::to_string(times);
    while (!ids_.insert(made).second) made = id + '.' + std::to_string(++times);
    return made;
}

void minimalloc_file::add(const recorded_cell& each) {
    out().add("id,lower,upper,size,offset\n");
    for (const trace::recorded_place& place : each.what.places) {
        const trace::recorded_block& block = each.what.blocks[place.block];
        out().add(new_id(each, block) + ',' + std::to_string(place.begin) + ',' + std::to_string(place.end) + ',' +
                  std::to_string(place.where.size) + ',' + std::to_string(place.where.offset) + '\n');
    }
}

}  // namespace hbm::compare
