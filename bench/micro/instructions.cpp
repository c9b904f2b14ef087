#include "micro/instructions.hpp"

#include <csignal>

#ifdef __linux__
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace hbm::micro {

#ifdef __linux__

namespace {

/// Binds both processes to the same processor: a step is then two context switches. On different processors two
/// wake-ups would come in addition.
class on_one_processor {
public:
    on_one_processor() {
        sched_getaffinity(0, sizeof before_, &before_);
        cpu_set_t processor;
        CPU_ZERO(&processor);
        CPU_SET(static_cast<unsigned>(sched_getcpu()), &processor);
        sched_setaffinity(0, sizeof processor, &processor);
    }
    ~on_one_processor() { sched_setaffinity(0, sizeof before_, &before_); }
    on_one_processor(const on_one_processor&) = delete;
    on_one_processor& operator=(const on_one_processor&) = delete;

private:
    cpu_set_t before_{};
};

std::optional<std::uint64_t> count_steps(const std::function<void()>& work) {
    const pid_t child = fork();
    if (child < 0) return std::nullopt;
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
        raise(SIGSTOP);
        work();
        _exit(0);
    }
    std::uint64_t steps = 0;
    int status = 0;
    waitpid(child, &status, 0);
    while (WIFSTOPPED(status)) {
        if (ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) != 0) return std::nullopt;
        waitpid(child, &status, 0);
        ++steps;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? std::optional{steps} : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> count_instructions(const std::function<void()>& work) {
    const on_one_processor here;
    const std::optional<std::uint64_t> nothing = count_steps([] {});
    const std::optional<std::uint64_t> all = nothing ? count_steps(work) : std::nullopt;
    return all ? std::optional{*all - *nothing} : std::nullopt;
}

#else

std::optional<std::uint64_t> count_instructions(const std::function<void()>& /*work*/) {
    return std::nullopt;
}

#endif

}  // namespace hbm::micro
