"""Places in headers where a change of one operator, bound or branch makes sense.

Operands are found by tokens and precedence, not by a compiler. This relies on clang-format: binary operators have
spaces around them, the brackets of template arguments have none inside.
"""

import hashlib
import re

PRECEDENCE = {"*": 5, "/": 5, "%": 5, "+": 6, "-": 6, "<<": 7, ">>": 7, "<=>": 8, "<": 9, "<=": 9, ">": 9, ">=": 9,
              "==": 10, "!=": 10, "&": 11, "^": 12, "|": 13, "&&": 14, "||": 15}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
CHANGES = {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
           "&&": ["||"], "||": ["&&"], "+": ["-"], "-": ["+"], "+=": ["-="], "-=": ["+="],
           "if": ["negated", "always", "never"], "while": ["negated", "never"], "?": ["negated"]}
NEXT_TO_BOUNDS = set("+ - * / % << >> < <= > >= == != += -= =".split())
NO_OPERAND = {"return", "else", "do", "case", "throw"}
NEEDS_CONSTANT = {"constexpr", "static_assert", "decltype", "noexcept", "sizeof", "requires", "alignas", "explicit"}
DECLARES = {"constexpr", "static_assert", "using", "case", "requires", "template", "enum"}
NO_FUNCTION = r"\b(class|struct|enum|union|namespace|concept|consteval)\b|\brequires( \([^()]*\))?$"
OPENING = {"(": ")", "[": "]", "{": "}", "<": ">"}

IGNORED = r"//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:\\\n|[^\n])*"
LITERAL = r'"(?:\\.|[^"\\\n])*"' + r"|(?<!\w)'(?:\\.|[^'\\\n])+'"
TOKEN = re.compile(r"[A-Za-z_]\w*|\d(?:[\w.]|'\d)*|<=>|->|::|\+\+|--|(?<=\s)(?:<<|>>)=?(?=\s)|"
                   r"[-+*/%&|^=!<>]=|&&|\|\||\S")


def blanked(text):
    """Returns the text without comments and preprocessor lines, of equal length."""
    return re.sub(f"(?P<kept>{LITERAL})|{IGNORED}", lambda m: m["kept"] or re.sub(r"[^\n]", " ", m[0]), text,
                  flags=re.S | re.M)


def flat(text):
    return " ".join(text.split())


class Source:
    """Tokens of a header and their brackets."""

    def __init__(self, text):
        self.plain = blanked(text)
        code = re.sub(LITERAL, lambda m: "_" * len(m[0]), self.plain)
        found = list(TOKEN.finditer(code))
        self.token = [m[0] for m in found]
        self.start = [m.start() for m in found]
        self.end = [m.end() for m in found]
        self.spaced = [code[m.start() - 1:m.start()].isspace() and code[m.end():m.end() + 1].isspace() for m in found]
        self.mate = {}
        open_ = []
        for i, t in enumerate(self.token):
            if self.opens(i):
                open_.append(i)
            elif self.closes(i):
                while t != ">" and open_ and self.token[open_[-1]] == "<":
                    open_.pop()
                if open_ and OPENING[self.token[open_[-1]]] == t:
                    self.mate[i] = open_[-1]
                    self.mate[open_.pop()] = i

    def opens(self, i):
        return self.token[i] in "([{" or (self.token[i] == "<" and not self.spaced[i])

    def closes(self, i):
        return self.token[i] in ")]}" or (self.token[i] == ">" and not self.spaced[i])

    def level(self, i):
        """Returns the precedence of a binary operator, 0 for other tokens."""
        return PRECEDENCE.get(self.token[i], 0) if self.spaced[i] else 0

    def is_word(self, i):
        return re.match(r"\w", self.token[i]) is not None

    def left(self, i, level):
        """Returns the first token of the operand to the left of token i, an operator of this precedence."""
        first, j = i, i - 1
        while j >= 0:
            t = self.token[j]
            is_prefix = self.token[first] in ("!", "~", "*", "-", "&", "++", "--") and not self.spaced[first]
            if self.closes(j):
                if j not in self.mate or (first < i and (self.is_word(first) or is_prefix)):
                    break  # the end of a condition or attribute before a statement
                j = self.mate[j]
            elif self.opens(j) or t in ",;?:" or t in ASSIGNMENTS or t in NO_OPERAND or self.level(j) > level:
                break
            elif self.is_word(j) and first < i and self.is_word(first) and t != "sizeof":
                break
            first, j = j, j - 1
        return first

    def right(self, i, level):
        """Returns the last token of the operand to the right; of an assignment, all that it assigns."""
        last, j, is_assigned = i, i + 1, self.token[i] in ASSIGNMENTS
        while j < len(self.token):
            t = self.token[j]
            is_end = (t in "?:" or t in ASSIGNMENTS or self.level(j) >= level) and not is_assigned
            if self.closes(j) or t in ",;" or is_end:
                break
            after = last > i and self.token[last] != "sizeof" and (self.is_word(last) or self.closes(last))
            if self.opens(j):
                if j not in self.mate or (t == "{" and not (after and self.token[last] not in ")]}")):
                    break
                j = self.mate[j]
            elif self.is_word(j) and after:
                break
            last, j = j, j + 1
        return last

    def function_before(self, begin, end):
        """Returns the name of the function whose body begins after these tokens, if one does."""
        header = re.sub(r"\[ \[.*?\] \]", "", " ".join(self.token[begin:end]))
        while re.search(r"<[^<>]*>", header):
            header = re.sub(r"<[^<>]*>", "", header)
        names = [n for n in re.findall(r"(operator \S+(?: \))?|\w+) \(", header)
                 if n not in NEEDS_CONSTANT | {"if", "for", "while", "switch"}]
        return names[0].replace(" ", "") if names and not re.search(NO_FUNCTION, header) else None

    def places(self):
        """Yields (kind, first token, last token, operator token, function) of each place in a function."""
        functions, begins, open_, begin = [None], [], [], 0  # `begin`: of a statement
        for i, t in enumerate(self.token):
            if t == "{":
                functions.append(functions[-1] or self.function_before(begin, i))
                begins.append(begin)
            while self.closes(i) and open_ and self.mate.get(i) != open_[-1]:
                open_.pop()
            if self.mate.get(i, -1) > i:
                open_.append(i)
            elif i in self.mate and open_:
                open_.pop()
            if t == "{" or (t == ";" and "(" not in (self.token[o] for o in open_)):
                begin = i + 1
            elif t == "}":
                before = self.token[max(self.mate.get(i, i) - 1, 0)]
                functions.pop()
                outer = begins.pop() if begins else 0
                is_initialiser = re.fullmatch(r"[=,(<>]|(?!(?:else|do|try|const|noexcept|override)\b)\w+", before)
                begin = outer if functions[-1] and is_initialiser else i + 1
            if functions[-1] and self.is_at_run_time(begin, i, open_):
                yield from ((*place, i, functions[-1]) for place in self.places_at(i))

    def is_at_run_time(self, begin, i, open_):
        """Returns false where the compiler needs a constant, which a switch cannot change."""
        declares = DECLARES.intersection(self.token[begin:min(begin + 3, i)]) and self.token[begin] != "if"
        return not declares and not any(
            self.token[o] == "<" or (self.token[o] == "(" and self.token[o - 1] in NEEDS_CONSTANT) for o in open_)

    def places_at(self, i):
        t = self.token[i]
        if t in CHANGES and t != "?" and self.spaced[i] and not self.is_word(i):
            first, last = self.left(i, PRECEDENCE.get(t, 16)), self.right(i, PRECEDENCE.get(t, 16))
            if first < i < last:
                yield "operator", first, last
        elif t in ("if", "while") and self.token[i + 1] == "(" and i + 1 in self.mate:
            first, last, j = i + 2, self.mate[i + 1] - 1, i + 2
            while j <= last:
                first = j + 1 if self.token[j] == ";" else first  # after the declaration of a condition
                j = self.mate[j] + 1 if self.mate.get(j, 0) > j else j + 1
            if first <= last and "=" not in self.token[first:last + 1] and self.token[first] not in ("true", "false"):
                yield "branch", first, last
        elif t == "?" and self.spaced[i] and self.left(i, 15) < i:
            yield "branch", self.left(i, 15), i - 1
        elif re.fullmatch(r"\d[\d']*[uUlLzZ]*", t):
            near = [self.token[j] for j in (i - 1, i + 1) if self.spaced[j]]
            if NEXT_TO_BOUNDS.intersection(near) or self.token[i - 1] == "return":
                yield "bound", i, i


