"""`advisor recommend --write-to DIR`: the files to install, and the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from advisor.cli.common import CannotRun
from advisor.document.escape import visible
from advisor.render.phrases import counted

if TYPE_CHECKING:
    from advisor.advice.answers import Before
    from advisor.advice.model import Advice
    from advisor.artefacts.model import Artefact
    from advisor.host.tree import Tree


def write(
    make: Callable[[Mapping[str, Before]], list[Artefact]], folder: str, *, force: bool, tree: Tree | None = None
) -> int:
    """Writes them, and says what became of each. Exit code 1 where a file was kept because somebody had edited it.

    `make`: the files, from what is known of those that are there. `tree`: of the host to install them on, where it
    can be looked at."""
    from advisor.artefacts import write_all
    from advisor.artefacts.model import Unwritable
    from advisor.atomic import WriteError

    try:
        made = make({})
        if tree is not None:
            from advisor.cli.host_before import files

            made = make(files((one.install for one in made if one.install.startswith("/")), tree))
        written = write_all(folder, made, force)
    except (Unwritable, WriteError) as error:
        raise CannotRun(str(error)) from None
    titles = {one.path: one.title for one in made}
    wide = max(len(one.path) for one in written)
    for one in written:
        print(f"{one.status:<8} {visible(one.path):<{wide}}  {titles.get(one.path, '')}".rstrip())
    kept = [one for one in written if one.status in ("kept", "stale")]
    print(f"{counted(len(written), 'file')} in {visible(folder)}")
    if kept:
        print(f"{counted(len(kept), 'file')} were edited and kept; --force overwrites them")
    return 1 if kept else 0


def there_too(advice: Advice, there: Mapping[str, Before]) -> Advice:
    """The advice, where these files are known to be there or not."""
    return advice._replace(answers=advice.answers._replace(before={**advice.answers.before, **there}))
