"""Snippets of README.md and the guide: C++ compiles and runs, commands run, and both print the text that follows them.

The pictures of the guide are those that examples/19_pictures.cpp draws.
`--program FILE` writes the C++ snippets of all pages as one program, which the build compiles. `--write` renews texts and pictures.
A text that ends with a line `...` shows the first lines of the output.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(os.environ.get("HBM_SOURCE_DIRECTORY", Path(__file__).parents[2]))
EXAMPLES = ROOT / "examples"
PAGES = [ROOT / "README.md", EXAMPLES / "README.md", *sorted((EXAMPLES / "guide").glob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
LANGUAGES = {"cpp", "sh", "python", "cmake", "ini", "csv", "text"}
# The beginning of a snippet that belongs to namespace scope, after its includes and comments.
DECLARATION = re.compile(r"(?:struct|class|template|using \w+ =|static_assert|inline|constexpr)\b")
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
END = "\x1e"  # printed after each snippet whose output is shown


def name_of(page):
    return re.sub(r"\W", "_", page.relative_to(ROOT).with_suffix("").as_posix())


def snippets(page):
    """Returns language, text, begin and end of each snippet, and whether a text follows that shows its output."""
    result = [[match[1], match[2], match.start(2), match.end(2)] for match in FENCE.finditer(page.read_text(encoding="utf-8"))]
    for at, snippet in enumerate(result):
        snippet.append(at + 1 < len(result) and result[at + 1][0] == "text")
    return result


def uses_compare(text):
    return "hbm_compare.hpp" in text


def program():
    """Returns the C++ snippets as one program: a function for each page; its argument is the name of the page."""
    includes, namespaces, rows = {"<cassert>", "<cstdio>", "<string_view>"}, [], []
    for page in PAGES:
        declarations, statements = [], []
        for number, (language, text, *_, is_shown) in enumerate(snippets(page)):
            if language != "cpp" or uses_compare(text):
                continue
            includes.update(re.findall(r"^#include (\S+).*\n", text, re.MULTILINE))
            text = re.sub(r"^(?:#include .*|using namespace hbm::literals;)\n", "", text, flags=re.MULTILINE)
            if "int main(" in text:
                text = text.replace("int main(", "int main_function(").rstrip().removesuffix("}") + "return 0;\n}\n"
                declarations.append(f"namespace program_{number} {{\n{text}}}\n")
                statements.append(f"if (program_{number}::main_function() != 0) return 1;\n")
            elif DECLARATION.match(re.sub(r"^(?:\s*//.*\n|\s*\n)*", "", text)):
                declarations.append(text)
            else:
                statements.append(text)
            if is_shown:
                statements.append('std::printf("\\x1e");\n')
        page_name = name_of(page)
        if declarations or statements:
            namespaces.append(f"namespace {page_name} {{\n{''.join(declarations)}int page() {{\n{''.join(statements)}"
                              f"return 0;\n}}\n}}  // namespace {page_name}\n")
            rows.append(f'    if (name == "{page_name}") return {page_name}::page();\n')
    return ("#undef NDEBUG\n" + "".join(f"#include {header}\n" for header in sorted(includes)) +
            "using namespace hbm::literals;\n" + "".join(namespaces) +
            "int main(int count, char** arguments) {\n    const std::string_view name = count > 1 ? arguments[1] : \"\";\n" +
            "".join(rows) + "    return 2;\n}\n")


def outputs(page):
    """Returns the index and the output of each snippet that is followed by a text, as far as its program is there."""
    result = {}
    shown = [(at, snippet) for at, snippet in enumerate(snippets(page)) if snippet[4] and snippet[0] in ("cpp", "sh")]
    cpp = [at for at, snippet in shown if snippet[0] == "cpp"]
    if os.environ.get("HBM_GUIDE"):
        run = subprocess.run([os.environ["HBM_GUIDE"], name_of(page)], capture_output=True, text=True, check=False)
        has_cpp = any(snippet[0] == "cpp" and not uses_compare(snippet[1]) for snippet in snippets(page))
        if has_cpp and run.returncode != 0:
            sys.exit(f"{page}: the snippets return {run.returncode}\n{run.stdout}{run.stderr}")
        result.update(zip(cpp, run.stdout.split(END)))
    if "HBM_COMPARE" in os.environ:
        folder = os.path.dirname(os.environ["HBM_COMPARE"])
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "COLUMNS": "120"}
        for at, snippet in shown:
            if snippet[0] == "sh":
                with tempfile.TemporaryDirectory() as scratch:
                    result[at] = subprocess.run(["bash", "-c", snippet[1]], capture_output=True, text=True, check=False,
                                                cwd=scratch, env=environment).stdout
    return result


def renewed(text, output):
    """Returns the text that the page should have in place of `text`."""
    lines = output.strip("\n").split("\n")
    if text.endswith("...\n"):
        lines = lines[:text.count("\n") - 1] + ["..."]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def errors_of(page, writes):
    text = page.read_text(encoding="utf-8")
    parts = snippets(page)
    help_text = ""
    if "HBM_COMPARE" in os.environ:
        help_text = subprocess.run([os.environ["HBM_COMPARE"], "--help"], capture_output=True, text=True, check=True).stdout
    for language, snippet, *_ in parts:
        if language not in LANGUAGES:
            yield f"a snippet of an unknown language: {snippet[:40]!r}"
        if language == "cpp" and uses_compare(snippet) and not set(re.findall(r"hbm::compare::\w+", snippet)) <= set(
                re.findall(r"hbm::compare::\w+", (EXAMPLES / "06_compare_own_policy.cpp").read_text(encoding="utf-8"))):
            yield f"example 06 does not have: {snippet[:80]!r}"
        if language == "python":
            compile(snippet, str(page), "exec")
    if help_text:
        lines = [match.group() for match in re.finditer(r"\bhbm_compare -[^\n]*(?:\\\n[^\n]*)*|`--[^`\n]+`", text)]
        for option in sorted({option for line in lines for option in OPTION.findall(line)} - OTHER_OPTIONS):
            if not re.search(rf"(?<![\w-]){option}(?![\w-])", help_text):
                yield f"hbm_compare has no option {option}"
    if page.parent.name == "guide" and not any(language in ("cpp", "sh") for language, *_ in parts):
        yield "no snippet that is checked"
    for at, output in sorted(outputs(page).items(), reverse=True):
        _, shown, begin, end, _ = parts[at + 1]
        if shown != (wanted := renewed(shown, output)):
            if not writes:
                yield f"the output of a snippet differs (test_guide.py --write renews it):\n{wanted}"
            text = text[:begin] + wanted + text[end:]
    if writes:
        page.write_text(text, encoding="utf-8")


def picture_errors(writes):
    """Compares the pictures in the repository with those that the example draws, if that is built."""
    if "HBM_PICTURES" not in os.environ:
        return
    draw = lambda *name: subprocess.run([os.environ["HBM_PICTURES"], *name], capture_output=True, text=True, check=True).stdout
    folder = EXAMPLES / "guide" / "pictures"
    names = draw().split()
    if {path.stem for path in folder.iterdir()} != set(names):
        yield f"{folder} does not hold just these pictures: {' '.join(names)}"
    for name in names:
        path = folder / f"{name}.svg"
        if writes:
            path.write_text(draw(name), encoding="utf-8")
        elif path.read_text(encoding="utf-8") != draw(name):
            yield f"{path} is not what 19_pictures draws (test_guide.py --write renews it)"


# Options of other programs that pages name.
OTHER_OPTIONS = {"--cflags", "--preset", "--target", "--workflow", "--build", "--install", "--xla_dump_to",
                 "--demo", "--optimizer-steps", "--epochs"}

if sys.argv[1:2] == ["--program"]:
    Path(sys.argv[2]).write_text(program(), encoding="utf-8")
    sys.exit(0)
writing = sys.argv[1:] == ["--write"]
errors = [f"{page.relative_to(ROOT)}: {error}" for page in PAGES for error in errors_of(page, writing)]
errors += picture_errors(writing)
sys.exit("\n".join(errors) if errors else 0)
