#include "compare/compare.hpp"

int main(int argc, char** argv) {
    return hbm::compare::compare_main(argc, argv);
}
