"""Markdown pages: README.md reaches all of them, links and anchors resolve, headers and source paths that are named exist."""

import os
import re
import sys
from pathlib import Path

ROOT = Path(os.environ["HBM_SOURCE_DIRECTORY"])
SKIPPED = {"build", ".git"}
GENERATED = {"build/single/hbm.hpp", "hbm_report.hpp"}
LINK = re.compile(r"\]\(([^)\s]+)\)")
INCLUDE = re.compile(r"#include\s*[<\"]((?:hbm/|compare/|micro/|hbm_)[^>\"]+)[>\"]")
# A path in backquotes that names one of our folders.
NAMED_PATH = re.compile(r"`((?:include/hbm|bench|examples|tests|hbm|compare|micro)/[\w./-]*\w/?)`")
PREFIXES = ("", "include", "bench", "tests")
# The name of a file, or the end of its path.
NAMED_FILE = re.compile(r"`([\w/]+\.(?:hpp|cpp|cmake|js|css))`")


def pages():
    for path in sorted(ROOT.rglob("*.md")):
        if not SKIPPED & set(path.relative_to(ROOT).parts):
            yield path


def anchors(page):
    """Anchors of a page's headings, made as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    found = set()
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        found.add(re.sub(r"[^\w\- ]", "", heading).replace(" ", "-"))
    return found


def link_error(page, link):
    if re.match(r"\w+:", link):
        return ""
    target, _, anchor = link.partition("#")
    path = (page.parent / target).resolve() if target else page
    if not path.exists():
        return f"links to {link}, which does not exist"
    if anchor and path.suffix == ".md" and anchor not in anchors(path):
        return f"links to {link}, which has no such heading"
    return ""


FILES = [f"/{path.relative_to(ROOT).as_posix()}" for folder in ("include", "bench", "examples", "tests")
         for path in (ROOT / folder).rglob("*.*")]


def is_there(name):
    return any((ROOT / prefix / name).exists() for prefix in PREFIXES)


def errors_of(page):
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        place = f"{page.relative_to(ROOT)}:{number}"
        for link in LINK.findall(line):
            if error := link_error(page, link):
                yield f"{place}: {error}"
        for header in INCLUDE.findall(line):
            if not is_there(header):
                yield f"{place}: includes {header}, which does not exist"
        for name in NAMED_PATH.findall(line):
            if not is_there(name):
                yield f"{place}: names {name}, which does not exist"
        for name in NAMED_FILE.findall(line):
            if name not in GENERATED and not any(path.endswith(f"/{name}") for path in FILES):
                yield f"{place}: names {name}, which does not exist"


def unreached():
    """Returns the pages that no chain of links from README.md reaches."""
    reached, front = set(), {ROOT / "README.md"}
    while front:
        reached |= front
        links = {(page.parent / link.partition("#")[0]).resolve() for page in front
                 for link in LINK.findall(page.read_text(encoding="utf-8"))}
        front = {link for link in links if link.suffix == ".md" and link.is_file()} - reached
    return [page for page in pages() if page.resolve() not in {page.resolve() for page in reached}]


found = [error for page in pages() for error in errors_of(page)]
found += [f"{page.relative_to(ROOT)}: no link leads here from README.md" for page in unreached()]
for error in found:
    print(error)
if not any(pages()):
    sys.exit("no pages were found")
sys.exit(1 if found else 0)
