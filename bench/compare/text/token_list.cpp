#include "compare/text/token_list.hpp"

namespace hbm::trace {

void token_list::push_back(std::string_view token) {
    if (size() % together == 0) {
        if (!texts_.empty()) texts_.back().shrink_to_fit();
        texts_.emplace_back();
    }
    texts_.back() += token;
    ends_.push_back(texts_.back().size());
}

void token_list::pop_back() {
    texts_.back().resize(texts_.back().size() - back().size());
    ends_.pop_back();
    if (size() % together == 0) texts_.pop_back();
}

}  // namespace hbm::trace
