"""The version: the headers, meson.build, README.md and the list of changes name the same one, and each name of the
library lies in the inline namespace of its major version."""

import os
import re
from pathlib import Path

ROOT = Path(os.environ["HBM_SOURCE_DIRECTORY"])


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


numbers = dict(re.findall(r"^#define HBM_VERSION_(MAJOR|MINOR|PATCH) (\d+)$", text("include/hbm/version.hpp"), re.MULTILINE))
version = ".".join(numbers[part] for part in ("MAJOR", "MINOR", "PATCH"))
minor = version.rpartition(".")[0]
expected = {
    "meson.build": f"version: '{version}'",
    "README.md": f"**Version {version}**",
    "examples/CHANGES.md": f"\n## {version}",
}
mistakes = [f"{path}: expected `{words.strip()}`" for path, words in expected.items() if words not in text(path)]
mistakes += [f"README.md: find_package names {found}, the version is {minor}"
             for found in re.findall(r"find_package\(hbm ([\d.]+)", text("README.md")) if found != minor]
for path in sorted((ROOT / "include/hbm").rglob("*.hpp")):
    mistakes += [f"{path.relative_to(ROOT)}: expected `namespace hbm::inline v{numbers['MAJOR']}`, found `{found}`"
                 for found in re.findall(r"^namespace hbm\b.*", path.read_text(encoding="utf-8"), re.MULTILINE)
                 if not re.match(rf"namespace hbm::inline v{numbers['MAJOR']}\b", found)]
if mistakes:
    raise SystemExit("\n".join(mistakes))
print(f"version {version}")
