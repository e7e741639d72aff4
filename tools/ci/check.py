#!/usr/bin/env python3
"""Whether the example workflows are what their engines take, as far as can be told offline.

    tools/ci/check.py

YAML that has no key twice, the keys that each engine wants, none that it does not know, and
commands that the program has. One line for each mistake; ends with 1 when there is one.
"""
import pathlib
import subprocess
import sys

import yaml

here = pathlib.Path(__file__).parent
mistakes = []


class Strict(yaml.SafeLoader):
    """Refuses a key that stands twice, which YAML readers let pass."""


def no_twins(loader, node, deep=False):
    keys = [loader.construct_object(k, deep=True) for k, _ in node.value]
    for k in keys:
        if keys.count(k) > 1:
            raise yaml.YAMLError(f"{node.start_mark}: the key {k!r} stands twice")
    return yaml.SafeLoader.construct_mapping(loader, node, deep)


Strict.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, no_twins)


def wrong(file, what):
    mistakes.append(f"tools/ci/{file}: {what}")


def load(file):
    try:
        return yaml.load((here / file).read_text(), Strict)
    except yaml.YAMLError as e:
        wrong(file, e)
        return {}


def only(file, where, mapping, known, needed=()):
    for key in mapping:
        if key not in known:
            wrong(file, f"{where}: unknown key {key!r}")
    for key in needed:
        if key not in mapping:
            wrong(file, f"{where}: {key!r} is missing")


def shell(file, script):
    """A script whose expressions of the engine are taken out has to be a shell's."""
    plain = "".join(part.split("}}", 1)[-1] if i else part
                    for i, part in enumerate(script.split("${{")))
    if subprocess.run(["sh", "-n"], input=plain, text=True).returncode != 0:
        wrong(file, f"no shell script: {script!r}")


def github(file):
    flow = load(file)
    # YAML 1.1 reads the key `on` as true
    only(file, "top", {("on" if k is True else k): v for k, v in flow.items()},
         {"name", "on", "permissions", "jobs", "env", "concurrency", "defaults"}, {"on", "jobs"})
    for name, job in flow.get("jobs", {}).items():
        only(file, name, job, {"runs-on", "timeout-minutes", "steps", "name", "needs", "if",
                               "strategy", "env", "permissions", "container"},
             {"runs-on", "steps"})
        for i, step in enumerate(job.get("steps", [])):
            only(file, f"step {i}", step, {"name", "id", "if", "uses", "with", "run", "env",
                                           "shell", "working-directory", "continue-on-error"})
            if ("uses" in step) == ("run" in step):
                wrong(file, f"step {i}: wants one of uses and run")
            if "uses" in step and "@" not in step["uses"]:
                wrong(file, f"step {i}: {step['uses']} has no version")
            if "run" in step:
                shell(file, step["run"])


def gitlab(file):
    flow = load(file)
    reserved = {"stages", "default", "include", "variables", "workflow", "image"}
    for name, job in flow.items():
        if name in reserved:
            continue
        only(file, name, job, {"stage", "image", "timeout", "rules", "script", "artifacts",
                               "variables", "needs", "before_script", "parallel", "cache",
                               "allow_failure", "tags"}, {"script"})
        if job.get("stage") not in flow.get("stages", []):
            wrong(file, f"{name}: stage {job.get('stage')!r} is not listed")
        only(file, "artifacts", job.get("artifacts", {}),
             {"when", "paths", "reports", "expire_in", "expose_as", "name", "exclude"})
        for line in job.get("script", []):
            shell(file, line)


github("github.yml")
gitlab("gitlab.yml")
for m in mistakes:
    print(m)
sys.exit(1 if mistakes else 0)
