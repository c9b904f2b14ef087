#pragma once

/// Text from files, made safe for the page.

#include <string>
#include <string_view>

namespace hbm::compare {

/// Returns the text for an element or a quoted attribute of HTML. Bytes that are not valid UTF-8 become the replacement
/// character; so do control characters, except line feeds, and characters that turn the direction of writing.
/// Cost: O(bytes).
[[nodiscard]] std::string html_text(std::string_view text);

/// Returns JSON for a script element: nothing in it can end the element. Cost: O(bytes).
[[nodiscard]] std::string json_in_html(std::string_view json);

/// Returns a name of policies for HTML. Lines may break after `/`, `_`, `:`, `,`, `=` and `+`, and before `<`.
/// Cost: O(bytes).
[[nodiscard]] std::string html_name(std::string_view name);

}  // namespace hbm::compare