def find(path, text, seed):
    """Returns the number of lines with code, and a mutant for each place with all that finds it again elsewhere."""
    source, mutants, seen = Source(text), [], {}
    lines = [flat(line) for line in source.plain.split("\n")]
    for kind, first, last, at, function in source.places():
        number, original = source.plain.count("\n", 0, source.start[at]), source.token[at]
        begin, end = source.start[first], source.end[last]
        if original in ("+", "+=") and re.search(r'"|to_string|^text_? \+=', text[begin:end]):
            continue  # strings have no difference
        identity = [path.name, function, kind, original, lines[number], flat(source.plain[begin:end])]
        seen[tuple(identity)] = ordinal = seen.get(tuple(identity), 0) + 1
        key = hashlib.sha256(repr([seed, ordinal, identity]).encode()).hexdigest()
        if kind == "bound":
            digits, suffix = re.fullmatch(r"([\d']+)(\D*)", original).groups()
            value = int(digits.replace("'", ""))
            replacement = f"{value + 1 if value == 0 or int(key[-1], 16) % 2 == 0 else value - 1}{suffix}"
        else:
            replacement = CHANGES[original][int(key[-4:], 16) % len(CHANGES[original])]
        mutants.append({"file": str(path), "line_number": number + 1, "function": function, "kind": kind,
                        "original": original, "replacement": replacement, "line": lines[number],
                        "column": lines[number].find(original), "expression": identity[-1], "ordinal": ordinal,
                        "before": next((line for line in lines[:number][::-1] if line), ""),
                        "after": next((line for line in lines[number + 1:] if line), ""), "key": key,
                        "height": 1 + source.plain[begin:end].count("\n"),
                        "place": [begin, source.start[at], source.end[at], end]})
    return sum(line != "" for line in lines), mutants


def rewritten(text, mutants):
    """Returns the text with each mutant as a switch between the changed and the original expression."""
    plain = blanked(text)
    for mutant in sorted(mutants, key=lambda m: m["place"], reverse=True):
        begin, at, after, end = mutant["place"]
        was, now = text[begin:end], mutant["replacement"]
        if mutant["kind"] == "operator":
            now = flat(f"{plain[begin:at]}{now}{plain[after:end]}")
        elif mutant["kind"] == "branch":
            now = {"negated": f"!({flat(plain[begin:end])})", "always": "true", "never": "false"}[now]
            was = f"static_cast<bool>({was})"
        text = f"{text[:begin]}(::hbm_mutant_is({mutant['number']}) ? ({now}) : ({was})){text[end:]}"
    return text
