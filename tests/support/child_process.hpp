#pragma once

/// Calls in a process of their own, for tests of calls that end the program.

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace hbm::test {

/// The end of a process.
struct process_end {
    int signal = 0;        ///< the signal that ended it; 0 if none did
    int status = 0;        ///< its exit status, if no signal ended it
    std::string messages;  ///< written to standard error
};

/// Makes a call in a process of its own, which then exits with status 0.
template <class Call>
process_end run_in_child(Call call) {
    std::fflush(nullptr);
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) std::abort();
    const pid_t child = fork();
    if (child < 0) std::abort();
    if (child == 0) {
        for (const int number : {SIGILL, SIGTRAP, SIGABRT}) std::signal(number, SIG_DFL);
        dup2(ends[1], 2);
        call();
        std::_Exit(0);
    }
    close(ends[1]);
    process_end end;
    char letter = 0;
    while (read(ends[0], &letter, 1) == 1) end.messages += letter;
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        end.signal = WTERMSIG(status);
    else
        end.status = WEXITSTATUS(status);
    return end;
}

}  // namespace hbm::test
