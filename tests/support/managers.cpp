#define HBM_TEST_TEMPLATE template
#include "support/managers.hpp"
