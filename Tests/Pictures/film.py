#!/usr/bin/env python3
"""Creates the pictures of the documentation page "From a table to a film".

    film.py DAYBOOK [DIRECTORY]

DAYBOOK is the built tool, for example `.build/debug/daybook`. The pictures are written into DIRECTORY; the default is
the folder of pictures of the documentation. The script needs git and Chromium. The commands are those of the page. A
test compares the chart with the output of the tool. A person must check the pictures of the film.
"""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RESOURCES = os.path.join(ROOT, 'Sources/Daybook/Daybook.docc/Resources')
DRIVER = os.path.join(ROOT, 'Tests/DaybookToolTests/Browsers/chromium.py')
PAGE = os.path.join(ROOT, 'Sources/Daybook/Daybook.docc/FromATableToAFilm.md')
BYTE_COUNT_MAX = 150_000


def commands():
    """Returns the commands of the page's console blocks."""
    return [line[2:].rstrip('\n') for line in open(PAGE) if line.startswith('$ ')]


def main(tool, target):
    with tempfile.TemporaryDirectory() as scratch:
        os.symlink(os.path.abspath(tool), os.path.join(scratch, 'daybook'))
        environment = dict(os.environ, SCRATCH=scratch, PATH=scratch + os.pathsep + os.environ['PATH'])
        for command in commands():
            subprocess.run(['bash', '-c', command], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
        shutil.copyfile(os.path.join(scratch, 'ranks.svg'), os.path.join(target, 'league-ranks.svg'))
        light, dark = (os.path.join(target, name) for name in ('league-film.png', 'league-film~dark.png'))
        actions = ['size 1120 760', 'open #tx=9&row=Ashford&column=points', 'settle', f'screenshot {light}',
                   'scheme dark', 'settle', f'screenshot {dark}', 'problems']
        subprocess.run([sys.executable, DRIVER, os.path.join(scratch, 'league.html')],
                       input='\n'.join(actions), text=True, check=True)
    for picture in (light, dark):
        size = os.path.getsize(picture)
        print(picture, size)
        if size > BYTE_COUNT_MAX:
            raise SystemExit(f'{picture} has {size} bytes; at most {BYTE_COUNT_MAX} are allowed')


if __name__ == '__main__':
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith('-'):
        print(__doc__, file=sys.stderr if len(sys.argv) not in (2, 3) else sys.stdout)
        sys.exit(0 if sys.argv[1:] in (['--help'], ['-h']) else 2)
    main(sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else RESOURCES)
