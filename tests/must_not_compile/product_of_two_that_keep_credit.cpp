// expect: a program's record has one word of credit: only one part of a score may keep one there
#include <hbm/eviction/scores.hpp>

hbm::product<hbm::fading_frequency, hbm::greedy_dual<hbm::reload_cost>> worth;
