#!/usr/bin/env python3
"""Checks that comments, texts, pages and declared names are written in plain language.

    check.py                     check everything; exit 1 where a ceiling is passed
    check.py --table             print the counts by module, and do not check
    check.py --list ROW [PATH]   print each place that a row counts, under PATH
    check.py --top N [PATH]      print the N files with most findings, under PATH

The rows, their ceilings and the verbs are in `ceilings.json` and `verbs.txt` beside this file. A row of words counts
a phrase per 10,000 words. The rows of the documentation are:

    wh-summary      per cent of the summaries that begin with What, Who, Where, How or Which
    verb-summary    per cent of the summaries of public functions that begin with a verb of `verbs.txt`, at least
    undocumented    public symbols without a comment
    long            comment lines of more than 100 columns
    comment-words   words of comments per 1,000 lines of code, at least

A row of names counts a word in the names of types, functions, properties, cases and parameters, per 10,000 names. Lower
its ceiling when the count has fallen.
"""
import json, os, re, sys
from collections import Counter

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# Phrases that make a sentence hard to read at first sight.
ROWS = {
    'who': r"\b(who|whoever|whom|whose)\b",
    'somebody': r"\b(somebody|someone|nobody|anybody|anyone|everybody|everyone)\b",
    'told': r"\b(is|are|was|were|be|been|being|gets?|has|have|not|never|also|only|then) told\b"
            r"|\btells? (of|it|them|him|who|what|whether)\b|\btelling of\b|\bhears?\b|\bheard\b",
    'stand': r"\b(stands?|stood)\b",
    'behind': r"\bbehind\b",
    'what-is': r"\bwhat (is|was|are|were|has|have|had|it|they|comes?|came|goes|stands?|lies|remains|there)\b",
    'by-which': r"\b(of|in|by|from|with|to|behind|before|at|on) which\b",
    'so-many': r"\bso (many|much|long|far|often)\b",
    'another': r"\b(is|are|was|were|has become|becomes) (another|others|something else|none)\b",
    'comes-to': r"\b(comes?|came|goes|went|taken|takes?|given|gives?|made) (to|by|back|anew|in|over|from)\b",
    'it-is-to': r"\b(is|are|was|were) to (be|have|come|go|hear|wait|begin|lead|make|take|ask|show|know|do)\b",
    'in-vain': r"\b(in vain|dear|worth its while|anew|by itself|of its own|at the most|at the least|as it were"
               r"|thereof|therein|hence)\b",
    'same': r"^\s*(The same|Likewise|As above)\b",
}
# Words in names that a reader has to learn, because they have several meanings or are not those of the field.
NAMES = [
    'place', 'text', 'kept', 'whole', 'wanted', 'unwanted', 'twin', 'asked', 'tends', 'look', 'passed', 'misunderstood',
    'told', 'hear', 'settle', 'misfit',
]
DECLARED = re.compile(
    r'\b(?:let|var|func|case|struct|class|enum|protocol|actor|typealias|associatedtype|macro)\s+`?([A-Za-z_]\w*)')
PARAMETER = re.compile(r'[(,]\s*`?([a-z_]\w*)`?(?:\s+`?([a-z_]\w*)`?)?\s*:')
PHRASES = {row: re.compile(pattern, re.I) for row, pattern in ROWS.items()}
WH = re.compile(
    r"^(What|Who|Whose|Whoever|Where|When|Whether|How|Which|Why|As what|By (what|which|how)"
    r"|From (what|which|where|how)|To (what|which)|Of (what|which)|In which|At which|Up to)\b", re.I)
WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*")
CODE = re.compile(r'`[^`]*`')

# Members that a protocol of the standard library or of Foundation documents.
INHERITED = re.compile(
    r"(func (==|!=|<|>|<=|>=|hash|encode|makeIterator|makeAsyncIterator|next|index|formIndex|distance|callAsFunction)\b"
    r"|func (==|<)|init\(from\b|init\((string|integer|float|boolean|array|dictionary|nil|unicodeScalar|extended\w+)Literal"
    r"|var (description|debugDescription|customMirror|hashValue|startIndex|endIndex|count|isEmpty|errorDescription|"
    r"failureReason|recoverySuggestion|rawValue|id)\b|init\??\(rawValue\b|typealias \w+|subscript\(position\b"
    r"|init\(stringLiteral|static var allCases\b)")
MODIFIERS = r"(?:(?:static|final|class|mutating|nonmutating|consuming|borrowing|override|convenience|required|indirect|nonisolated|isolated|lazy|weak|unowned|private\(set\)|package\(set\)|internal\(set\))\s+)*"
DECLARATION = re.compile(
    r"^(\s*)(?:@[\w.]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?\s+)*(public|open)\s+" + MODIFIERS +
    r"(func|init|subscript|var|let|struct|class|enum|actor|protocol|typealias|associatedtype|macro)\b(.*)$")
MEMBER = re.compile(
    r"^(\s*)(?:@[\w.]+(?:\([^()]*\))?\s+)*" + MODIFIERS + r"(func|init|subscript|var|associatedtype|case)\b(.*)$")


