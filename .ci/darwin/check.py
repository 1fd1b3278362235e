#!/usr/bin/env python3
"""Type-checks the targets of the products for Apple's systems, availability included, without their SDK.

    .ci/darwin/check.py [macos|ios|tvos|watchos|visionos ...]      (macos if none is named)

The modules that the sources import are made here:

- Swift, Synchronization and the others of the standard library: the toolchain's own interfaces, whose
  declarations have their availability on Apple's systems.
- Darwin: the declarations that the sources use, in CDarwin/darwin.h and Darwin.swift.
- Foundation: the declarations of the toolchain's FoundationEssentials and FoundationInternationalization.

This proves nothing about linking, running, Objective-C, or what only Apple's Foundation has.
"""
import json, os, re, shutil, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# The target of this machine.
LINUX = json.loads(
    subprocess.run(['swiftc', '-print-target-info'], capture_output=True, text=True, check=True).stdout
)['target']['unversionedTriple']
# The target, the folder of its modules, and the name of their files. The versions are those of `platforms:`.
SYSTEMS = {
    'macos': ('x86_64-apple-macosx%s', 'macosx', 'x86_64-apple-macos'),
    'ios': ('x86_64-apple-ios%s-simulator', 'iphonesimulator', 'x86_64-apple-ios-simulator'),
    'tvos': ('x86_64-apple-tvos%s-simulator', 'appletvsimulator', 'x86_64-apple-tvos-simulator'),
    'watchos': (
        'x86_64-apple-watchos%s-simulator', 'watchsimulator', 'x86_64-apple-watchos-simulator'),
    'visionos': ('x86_64-apple-xros%s-simulator', 'xrsimulator', 'x86_64-apple-xros-simulator'),
}
STANDARD_LIBRARY = [
    'Swift', '_Concurrency', '_StringProcessing', '_RegexParser', 'SwiftOnoneSupport',
    'Synchronization', 'Observation']
# What the sources use of Apple's Foundation that the toolchain's modules do not have.
ONLY_APPLE = [
    'extension StringProtocol {',
    '  public var decomposedStringWithCanonicalMapping: String { get }',
    '  public var precomposedStringWithCanonicalMapping: String { get }',
    '}']
