"""How the single file starts. Python keeps compiled modules of a folder, never those of a zip, and compiling takes
three times as long as a short command. So they are kept as the compiled rules of a checkout are, in a folder of the
temporary one that nobody else can write to (advisor/rulebase/rule_files.py). What cannot be kept is made again. What
other builds kept is deleted once nobody has used it for a month."""

import marshal
import os
import sys
import time
import zipimport
from _frozen_importlib_external import MAGIC_NUMBER
from binascii import crc32

BUILD = "unknown"
"""A hash of all else in the file; the build writes it here."""
ARCHIVE = os.path.dirname(os.path.abspath(__file__))
FOLDER = f"{os.environ.get('TMPDIR') or '/tmp'}/advisor-{os.getuid()}"
CODE = f"code-{BUILD}-{MAGIC_NUMBER.hex()}-{sys.flags.optimize}"
BASE = f"base-{BUILD}"
MONTH = 30 * 86400


def private():
    """Whether the folder is ours alone: what others can write to would run as us."""
    try:
        status = os.lstat(FOLDER)
    except OSError:
        return False
    return status.st_uid == os.getuid() and status.st_mode & 0o170077 == 0o040000


def kept(name):
    """What was kept, if it is whole; else b""."""
    try:
        if private():
            with open(f"{FOLDER}/{name}", "rb", buffering=0) as stream:
                checksum, text = stream.read(4), stream.read()
            if int.from_bytes(checksum, "big") == crc32(text):
                return text
    except OSError:
        pass
    return b""


def keep(name, text):
    """Keep it for the next start, whole or not at all."""
    if sys.dont_write_bytecode:
        return
    part = f"{FOLDER}/{name}.{os.getpid()}"
    try:
        if not os.path.lexists(FOLDER):
            os.mkdir(FOLDER, 0o700)
        if private():
            with open(part, "xb") as stream:
                stream.write(crc32(text).to_bytes(4, "big") + text)
            os.replace(part, f"{FOLDER}/{name}")
            tidy()
    except OSError:
        if private() and os.path.lexists(part):
            os.unlink(part)


def tidy():
    """Delete files of ours in our folder, of other builds, that were neither written nor read for a month. A link is
    deleted itself, never what it leads to."""
    for entry in os.scandir(FOLDER):
        if entry.name.startswith(("code-", "base-")) and BUILD not in entry.name:
            status = entry.stat(follow_symlinks=False)
            if status.st_uid == os.getuid() and max(status.st_atime, status.st_mtime) < time.time() - MONTH:
                os.unlink(entry.path)


class Importer(zipimport.zipimporter):
    """A zipimporter that takes from what was kept. Python 3.9 asks for the last two methods."""

    def get_filename(self, fullname):
        """Python's own compiles the module to find out."""
        path = os.path.join(self.archive, self.prefix, fullname.rpartition(".")[2])
        return f"{path}/__init__.py" if self.is_package(fullname) else f"{path}.py"

    def get_code(self, fullname):
        code = known.get(fullname)
        if code is not None:
            return marshal.loads(code)
        made = super().get_code(fullname)
        compiled[fullname] = marshal.dumps(made)
        return made

    def get_data(self, path):
        if not path.endswith("/_base.jsonl"):
            return super().get_data(path)
        found = kept(BASE)
        if not found:
            found = super().get_data(path)
            keep(BASE, found)
        return found

    def create_module(self, _spec):
        return None

    def exec_module(self, module):
        exec(self.get_code(module.__name__), module.__dict__)


def importer(path):
    """The hook for `sys.path_hooks`."""
    if path == ARCHIVE or path.startswith(f"{ARCHIVE}/"):
        return Importer(path)
    raise ImportError(path)


if __name__ == "__main__":
    if sys.version_info < (3, 9):
        print("advisor: needs Python 3.9 or later, and this is {}.{}".format(*sys.version_info), file=sys.stderr)
        sys.exit(2)
    text = kept(CODE)
    known, compiled = marshal.loads(text) if text else {}, {}
    sys.path_hooks.insert(0, importer)
    for place in [one for one in sys.path_importer_cache if one.startswith(ARCHIVE)]:
        del sys.path_importer_cache[place]
    from advisor.cli import main

    try:
        code = main()
    finally:
        if compiled:
            keep(CODE, marshal.dumps({**known, **compiled}))
    raise SystemExit(code)
