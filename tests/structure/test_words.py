"""Words that comments, names, pages and printed text avoid, counted by folder: no count exceeds that in words.txt.

A count below its number fails as well, so that the numbers only fall: `python3 tests/structure/test_words.py --write`
writes them anew, unless a column rises. `--show 'include/hbm/.*' begins words` prints the places.
"""

import os
import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(os.environ.get("HBM_SOURCE_DIRECTORY", Path(__file__).parents[2]))
TABLE = Path(__file__).with_name("words.txt")
COLUMNS = {
    "begins": "comments, and sentences of pages, that begin with a word such as What or Whether",
    "words": "words such as `seldom` in comments and pages",
    "names": "variables such as `made` in declarations",
    "printed": "all of these words in string literals",
    "sizes": "sizes in the plural in string literals and pages",
}
HEAD = "folder " + " ".join(COLUMNS)
OPENERS = r"(?:What|Whether|How|Where|Which|Who|Whoever|Why|The same|As above)\b"
BEGIN = re.compile(OPENERS)
# A sentence of a page or a text; a question may begin with any word.
SENTENCE = re.compile(rf"(?:^|(?<=[.:!?] )|(?<=\n)){OPENERS}(?=[^.?!]*(?:[.!]|$))")
WORDS = re.compile(r"\b(?:(?i:be it|of equals|in vain|so many|asked for|seldom|beside)|The same|As above)\b")
SIZES = re.compile(r"(?:\d ?(?:[KMGT](?:iB)?|B|bytes) )(?:are|were|do|have)\b"
                   r"|^ (?:are|were) (?:free|missing|asked|requested|needed|said|short|live|reserved|in memory|padding)\b"
                   r"|^ (?:do not fit|return)\b")
NAME = r"(?:asked|made|found|each|who|of|in|into|some)"
NOT_A_TYPE = {"return", "co_return", "co_yield", "throw", "case", "delete", "else", "goto", "new", "not", "and", "or"}
# A type, perhaps a reference, then the name; `a * made` and `a > made` have a blank in front of the sign.
DECLARATION = re.compile(rf"(?P<type>\w+|(?<=\S)>)(?:[&*]+(?: ?const)?)?\s+{NAME}(?=\s*(?:[,);=:{{\[]|$))")
BINDING = re.compile(r"\bauto(?:&&?)? \[([^]]*)\]")
TOKEN = re.compile(r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<raw>R"(?P<end>[^(\s]*)\(.*?\)(?P=end)")"""
                   r"""|(?P<text>"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])*')|(?P<tick>`(?:\\.|[^`\\])*`)""", re.DOTALL)
SAMPLE = '''/// Whether it is full. The same.
/// What else: asked for, be it so.
int some = 0;  ///< Where it lies
std::vector<int> made = f("Which is" " why", "2M are free"), each(const x& of, y* in) { return found; a * who; }
'''
SAMPLE_COUNTS = {"begins": 2, "words": 3, "names": 4, "printed": 1, "sizes": 1}


def split(text, ticks):
    """Returns the comments, the string literals and the rest of a source file; adjacent pieces are joined."""
    comments, literals, rest = [], [], []
    end, kind = 0, None
    for token in TOKEN.finditer(text):
        if token.group("tick") and not ticks:
            continue
        between = text[end:token.start()]
        rest.append(between)
        group = "comment" if token.group("comment") else "literal"
        words = re.sub(r"^(?:/[/*]+<? ?|R?[\"'`])|(?:\*/|[\"'`])$", "", token.group())
        joined = kind == group and not between.strip() and "\n\n" not in between
        pieces = comments if group == "comment" else literals
        # A trailing comment goes on in the next line only if that holds nothing else.
        if joined and (group == "literal" or not token.group().startswith("///<")):
            pieces[-1] += (" " if group == "comment" else "") + words
        else:
            pieces.append(words)
        rest.append("\n" if group == "comment" else '""')
        end, kind = token.end(), group
    return comments, literals, "".join(rest) + text[end:]


def around(pattern, words):
    """Returns each match with the words that follow it."""
    return [words[match.start():match.end() + 40].replace("\n", " ") for match in pattern.finditer(words)]


