#include <cstddef>

#include "compare/read/csv/read.hpp"
#include "compare/read/csv/table.hpp"
#include "compare/text/text.hpp"

namespace hbm::trace {

namespace {

/// Writer of rows under a header with only the columns that the workload uses. Cost: O(rows + operands).
class csv_writer {
public:
    /// Writes `made`, which must outlive the writer.
    explicit csv_writer(const workload& result) : made_(result), timed_(!result.times.empty()) {
        for (const row& entry : made_.rows) {
            tagged_ = tagged_ || entry.tag != 0;
            if (entry.detail == no_detail) continue;
            const detail& more = made_.details[entry.detail];
            inputs_ = inputs_ || more.inputs.count != 0;
            donated_ = donated_ || more.donated.count != 0;
            outputs_ = outputs_ || more.outputs.count != 0;
            scratch_ = scratch_ || more.scratch != 0;
            reload_ = reload_ || more.reload_us != unspecified;
            offset_ = offset_ || entry.what == op::import;
            us_ = us_ || more.us != unspecified;
        }
    }

    /// Returns the whole text.
    std::string write() {
        text_ = timed_ ? "t,op,id,bytes" : "op,id,bytes";
        if (tagged_) text_ += ",tag";
        if (inputs_) text_ += ",inputs";
        if (donated_) text_ += ",donated";
        if (outputs_) text_ += ",outputs";
        if (scratch_) text_ += ",scratch";
        if (reload_) text_ += ",reload_us";
        if (offset_) text_ += ",offset";
        if (us_) text_ += ",us";
        text_ += '\n';
        for (std::size_t at = 0; at < made_.rows.size(); ++at) write_row(at);
        return std::move(text_);
    }

private:
    void write_row(std::size_t at) {
        const row& entry = made_.rows[at];
        if (timed_) {
            append_number(text_, made_.times[at]);
            text_ += ',';
        }
        text_ += op_names[static_cast<std::size_t>(entry.what)];
        text_ += ',';
        if (entry.what != op::sync) text_ += made_.ids[entry.subject];
        text_ += ',';
        const bool sized = entry.what == op::alloc || entry.what == op::load || entry.what == op::import;
        if (sized || (entry.what == op::free && entry.bytes != unspecified)) append_number(text_, entry.bytes);
        if (tagged_) text_ += ',' + made_.tags[entry.tag];
        if (entry.detail != no_detail) write_detail(made_.details[entry.detail], entry.what);
        // Missing trailing cells are empty, so empty trailing cells need not be written.
        while (text_.back() == ',') text_.pop_back();
        text_ += '\n';
    }

    void write_detail(const detail& more, op what) {
        if (inputs_) write_ids(more.inputs);
        if (donated_) write_ids(more.donated);
        if (outputs_) {
            text_ += ',';
            for (std::size_t at = 0; at < more.outputs.count; ++at) {
                const sized_id& output = made_.outputs[more.outputs.first + at];
                text_.append(at == 0 ? "" : " ").append(made_.ids[output.name]) += ':';
                append_number(text_, output.bytes);
            }
        }
        if (scratch_) {
            text_ += ',';
            if (what == op::load) append_number(text_, more.scratch);
        }
        if (reload_) {
            text_ += ',';
            if (more.reload_us != unspecified) append_number(text_, more.reload_us);
        }
        if (offset_) {
            text_ += ',';
            if (what == op::import) append_number(text_, more.offset);
        }
        if (us_) {
            text_ += ',';
            if (more.us != unspecified) append_number(text_, more.us);
        }
    }

    void write_ids(const operand_range& range) {
        text_ += ',';
        for (std::size_t at = 0; at < range.count; ++at) {
            text_.append(at == 0 ? "" : " ").append(made_.ids[made_.operands[range.first + at]]);
        }
    }

    const workload& made_;
    std::string text_;
    bool timed_ = false;
    bool tagged_ = false;
    bool inputs_ = false;
    bool donated_ = false;
    bool outputs_ = false;
    bool scratch_ = false;
    bool reload_ = false;
    bool offset_ = false;
    bool us_ = false;
};

}  // namespace

std::string to_csv(const workload& result) {
    return csv_writer(result).write();
}

}  // namespace hbm::trace
