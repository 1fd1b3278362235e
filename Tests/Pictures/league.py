#!/usr/bin/env python3
"""Creates a git repository with the history of a CSV file: a league table after each of its match days.

    league.py DIRECTORY

The documentation page "From a table to a film" uses it. The names and the results are invented, and are the same in
each run. Each match day is a commit of `table.csv`. From day 8 on, the table has the column `coach`.
"""
import os
import subprocess
import sys

TEAMS = ['Ashford', 'Brookhaven', 'Castlebar', 'Dunmore', 'Eastbourne', 'Fairview', 'Greenhill', 'Harborough']
COACHES = ['Ida Berg', 'Tom Reyes', 'Ana Silva', 'Leo Marsh', 'Mia Kovac', 'Jon Adler', 'Zoe Quinn', 'Max Ferro']
STRENGTHS = [5, 9, 4, 7, 8, 3, 6, 5]
AUTHORS = ['Ada', 'Bo']


def rounds():
    """Returns the pairs of each match day: each team plays each other one at home and away."""
    places = list(range(len(TEAMS)))
    first = []
    for _ in range(len(TEAMS) - 1):
        half = len(places) // 2
        first.append([(places[i], places[-1 - i]) for i in range(half)])
        places = [places[0], places[-1]] + places[1:-1]
    return first + [[(away, home) for home, away in day] for day in first]


def goals(state, strength):
    """Returns the next state of a generator of numbers, and the goals of a team."""
    state = (state * 1103515245 + 12345) % (1 << 31)
    return state, (state >> 16) % (2 + strength) // 2


def git(folder, *arguments, **variables):
    environment = dict(os.environ, GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_SYSTEM=os.devnull, **variables)
    subprocess.run(['git', '-C', folder, *arguments], env=environment, check=True, stdout=subprocess.DEVNULL)


def main(folder):
    os.mkdir(folder)
    git(folder, 'init', '-q', '-b', 'main')
    table = [dict(played=0, points=0, scored=0, conceded=0) for _ in TEAMS]
    state = 36
    for number, day in enumerate(rounds(), 1):
        for home, away in day:
            state, scored = goals(state, STRENGTHS[home] + 1)
            state, conceded = goals(state, STRENGTHS[away])
            for team, own, other in ((home, scored, conceded), (away, conceded, scored)):
                row = table[team]
                row['played'] += 1
                row['points'] += 3 if own > other else 1 if own == other else 0
                row['scored'] += own
                row['conceded'] += other
        has_coach = number >= 8
        with open(os.path.join(folder, 'table.csv'), 'w') as file:
            file.write('team,played,points,scored,conceded' + (',coach' if has_coach else '') + '\n')
            for name, row, coach in zip(TEAMS, table, COACHES):
                cells = [name, *map(str, row.values())] + ([coach] if has_coach else [])
                file.write(','.join(cells) + '\n')
        date = f'2026-{2 + (number - 1) // 4:02}-{1 + 7 * ((number - 1) % 4):02}T17:30:00+00:00'
        author = AUTHORS[number % len(AUTHORS)]
        variables = {f'GIT_{role}_{part}': value for role in ('AUTHOR', 'COMMITTER')
                     for part, value in (('NAME', author), ('EMAIL', author.lower() + '@example.org'), ('DATE', date))}
        git(folder, 'add', 'table.csv')
        git(folder, 'commit', '-q', '-m', f'Match day {number}', **variables)


if __name__ == '__main__':
    if len(sys.argv) != 2 or sys.argv[1].startswith('-'):
        print(__doc__, file=sys.stderr if len(sys.argv) != 2 else sys.stdout)
        sys.exit(0 if sys.argv[1:] in (['--help'], ['-h']) else 2)
    main(sys.argv[1])
