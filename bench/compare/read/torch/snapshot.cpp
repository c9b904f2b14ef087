#include "compare/read/torch/snapshot.hpp"

#include "compare/read/torch/pickle.hpp"

namespace hbm::imported {

outcome<memory_snapshot> read_snapshot(std::string_view text, const std::string& file) {
    const outcome<pickle_data> data = read_pickle(text, file);
    if (!data) return data.error();
    return snapshot_reader(*data, text.size(), file).read();
}

}  // namespace hbm::imported