# The examples are as a program on Linux would be.
UNCHECKED = ['DaybookExamples']
ROUND_MAX = 30


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Checker:
    def __init__(self, system, version):
        target, folder, self.file_name = SYSTEMS[system]
        self.target = target % version
        self.build = os.path.join(ROOT, '.build', 'darwin', system)
        self.resources = os.path.join(self.build, 'resources')
        self.modules = os.path.join(self.resources, folder)
        self.products = os.path.join(self.build, 'modules')
        self.compiler = output('swiftc', '--version').split('\n')[0]
        information = json.loads(output('swiftc', '-print-target-info'))
        self.library = information['paths']['runtimeResourcePath']
        self.options = [
            '-target', self.target, '-resource-dir', self.resources,
            '-module-cache-path', os.path.join(self.build, 'cache'), '-disable-objc-interop',
            '-swift-version', '6', '-I', self.products, '-I', os.path.join(HERE, 'CDarwin')]

    def compile(self, *arguments):
        return subprocess.run(
            ['swiftc', '-frontend', *arguments, *self.options], capture_output=True, text=True)

    # MARK: The modules of the system

    def interface(self, module):
        folder = os.path.join(self.modules, module + '.swiftmodule')
        os.makedirs(folder, exist_ok=True)
        return os.path.join(folder, self.file_name + '.swiftinterface')

    def make_system(self):
        """Makes the modules of the system, unless this compiler has made them of these files before."""
        stamp = os.path.join(self.build, 'stamp')
        state = self.compiler
        for path in ['check.py', 'CDarwin/darwin.h', 'CDarwin/module.modulemap', 'Darwin.swift']:
            with open(os.path.join(HERE, path), encoding='utf-8') as file:
                state += file.read()
        if os.path.exists(stamp) and open(stamp, encoding='utf-8').read() == state:
            return
        shutil.rmtree(self.build, ignore_errors=True)
        os.makedirs(self.modules)
        os.makedirs(self.products)
        for name in ['shims', 'clang', 'apinotes', 'host']:
            os.symlink(os.path.join(self.library, name), os.path.join(self.resources, name))
        for module in STANDARD_LIBRARY:
            self.make_standard(module)
        self.make_darwin()
        self.make_foundation()
        with open(stamp, 'w', encoding='utf-8') as file:
            file.write(state)

    def make_standard(self, module):
        path = f'{self.library}/linux/{module}.swiftmodule/{LINUX}.swiftinterface'
        lines = []
        for line in open(path, encoding='utf-8'):
            if 'swift-module-flags:' in line:
                line = line.replace(LINUX, self.target).replace(' -static ', ' ').replace(
                    '-target-min-inlining-version min', '-disable-availability-checking')
            if line.startswith('import Glibc'):
                continue
            lines.append(re.sub(r'^( *)@backDeployed\([^)]*\) ?', r'\1', line))
        if module == 'Synchronization':
            lines.append('public func _swift_stdlib_gettid() -> Swift.UInt32\n')
        with open(self.interface(module), 'w', encoding='utf-8') as file:
            file.writelines(lines)

    def make_darwin(self):
        result = self.compile(
            '-emit-module', '-parse-as-library', '-module-name', 'Darwin', os.path.join(HERE, 'Darwin.swift'),
            '-o', os.path.join(self.products, 'Darwin.swiftmodule'))
        if result.returncode != 0:
            sys.exit(result.stderr)

    def make_foundation(self):
        """Makes Foundation of what the toolchain prints of its modules.

        A few of the printed declarations cannot be read again, as they need what is not printed. Each round
        removes those with errors. A source that uses one of them fails, so nothing passes unchecked.
        """
        path = self.interface('Foundation')
        lines = [
            '// swift-interface-format-version: 1.0',
            f'// swift-compiler-version: {self.compiler}',
            f'// swift-module-flags: -target {self.target} -disable-objc-interop '
            '-enable-library-evolution -swift-version 6 -O -library-level api '
            '-module-name Foundation',
            '@_exported import Darwin', 'import Swift', 'import _Concurrency',
            'import _StringProcessing']
        for module in ['FoundationEssentials', 'FoundationInternationalization']:
            lines += self.printed(module)
        lines += ONLY_APPLE
        for _ in range(ROUND_MAX):
            with open(path, 'w', encoding='utf-8') as file:
                file.write('\n'.join(lines) + '\n')
            result = self.compile(
                '-compile-module-from-interface', path, '-module-name', 'Foundation',
                '-diagnostic-style', 'llvm', '-o', os.path.join(self.build, 'tried.swiftmodule'))
            if result.returncode == 0:
                return
            found = {
                int(number) - 1 for number
                in re.findall(re.escape(path) + r':(\d+):\d+: error:', result.stderr)} - {0}
            # A type can be wrong by a member of it, so types are removed only if nothing else is wrong.
            members = {index for index in found if not re.search(
                r'\b(struct|class|enum|protocol|actor) .*{$', lines[index])}
            wrong = set()
            for index in members or found:
                first, last = declaration(lines, index)
                wrong.update(range(first, last + 1))
            lines = [line for index, line in enumerate(lines) if index not in wrong]
        sys.exit(result.stderr[:4000])

    def printed(self, module):
        """The lines of a module's public declarations, without comments, imports and module names."""
        text = output(
            'swift-synthesize-interface', '-module-name', module, '-target', LINUX,
            '-resource-dir', self.library, '-I', self.library + '/linux')
        for line in text.split('\n'):
            if not line.strip() or re.match(r'\s*//|(@_exported )?import ', line):
                continue
            line = re.sub(r'\bFoundation(Essentials|Internationalization)\.', '', line)
            # Names that a nested type hides in it.
            line = re.sub(r'(?<![.\w])((Closed)?Range<)(?!LHS, RHS)', r'Swift.\1', line)
            line = re.sub(r'Output : RangeExpression\b', 'Output : Swift.RangeExpression', line)
            line = re.sub(r'(?<![.\w])KeyPath<Root.Output', 'Swift.KeyPath<Root.Output', line)
            # A variable or subscript that is printed without accessors can be written to.
            whole = line
            line = re.sub(r'\b(internal|private)\(set\) ', '', line)
            if re.search(r'\b(var|subscript)\b', line) and '{' not in line:
                line += ' { get set }' if line == whole else ' { get }'
            yield line

    # MARK: The targets

    def check(self, target):
        """Type-checks a target, and prints what is wrong."""
        files = []
        for folder, _, names in os.walk(os.path.join(ROOT, target['path'])):
            files += [os.path.join(folder, name) for name in names if name.endswith('.swift')]
        result = self.compile(
            '-emit-module', '-module-name', target['name'], '-package-name', 'daybook',
            '-warnings-as-errors', '-DDAYBOOK_CHECKS', '-parse-as-library',
            '-plugin-path', os.path.join(self.library, 'host', 'plugins'), *sorted(files),
            '-o', os.path.join(self.products, target['name'] + '.swiftmodule'))
        sys.stderr.write(result.stderr.replace(ROOT + '/', ''))
        return result.returncode == 0


def indent(line):
    return len(line) - len(line.lstrip())


def declaration(lines, index):
    """The first and the last line of the declaration that begins in a line, attributes included."""
    first = last = index
    if lines[index].endswith('{'):
        while lines[last] != ' ' * indent(lines[index]) + '}':
            last += 1
    while re.match(r'\s*@[^{]*$', lines[first - 1]) and not re.search(
            r'\b(func|init|var|let|subscript|struct|class|enum|protocol|extension|typealias|case)\b',
            lines[first - 1]):
        first -= 1
    return first, last


def targets_to_check(package):
    """The targets that the package's products need, each after those that it needs itself."""
    targets = {target['name']: target for target in package['targets']}
    found = []

    def add(name):
        for dependency in targets[name].get('target_dependencies', []):
            add(dependency)
        if targets[name] not in found:
            found.append(targets[name])

    for product in package['products']:
        for name in product['targets']:
            if targets[name]['path'].startswith('Sources/') and name not in UNCHECKED:
                add(name)
    return found


def main():
    # With a scratch path of its own, it waits for no build.
    scratch = os.path.join('.build', 'darwin', 'package')
    package = json.loads(output('swift', 'package', '--scratch-path', scratch, 'describe', '--type', 'json'))
    versions = {entry['name']: entry['version'] for entry in package['platforms']}
    for system in sys.argv[1:] or ['macos']:
        checker = Checker(system, versions[system])
        checker.make_system()
        for target in targets_to_check(package):
            if not checker.check(target):
                sys.exit(f'{target["name"]} cannot be compiled for {checker.target}.')
            print(f'{target["name"]}: {checker.target}')


if __name__ == '__main__':
    os.chdir(ROOT)
    main()
