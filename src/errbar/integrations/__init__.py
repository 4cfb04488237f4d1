"""Plug-ins for other tools, one module each. Nothing in errbar imports them.

- `inspect_ai`, `mlflow`, `pytest_plugin`: in the tool; `github_action`: what `action.yml` runs.
- `repeated_tests`: the verdict on repeated tests that two of them share.
"""
