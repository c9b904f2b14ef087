#include "compare/jobs/machine_load.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <unistd.h>

namespace hbm::compare {

namespace {

double own_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

}  // namespace

std::optional<double> machine_seconds() {
    // The first line of Linux: cpu user nice system idle iowait irq softirq steal ..., in ticks.
    std::ifstream file("/proc/stat");
    std::string word;
    double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
    if (!(file >> word >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal) || word != "cpu")
        return std::nullopt;
    return (user + nice + system + irq + softirq + steal) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

other_work::other_work() : begin_(std::chrono::steady_clock::now()), machine_(machine_seconds()), own_(own_seconds()) {}

double other_work::share() const {
    const std::optional<double> machine = machine_seconds();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
    if (!machine || !machine_ || passed.count() <= 0) return 0;
    return std::max(0.0, (*machine - *machine_) - (own_seconds() - own_)) / passed.count();
}

}  // namespace hbm::compare
