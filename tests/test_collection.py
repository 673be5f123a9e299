"""Every process collects the same tests: pytest-xdist refuses to run when its workers disagree about their names.

A name may hold what a parameter holds, so a parameter that carries a time, an address or the order of a set breaks a
run now and then.
"""

import os
import subprocess
import sys

import pytest

COLLECT = (sys.executable, "-m", "pytest", "--collect-only", "-q", "-o", "addopts=", "-p", "no:cacheprovider")


def test_another_process_collects_tests_of_the_same_names(request: pytest.FixtureRequest) -> None:
    listing = subprocess.run(
        [*COLLECT, *request.config.args], cwd=request.config.rootpath, env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True, text=True, check=False,
    )
    assert {item.nodeid for item in request.session.items} - set(listing.stdout.splitlines()) == set(), listing.stderr
