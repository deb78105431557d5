"""Runs the programs of python/README.md against a service, and prints the lines of each as JSON.

    readme.py URL

The first one follows for ever and is ended; the third is for a notebook, and needs pandas.
"""

import asyncio
import ast
import importlib.util
import inspect
import json
import pathlib
import re
import subprocess
import sys
import time

FOLLOW_S = 10
# The book of the demo has to be older than the moment of the second program.
TRIES = 30


def lines_of(program, seconds):
    """What a program prints until it ends, or until the time is over."""
    try:
        return subprocess.run([sys.executable, "-u", "-c", program], stdout=subprocess.PIPE, timeout=seconds, check=True).stdout
    except subprocess.TimeoutExpired as ended:
        return ended.stdout


def run_notebook(program):
    code = compile(program, "README.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    names = {}
    made = eval(code, names)
    if inspect.iscoroutine(made):
        asyncio.run(made)
    return {name: len(names[name]) for name in ("trades", "levels", "rates")}


def main(url):
    text = (pathlib.Path(__file__).parents[2] / "python" / "README.md").read_text(encoding="utf-8")
    programs = [program.replace("http://127.0.0.1:8080", url) for program in re.findall(r"```python\n([\s\S]*?)```", text)]
    follow, past, notebook = programs
    report = {"follow": lines_of(follow, FOLLOW_S).decode().splitlines()}
    for left in reversed(range(TRIES)):
        try:
            report["past"] = lines_of(past, 60).decode().splitlines()
            if report["past"][0] != "then None":
                break
        except subprocess.CalledProcessError:
            if left == 0:
                raise
        time.sleep(1)
    report["notebook"] = run_notebook(notebook) if importlib.util.find_spec("pandas") else None
    print(json.dumps(report))


main(sys.argv[1])
