#pragma once

/// Text from files, made safe for the page.

#include <string>
#include <string_view>

namespace hbm::compare {

/// The text for an element or a quoted attribute of HTML. Bytes that are not valid UTF-8, control characters other than
/// the end of a line, and characters that turn the direction of writing become the replacement character. O(bytes).
[[nodiscard]] std::string html_text(std::string_view text);

/// JSON for a script element: nothing in it can end the element. O(bytes).
[[nodiscard]] std::string json_in_html(std::string_view json);

/// A name of policies for HTML, with places where a line may break: after `/`, `_`, `:`, `,` and `=`, and before `<`.
/// O(bytes).
[[nodiscard]] std::string html_name(std::string_view name);

}  // namespace hbm::compare