def files(ending, *folders):
    for folder in folders:
        for root, names, found in os.walk(os.path.join(ROOT, folder)):
            names[:] = sorted(n for n in names if n not in ('.build', '.git'))
            for name in sorted(found):
                if name.endswith(ending):
                    yield os.path.relpath(os.path.join(root, name), ROOT)


class Counts:
    """What is counted in some files, and the places."""

    def __init__(self):
        self.numbers = Counter()
        self.places = {}

    def add(self, row, path, line, text):
        self.numbers[row] += 1
        self.places.setdefault(row, []).append((path, line, text.strip()))

    def words(self, path, line, text):
        """Counts the phrases of a text."""
        self.numbers['words'] += len(WORD.findall(text))
        plain = CODE.sub('', text)
        for row, pattern in PHRASES.items():
            for _ in pattern.findall(plain):
                self.add(row, path, line, text)

    def rows(self):
        words = max(self.numbers['words'], 1)
        shown = {row: round(self.numbers[row] * 1e4 / words, 1) for row in ROWS}
        if self.numbers['summaries']:
            shown['wh-summary'] = round(100 * self.numbers['wh-summary'] / self.numbers['summaries'], 1)
            shown['verb-summary'] = round(
                100 - 100 * self.numbers['verb-summary'] / max(self.numbers['public functions'], 1), 1)
            shown['undocumented'] = self.numbers['undocumented']
        if self.numbers['names']:
            return {row: round(self.numbers[row] * 1e4 / self.numbers['names'], 1) for row in NAMES}
        if self.numbers['code']:
            shown['long'] = self.numbers['long']
            shown['comment-words'] = round(1000 * words / self.numbers['code'])
        return shown


def swift(path, verbs):
    """The counts of the comments of a Swift file."""
    counts = Counts()
    lines = open(os.path.join(ROOT, path), encoding='utf-8').read().split('\n')
    documentation, previous, quoted = None, None, False
    attribute, isUnavailable = '', False
    enclosing = []  # (indentation, whether members without `public` are public)
    for number, line in enumerate(lines, 1):
        comment = None if quoted else re.match(r'\s*(///?)(?!/)\s?(.*)$', line)
        if comment:
            counts.words(path, number, comment.group(2))
            if len(line) > 100:
                counts.add('long', path, number, line)
            if comment.group(1) == '///':
                if previous != number - 1:
                    documentation = comment.group(2)
                    if not documentation.startswith('-'):
                        counts.numbers['summaries'] += 1
                        if WH.match(CODE.sub('', documentation).strip()):
                            counts.add('wh-summary', path, number, documentation)
                previous = number
            continue
        if line.count('"""') % 2 == 1:
            quoted = not quoted
        if not line.strip():
            documentation = None
            continue
        counts.numbers['code'] += 1
        if quoted:
            continue
        trailing = re.search(r'(?<![:"/])//\s(.*)$', line)
        if trailing and line.count('"', 0, trailing.start()) % 2 == 0:
            counts.words(path, number, trailing.group(1))
        outside = re.sub(r'"[^"]*"', '""', line)
        if attribute or re.match(r'\s*@', line) and not re.search(r'\b(public|open|func|var|let|case|init)\b', outside):
            # An attribute can have several lines.
            attribute += line
            isUnavailable = isUnavailable or 'unavailable' in line
            if attribute.count('(') == attribute.count(')'):
                attribute = ''
            continue
        indent = len(line) - len(line.lstrip())
        while enclosing and indent <= enclosing[-1][0]:
            enclosing.pop()
        found = DECLARATION.match(line)
        if not found and enclosing and enclosing[-1][1] and indent == enclosing[-1][0] + 2:
            member = MEMBER.match(line)
            if member and (enclosing[-1][1] == 'protocol' or member.group(2) == 'case'):
                found = member
                kind, rest = member.group(2), member.group(3)
            else:
                found = None
        elif found:
            kind, rest = found.group(3), found.group(4)
        if found:
            if kind in ('enum', 'protocol') and line.rstrip().endswith('{'):
                enclosing.append((indent, kind))
            whole = kind + rest if kind in ('init', 'subscript') else kind + ' ' + rest.strip()
            inherited = INHERITED.search(whole)
            if documentation is None and not inherited and '@_spi' not in line:
                counts.add('undocumented', path, number, line)
            # An unavailable function is the name of something else.
            if kind == 'func' and documentation is not None and not isUnavailable:
                counts.numbers['public functions'] += 1
                first = (WORD.findall(CODE.sub('x', documentation)) or [''])[0]
                if first.lower() not in verbs:
                    counts.add('verb-summary', path, number, documentation)
        documentation, isUnavailable = None, False
    return counts


def literals(path):
    """The counts of the texts in a Swift file: literals of two words or more, without their interpolations."""
    counts = Counts()
    text = open(os.path.join(ROOT, path), encoding='utf-8').read()
    text = re.sub(r'(?m)^\s*//.*$', '', text)
    for found in re.finditer(r'"""\n(.*?)"""|"((?:[^"\\\n]|\\[^(]|\\\((?:[^()\n]|\([^()\n]*\))*\))*)"', text, re.S):
        value = re.sub(r'\\\((?:[^()\n]|\([^()\n]*\))*\)', 'x', found.group(1) or found.group(2) or '')
        if ' ' in value.strip():
            start = text.count('\n', 0, found.start()) + 1
            for offset, line in enumerate(value.split('\n')):
                counts.words(path, start + offset + (found.group(1) is not None), line)
    return counts


