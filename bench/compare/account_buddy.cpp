#include <hbm/placement/buddy.hpp>

#include "compare/account_for.hpp"

namespace hbm::compare {

using wide = basic_buddy<std::uint64_t>;

template void account_for(const explained_memory<wide>&, const failed_row&, account&);
template void account_for(const explained_memory<compacting<wide>>&, const failed_row&, account&);
template void account_for(const explained_memory<bottom_reserve<wide>>&, const failed_row&, account&);
template void account_for(const explained_memory<bottom_reserve<compacting<wide>>>&, const failed_row&, account&);

}  // namespace hbm::compare
