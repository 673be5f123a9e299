"""`python -m tests.kernel.vm --kernel 6.12 [--answers FILE …]`: what the machine saw, one JSON line a scenario."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tests.kernel.vm.boot import boot
from tests.kernel.vm.image import image
from tests.kernel.vm.packages import Missing, missing_programs
from tests.kernel.vm.scenarios import advice, answers_files, case, left_out, ordered


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.kernel.vm", description=__doc__)
    parser.add_argument("--kernel", default="6.12", help="6.1 or 6.12")
    parser.add_argument("--answers", nargs="+", type=Path, help="answers files in place of all scenarios")
    args = parser.parse_args()
    if missing_programs():
        print(f"not installed: {', '.join(missing_programs())}", file=sys.stderr)
        return 2
    files = args.answers or answers_files()
    for path in files:
        reason = left_out(advice(path))
        if reason:
            print(f"{path.stem}: left out: {reason}", file=sys.stderr)
    try:
        built = image(args.kernel)
    except Missing as error:
        print(error, file=sys.stderr)
        return 2
    for report in boot(built, ordered([case(path) for path in files if not left_out(advice(path))])):
        print(json.dumps(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
