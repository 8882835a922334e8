"""What the README shows runs when it is copied, in a new project with the local broker."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.projects.waiting import until

pytestmark = pytest.mark.timeout(120)
CHECKOUT = Path(__file__).resolve().parents[2]
README = (CHECKOUT / "README.md").read_text()
SNIPPET = re.compile(r"```python\n# (shipping/\w+\.py|at the end of settings\.py)\n(.*?)```", re.DOTALL)
REVIEW = ("streams", "rewind", "shipping.ship", "-2h", "--dry-run")
COUNT = "from shipping.models import Booking; print(Booking.objects.count())"


class NewProject:
    """A project as Django makes it, with the snippets in their places."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        path = {"PYTHONPATH": str(CHECKOUT), "DJANGO_SETTINGS_MODULE": "site1.settings"}
        self._environment = {**os.environ, **path}
        self.run("-m", "django", "startproject", "site1", ".")
        self.run("manage.py", "startapp", "shipping")
        for place, text in SNIPPET.findall(README):
            self._add(directory / place.replace("at the end of ", "site1/"), text)

    def run(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *arguments]
        return subprocess.run(
            command, cwd=self._directory, env=self._environment, check=check, capture_output=True, text=True
        )

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, *arguments], cwd=self._directory, env=self._environment)

    def _add(self, path: Path, text: str) -> None:
        before = path.read_text() if path.name == "settings.py" else ""
        path.write_text(before + text)


@pytest.fixture
def project(tmp_path) -> NewProject:
    made = NewProject(tmp_path)
    made.run("manage.py", "makemigrations", "shipping")
    made.run("manage.py", "migrate")
    return made


def test_the_shipment_that_the_readme_publishes_is_booked(project):
    project.run("manage.py", "check")
    published = re.search(r"shell -c '(.*?)'\n", README, re.DOTALL)[1]
    project.run("manage.py", "shell", "-c", published)
    consumers = project.start("manage.py", "runconsumers")
    try:
        until(lambda: "1 record read again" in project.run("manage.py", *REVIEW, check=False).stdout, 60)
        assert "shipments/0" in project.run("manage.py", "streams", "status").stdout
        assert project.run("manage.py", "shell", "-v", "0", "-c", COUNT).stdout.strip() == "1"
    finally:
        consumers.terminate()
        assert consumers.wait(40) == 0
