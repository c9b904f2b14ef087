#pragma once

// A reader of the text format of Prometheus that shares nothing with the writer.

#include <cctype>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

/// What a text says; the first mistake is thrown.
class exposition {
public:
    explicit exposition(std::string_view text) {
        if (text.empty() || text.back() != '\n') throw std::runtime_error("the last line does not end");
        while (!text.empty()) {
            const std::size_t end = text.find('\n');
            read_line(text.substr(0, end));
            text.remove_prefix(end + 1);
        }
    }

    /// The value of a sample; "" if there is none. Labels in alphabetical order, not escaped: `name{a=1,b=2}`.
    [[nodiscard]] std::string operator[](const std::string& sample) const {
        const auto found = samples_.find(sample);
        return found == samples_.end() ? std::string() : found->second;
    }
    [[nodiscard]] std::string type_of(const std::string& metric) const {
        const auto found = types_.find(metric);
        return found == types_.end() ? std::string() : found->second;
    }
    [[nodiscard]] std::size_t size() const { return samples_.size(); }

private:
    void read_line(std::string_view line) {
        line_ = line;
        if (line.starts_with("# HELP ")) {
            take("# HELP ");
            require(helped_.insert(name()).second, "help twice");
            return;
        }
        if (line.starts_with("# TYPE ")) {
            take("# TYPE ");
            current_ = name();
            take(" ");
            require(line_ == "gauge" || line_ == "counter", "an unknown type");
            require(types_.emplace(current_, std::string(line_)).second, "a type twice");
            require((line_ == "counter") == current_.ends_with("_total"),
                    "a counter ends in _total, and only a counter");
            return;
        }
        const std::string metric = name();
        require(metric == current_, "samples of a metric stand together, below their type");
        std::map<std::string, std::string> labels;
        if (line_.starts_with('{')) {
            for (char before = '{'; before != '}';) {
                take(std::string_view(&before, 1));
                std::string label = name();
                take("=\"");
                require(labels.emplace(label, value()).second, "a label twice");
                require(line_.starts_with(',') || line_.starts_with('}'), "a comma or a bracket");
                before = line_.front();
            }
            take("}");
        }
        take(" ");
        require(!line_.empty() && line_.find_first_not_of("0123456789.+Inf") == std::string_view::npos, "a number");
        std::string key = metric;
        for (const auto& [label, text] : labels) key += (key == metric ? "{" : ",") + label + '=' + text;
        if (!labels.empty()) key += '}';
        require(samples_.emplace(key, std::string(line_)).second, "a sample twice");
    }

    std::string name() {
        std::size_t length = 0;
        while (length < line_.size() &&
               (std::isalnum(static_cast<unsigned char>(line_[length])) || line_[length] == '_'))
            ++length;
        require(length != 0 && !std::isdigit(static_cast<unsigned char>(line_[0])), "a name");
        std::string made(line_.substr(0, length));
        line_.remove_prefix(length);
        return made;
    }
    std::string value() {
        std::string made;
        for (;;) {
            require(!line_.empty(), "a value that ends");
            const char each = line_.front();
            line_.remove_prefix(1);
            if (each == '"') return made;
            if (each != '\\') {
                made += each;
                continue;
            }
            require(!line_.empty() && (line_[0] == 'n' || line_[0] == '"' || line_[0] == '\\'), "an escape");
            made += line_[0] == 'n' ? '\n' : line_[0];
            line_.remove_prefix(1);
        }
    }
    void take(std::string_view text) {
        require(line_.starts_with(text), "another text");
        line_.remove_prefix(text.size());
    }
    void require(bool good, const char* what) const {
        if (!good) throw std::runtime_error(what + (": " + std::string(line_)));
    }

    std::string_view line_;
    std::string current_;
    std::set<std::string> helped_;
    std::map<std::string, std::string> types_;
    std::map<std::string, std::string> samples_;
};