def names(code):
    declared = [match.group() for match in DECLARATION.finditer(code) if match["type"] not in NOT_A_TYPE]
    return declared + [name for match in BINDING.finditer(code) for name in re.findall(rf"\b{NAME}\b", match[1])]


def hits_of_source(text, is_script=False):
    comments, literals, code = split(text, is_script)
    printed = [words.replace("\\n", "\n") for words in literals if " " in words]
    return {
        "begins": [words[:60] for words in map(str.strip, comments) if BEGIN.match(words)],
        "words": [hit for words in comments for hit in around(WORDS, words)],
        "names": [] if is_script else names(code),
        "printed": [hit for words in printed for hit in around(SENTENCE, words) + around(WORDS, words)],
        "sizes": [hit for words in printed for hit in around(SIZES, words)]}


def hits_of_page(text):
    # Paragraphs on one line, so that sentences are whole; the cells of tables on lines of their own.
    text = re.sub(r"(?<=[^\n|])\n(?=[a-zA-Z`(])", " ", text).replace("| ", "\n")
    return {"begins": around(SENTENCE, text), "words": around(WORDS, text), "sizes": around(SIZES, text)}


def hits():
    """Returns the places, as texts, by folder and column; a page is a folder of its own."""
    result = {}
    for top in ("README.md", "include", "bench", "examples", "tests"):
        for path in [ROOT / top] if top.endswith(".md") else sorted((ROOT / top).rglob("*")):
            is_page = path.suffix == ".md"
            if not is_page and path.suffix not in (".hpp", ".cpp", ".h", ".in", ".js", ".html"):
                continue
            text = path.read_text(encoding="utf-8")
            found = hits_of_page(text) if is_page else hits_of_source(text, path.suffix in (".js", ".html"))
            place = (path if is_page else path.parent).relative_to(ROOT).as_posix()
            for column, excerpts in found.items():
                if excerpts:
                    row = result.setdefault(place, {column: [] for column in COLUMNS})
                    row[column] += [f"{path.relative_to(ROOT)}: {excerpt}" for excerpt in excerpts]
    return result


def table():
    lines = TABLE.read_text(encoding="utf-8").splitlines() if TABLE.exists() else [HEAD]
    if lines[0].split() != HEAD.split():
        sys.exit(f"{TABLE.name} does not begin with: {HEAD}")
    rows = [line.split() for line in lines[1:]]
    return {row[0]: Counter(dict(zip(COLUMNS, map(int, row[1:])))) for row in rows}


def write(result):
    width = max(map(len, result))
    lines = [" ".join([place.ljust(width)] + [str(own[column]).rjust(len(column)) for column in COLUMNS])
             for place, own in sorted(result.items())]
    TABLE.write_text("\n".join([HEAD.replace("folder", "folder".ljust(width), 1)] + lines) + "\n", encoding="utf-8")


def main():
    sample = {column: len(excerpts) for column, excerpts in hits_of_source(SAMPLE).items()}
    if sample != SAMPLE_COUNTS:
        return [f"the sample in {Path(__file__).name} has {sample}, not {SAMPLE_COUNTS}"]
    places, numbers = hits(), table()
    counts = {place: Counter({column: len(excerpts) for column, excerpts in row.items()})
              for place, row in places.items()}
    if sys.argv[1:] == ["--write"]:
        before, after = sum(numbers.values(), Counter()), sum(counts.values(), Counter())
        risen = [f"{column}: {after[column]}, more than {before[column]}" for column in COLUMNS
                 if numbers and after[column] > before[column]]
        if not risen:
            write(counts)
        return risen
    if sys.argv[1:2] == ["--show"]:
        return [excerpt for place, row in places.items() if re.fullmatch(sys.argv[2], place)
                for column in sys.argv[3:] for excerpt in row[column]]
    errors = []
    for place in sorted(set(counts) | set(numbers)):
        for column, words in COLUMNS.items():
            count, number = counts.get(place, Counter())[column], numbers.get(place, Counter())[column]
            if count > number:
                errors += [f"{place}: {count} {words}, more than {number}:"] + places[place][column]
            elif count < number:
                errors.append(f"{place}: {count} {words}: write {count} for {number}, in {TABLE.name} (or --write)")
    return errors


errors = main()
for error in errors:
    print(error)
sys.exit(1 if errors else 0)