def names(path):
    """The counts of the words in the names that a Swift file declares."""
    counts = Counts()
    text = open(os.path.join(ROOT, path), encoding='utf-8').read()
    text = re.sub(r'"""(.*?)"""', lambda found: '\n' * found.group(0).count('\n'), text, flags=re.S)
    for number, line in enumerate(text.split('\n'), 1):
        code = re.sub(r'"(?:\\.|[^"\\])*"', '""', line.split('//')[0])
        declared = DECLARED.findall(code)
        if re.search(r'\b(func|init|subscript|case)\b', code):
            declared += [name for pair in PARAMETER.findall(code) for name in pair if name and name != '_']
        for name in declared:
            counts.numbers['names'] += 1
            words = {word.lower() for word in re.findall(r'[A-Z]+(?![a-z])|[A-Z]?[a-z]+', name)}
            for row in NAMES:
                if row in words or row + 's' in words:
                    counts.add(row, path, number, line)
    return counts


def page(path):
    """The counts of a Markdown page, code blocks apart."""
    counts, inside = Counts(), False
    for number, line in enumerate(open(os.path.join(ROOT, path), encoding='utf-8').read().split('\n'), 1):
        if line.lstrip().startswith('```'):
            inside = not inside
        elif not inside:
            counts.words(path, number, re.sub(r'\]\([^)]*\)', ']', line))
    return counts


def joined(parts):
    whole = Counts()
    for part in parts:
        whole.numbers += part.numbers
        for row, places in part.places.items():
            whole.places.setdefault(row, []).extend(places)
    return whole


def main(arguments):
    if arguments[:1] in (['--help'], ['-h']):
        print(__doc__)
        return 0
    ceilings = json.load(open(os.path.join(HERE, 'ceilings.json')))
    verbs = set(open(os.path.join(HERE, 'verbs.txt')).read().split())
    found = {
        'comments of Sources': {}, 'texts of Sources': {}, 'comments of Tests': {}, 'pages': {}, 'names of Sources': {},
    }
    for path in [*files('.swift', 'Sources'), 'Package.swift']:
        found['comments of Sources'][path] = swift(path, verbs)
        found['texts of Sources'][path] = literals(path)
        found['names of Sources'][path] = names(path)
    for path in files('.swift', 'Tests'):
        found['comments of Tests'][path] = swift(path, verbs)
    for path in [*files('.md', 'Sources', 'Tests', 'Journal', '.github'), 'README.md']:
        found['pages'][path] = page(path)

    option = arguments[0] if arguments else ''
    if option in ('--list', '--top') and len(arguments) < 2:
        print(f'{option} needs a value; --help shows how to call it', file=sys.stderr)
        return 2
    if option == '--list':
        rows = [*ROWS, 'wh-summary', 'verb-summary', 'undocumented', 'long', *NAMES]
        if arguments[1] not in rows:
            print(f"unknown row '{arguments[1]}'; use one of {', '.join(rows)}", file=sys.stderr)
            return 2
        under = arguments[2] if len(arguments) > 2 else ''
        for part in found.values():
            for path, counts in part.items():
                if path.startswith(under):
                    for place in counts.places.get(arguments[1], []):
                        print('%s:%d: %s' % place)
        return 0
    if option == '--top':
        under = arguments[2] if len(arguments) > 2 else ''
        scores = [(sum(len(places) for places in counts.places.values()), path, name)
                  for name, part in found.items() for path, counts in part.items() if path.startswith(under)]
        for score, path, name in sorted(scores, reverse=True)[:int(arguments[1])]:
            print(f'{score:5} {path} ({name})')
        return 0
    if option not in ('', '--table'):
        print(__doc__)
        return 2

    status = 0
    for name, part in found.items():
        if option == '--table':
            groups = {}
            for path, counts in part.items():
                groups.setdefault('/'.join(path.split('/')[:2]), []).append(counts)
            table = {group: joined(parts).rows() for group, parts in sorted(groups.items())}
            table['all'] = joined(part.values()).rows()
            heads = list(table['all'])
            width = max(map(len, table))
            print(f'\n{name}\n' + ' ' * width, *(head[:10].rjust(10) for head in heads))
            for group, rows in table.items():
                print(group.ljust(width), *(str(rows.get(head, '')).rjust(10) for head in heads))
            continue
        whole = joined(part.values())
        rows = whole.rows()
        for row, ceiling in ceilings[name].items():
            least = row in ('verb-summary', 'comment-words')
            value = rows.get(row, 0)
            if value < ceiling if least else value > ceiling:
                status = 1
                print(f"{name}: {row} is {value}, and {'at least' if least else 'at most'} {ceiling} is allowed")
                for place in whole.places.get(row, [])[:5]:
                    print('    %s:%d: %s' % place)
    return status


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
