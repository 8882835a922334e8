"""RabbitMQ and Erlang from Debian's archive: unpacked, because an installed one would start itself."""

from __future__ import annotations

import shutil
from pathlib import Path

from servers.failure import ServiceError
from servers.packages import run
from servers.places import INSTALLED

PACKAGES = (
    "rabbitmq-server",
    *(f"erlang-{name}" for name in ("base", "asn1", "crypto", "eldap", "inets", "mnesia", "os-mon")),
    *(f"erlang-{name}" for name in ("parsetools", "public-key", "runtime-tools", "ssl", "syntax-tools")),
    *("erlang-tools", "erlang-xmerl", "libsctp1"),
)
ROOT = INSTALLED / "rabbitmq" / "root"
ERLANG = ROOT / "usr/lib/erlang"


def unpack() -> None:
    """Fetch the packages and unpack them, once."""
    if (ROOT / "complete").exists():
        return
    if shutil.which("apt-get") is None or shutil.which("dpkg") is None:
        raise ServiceError(
            "RabbitMQ is unpacked from Debian's archive, and this system has none. Use a Docker engine, "
            "or do without: its tests are skipped."
        )
    archive = INSTALLED / "rabbitmq" / "packages"
    archive.mkdir(parents=True, exist_ok=True)
    run(["apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", *PACKAGES], cwd=archive)
    for package in sorted(archive.glob("*.deb")):
        run(["dpkg", "-x", str(package), str(ROOT)])
    _move_erlang()
    shutil.rmtree(archive)
    (ROOT / "complete").touch()


def scripts() -> Path:
    """The directory of RabbitMQ's own scripts, which bears its version."""
    found = sorted(ROOT.glob("usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin"))
    if not found:
        raise ServiceError("RabbitMQ is not installed: run script/services install rabbitmq.")
    return found[-1]


def epmd() -> Path:
    """Erlang's directory of nodes, without which none starts."""
    return next(ERLANG.glob("erts-*/bin/epmd"))


def _move_erlang() -> None:
    """Tell Erlang where it lies now."""
    script = ERLANG / "bin/erl"
    script.write_text(script.read_text().replace("ROOTDIR=/usr/lib/erlang", f"ROOTDIR={ERLANG}"))
