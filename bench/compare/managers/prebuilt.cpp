#include "compare/managers/prebuilt.hpp"

// Compiles the search for plans; the explanations are in explain_shipped.cpp and explain_narrow.cpp.

namespace hbm {

template class basic_planner<planning_problem>;
template class joint_search<basic_layout<layout_block>>;
template class room_search<basic_layout<layout_block>>;
template class victim_search<basic_layout<layout_block>>;
template class exact_search<basic_layout<layout_block>>;
template class room_maker<basic_layout<layout_block>>;
template class need_packer<range_of_quanta>;

}  // namespace hbm
