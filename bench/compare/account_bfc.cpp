#include <hbm/placement/bfc.hpp>

#include "compare/account_for.hpp"

namespace hbm::compare {

template void account_for(const explained_memory<basic_bfc<std::uint64_t>>&, const failed_row&, account&);

}  // namespace hbm::compare
