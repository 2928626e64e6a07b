"""Print each line that truth.json names beside the program's text, and fail where the text is no longer the same.

python benchmarks/efficiency/truth_lines.py [names]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main() -> int:
    truth = json.loads((HERE / "truth.json").read_text(encoding="utf-8"))
    wrong = 0
    for name, entry in truth["programs"].items():
        path = HERE / "programs" / name
        if not path.exists():
            print(f"{name}: no such program")
            wrong += 1
            continue
        if sys.argv[1:] and not any(chosen in name for chosen in sys.argv[1:]):
            continue
        text = path.read_text(encoding="utf-8").splitlines()
        print(f"\n{name}")
        for kind in ("inefficiencies", "must_not", "decoys"):
            for item in entry[kind]:
                label = item.get("pattern") or ", ".join(item["patterns"])
                print(f"  {kind}: {label}: {item['why']}")
                for place in item["at"]:
                    found = text[place["line"] - 1].strip() if place["line"] <= len(text) else ""
                    same = found == place["text"]
                    wrong += not same
                    print(f"    {place['line']:>4} {'' if same else 'DIFFERS '}| {found}")
    known = {str(path.relative_to(HERE / "programs")) for path in (HERE / "programs").rglob("*.py")}
    for name in sorted(known - set(truth["programs"])):
        print(f"{name}: not in truth.json")
        wrong += 1
    print(f"\n{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
