#!/usr/bin/env python3
"""Draws the output of a command as an SVG picture of a terminal.

    terminal.py 'daybook replay …' < output > picture.svg

Lines that begin with a sign of the tool have its color: '+' inserted, '-' deleted, '>' moved, '~' changed. A test
compares the text of the picture in the documentation with what the command prints.
"""
import sys
from xml.sax.saxutils import escape

COLORS = {'+ ': '#7ee787', '- ': '#ff7b72', '> ': '#e3b341', '~ ': '#79c0ff'}
LINE, CHARACTER, MARGIN = 20, 8.43, 20


def main(command):
    typed = ('$ ' + command).split('\n')
    lines = typed + [''] + sys.stdin.read().rstrip('\n').split('\n')
    width = round(max(len(line) for line in lines) * CHARACTER) + 2 * MARGIN
    height = len(lines) * LINE + 2 * MARGIN
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
          'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">')
    print(f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>')
    for number, line in enumerate(lines):
        color = '#ffffff' if number < len(typed) else COLORS.get(line[:2], '#c9d1d9')
        if line:
            print(f'<text x="{MARGIN}" y="{MARGIN + (number + 1) * LINE - 6}" fill="{color}" '
                  f'xml:space="preserve">{escape(line)}</text>')
    print('</svg>')


if __name__ == '__main__':
    if len(sys.argv) != 2 or sys.argv[1].startswith('-'):
        print(__doc__, file=sys.stderr if len(sys.argv) != 2 else sys.stdout)
        sys.exit(0 if sys.argv[1:] in (['--help'], ['-h']) else 2)
    main(sys.argv[1])
