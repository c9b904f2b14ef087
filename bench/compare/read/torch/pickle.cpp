#include "compare/read/torch/pickle.hpp"

namespace hbm::imported {

outcome<pickle_data> read_pickle(std::string_view text, std::string file) {
    return pickle_reader(text, std::move(file)).read();
}

}  // namespace hbm::imported
