"""Java, Maven and the class path of Kafka."""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path

from servers.failure import ServiceError
from servers.packages import install_packages, run
from servers.places import INSTALLED, replace_text

OLDEST_JAVA = 17
HERE = Path(__file__).resolve().parent
POM = HERE / "pom.xml"
LOGGING = HERE / "log4j2.properties"
HEAP = ["-Xms128m", "-Xmx512m"]


def install_kafka() -> None:
    """Java, and Kafka's jars in Maven's own cache; the class path is kept until the pom changes."""
    if class_path() is not None:
        return
    missing = [
        package
        for command, package in (("java", "default-jre-headless"), ("mvn", "maven"))
        if not shutil.which(command)
    ]
    if missing:
        install_packages("What runs Kafka (Java, Maven)", missing)
    check_java()
    written = class_path_file()
    written.parent.mkdir(parents=True, exist_ok=True)
    resolve = ["mvn", "-q", "-B", "-Dstyle.color=never", "-f", str(POM), "dependency:build-classpath"]
    run([*resolve, f"-Dmdep.outputFile={written}.new"])
    replace_text(written, Path(f"{written}.new").read_text().strip())
    Path(f"{written}.new").unlink()


def class_path() -> str | None:
    """The class path if it is that of the pom, all its jars are there and Java is."""
    written = class_path_file()
    if not written.exists() or not shutil.which("java"):
        return None
    jars = written.read_text()
    return jars if all(Path(jar).exists() for jar in jars.split(":")) else None


def class_path_file() -> Path:
    """Where it is kept; another pom has another file."""
    version = hashlib.sha256(POM.read_bytes()).hexdigest()[:8]
    return INSTALLED / "kafka" / f"classpath-{version}"


def check_java() -> None:
    """Refuse a Java that Kafka 4 cannot run on."""
    found = re.search(r'version "(\d+)', run(["java", "-version"]))
    if found is None or int(found[1]) < OLDEST_JAVA:
        version = found[1] if found else "of an unknown version"
        raise ServiceError(
            f"Java is {version}, and Kafka needs {OLDEST_JAVA} or later (Debian: default-jre-headless)."
        )


def java(main: str, *arguments: str) -> list[str]:
    """The command that runs one of Kafka's main classes."""
    jars = class_path()
    if jars is None:
        raise ServiceError("Kafka is not installed: run script/services install kafka.")
    return ["java", *HEAP, f"-Dlog4j2.configurationFile={LOGGING}", "-cp", jars, main, *arguments]
