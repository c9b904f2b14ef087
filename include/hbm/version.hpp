#pragma once

/// The version of the library, as macros for `#if` and as constants. Before 1.0 a minor version may break source code.

#define HBM_VERSION_MAJOR 0
#define HBM_VERSION_MINOR 1
#define HBM_VERSION_PATCH 0
/// One number to compare: 10,000 a major version, 100 a minor version.
#define HBM_VERSION (HBM_VERSION_MAJOR * 10000 + HBM_VERSION_MINOR * 100 + HBM_VERSION_PATCH)
/// The version as text, such as "0.1.0".
#define HBM_VERSION_STRING HBM_DETAIL_TEXT(HBM_VERSION_MAJOR.HBM_VERSION_MINOR.HBM_VERSION_PATCH)
#define HBM_DETAIL_TEXT(words) HBM_DETAIL_TEXT_OF(words)
#define HBM_DETAIL_TEXT_OF(words) #words

namespace hbm::inline v0 {

/// The version as one number, like `HBM_VERSION`.
inline constexpr int version = HBM_VERSION;

}  // namespace hbm::inline v0
