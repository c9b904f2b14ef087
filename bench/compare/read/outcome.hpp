#pragma once
// A workload, or the reason why there is none.

#include <optional>
#include <utility>

#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// Holds a workload or an `Error`. Reading the workload of a failure, or the error of a success, is undefined.
template <class Error>
class workload_or {
public:
    /// A success.
    workload_or(workload made) : made_(std::move(made)) {}
    /// A failure.
    workload_or(Error problem) : error_(std::move(problem)) {}

    /// Whether there is a workload.
    explicit operator bool() const { return made_.has_value(); }
    /// Whether there is a workload.
    bool has_value() const { return made_.has_value(); }

    workload& operator*() { return *made_; }                ///< the workload
    const workload& operator*() const { return *made_; }    ///< the workload
    workload* operator->() { return &*made_; }              ///< the workload
    const workload* operator->() const { return &*made_; }  ///< the workload

    /// The reason why there is no workload.
    const Error& error() const { return error_; }

private:
    std::optional<workload> made_;
    Error error_{};
};

}  // namespace hbm::trace
