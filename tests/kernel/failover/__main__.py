"""`python -m tests.kernel.failover --kernel 6.12 [CASE …]`: what was seen, one JSON line a case."""

from __future__ import annotations

import argparse
import json
import shutil
import sys

from tests.kernel.failover.boot import told
from tests.kernel.failover.cases import cases
from tests.kernel.failover.outcome import outcomes
from tests.kernel.failover.recipe import PAIR
from tests.kernel.vm.boot import Failed
from tests.kernel.vm.image import image
from tests.kernel.vm.packages import Missing, missing_programs


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.kernel.failover", description=__doc__)
    parser.add_argument("--kernel", default="6.12", help="6.1 or 6.12")
    parser.add_argument("--raw", action="store_true", help="all that the machine said, instead of outcomes")
    parser.add_argument("case", nargs="*", help="names in cases.yaml; all of them, if none is given")
    args = parser.parse_args()
    missing = [*missing_programs(), *(name for name in ("cibadmin", "crm") if not shutil.which(name))]
    if missing:
        print(f"not installed: {', '.join(missing)}", file=sys.stderr)
        return 2
    known = cases()
    unknown = set(args.case) - set(known)
    if unknown:
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    try:
        said = told(image(args.kernel, PAIR), [known[name] for name in args.case or known])
    except (Failed, Missing) as error:
        print(error, file=sys.stderr)
        return 2
    if args.raw:
        print(said)
    else:
        for outcome in outcomes(said):
            print(json.dumps(outcome._asdict()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
