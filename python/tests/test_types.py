"""The package is clean under `mypy --strict`, and so are the programs of its README."""

import importlib.util
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[1]


@unittest.skipUnless(importlib.util.find_spec("mypy"), "needs mypy, which pip installs")
class Types(unittest.TestCase):
    def test_the_package_and_its_readme_are_typed(self) -> None:
        programs = re.findall(r"```python\n([\s\S]*?)```", (ROOT / "README.md").read_text(encoding="utf-8"))[:2]
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder, f"readme_{index}.py") for index in range(len(programs))]
            for file, program in zip(files, programs, strict=True):
                file.write_text(re.sub(r"async def (\w+)\((client)?\):", r"async def \1(\2: Client) -> None:", program)
                                .replace("(: Client)", "()"))  # fmt: skip
            checks = [["--package", "slotbook"], [str(file) for file in files]]
            for arguments in checks:
                command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", folder, *arguments]
                done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
