#include "compare/answers/layout.hpp"

#include "compare/read/csv/write.hpp"
#include "compare/read/imported_file.hpp"
#include "compare/read/torch/snapshot.hpp"
#include "compare/read/torch/snapshot_layout.hpp"

namespace hbm::compare {

std::string write_layout(const std::string& path, const std::string& device, std::string& csv,
                         std::vector<std::string>& warnings) {
    const imported::outcome<imported_file> file = read_imported_file(path);
    if (!file) return file.error().message();
    if (file->kind != imported::file_kind::snapshot)
        return trace::read_error{path, 0, 0, std::string(imported::kind_in_words(file->kind)),
                                 "a memory snapshot of PyTorch: no other file says where buffers lie"}
            .message();
    const imported::outcome<imported::memory_snapshot> snapshot = imported::read_snapshot(file->text, path);
    if (!snapshot) return snapshot.error().message();
    const trace::read_result made = imported::layout_of(*snapshot, path, device);
    if (!made) return made.error().message();
    for (const std::string& each : made->notes) warnings.push_back(path + ": " + each);
    csv = trace::to_csv(*made);
    return {};
}

}  // namespace hbm::compare
