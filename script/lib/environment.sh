# The virtual environment of script/test and script/demo. Sourced, from the top of the checkout.

# Sets PYTHON to a Python that can make a virtual environment: STREAMAPP_PYTHON if set, else the first that will do.
find_python() {
    local candidate
    for candidate in ${STREAMAPP_PYTHON:-python3 python3.11 python3.12 python3.13 python3.14}; do
        # A name on the PATH may be a version manager's stand-in that only complains, so each is tried.
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            PYTHON=$(command -v "$candidate")
            return
        fi
    done
    echo "No Python 3.11 or newer found. Install one (Debian: apt-get install python3 python3-venv)," \
        "or name it: STREAMAPP_PYTHON=/path/to/python3.12 $0" >&2
    exit 1
}

# Makes .venv if it is missing or broken, and installs requirements.txt whenever that has changed.
prepare_environment() {
    local wanted stamp=.venv/requirements.stamp
    find_python
    if ! .venv/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
        make_environment
    fi
    wanted=$(.venv/bin/python -c 'import hashlib; print(hashlib.sha256(open("requirements.txt", "rb").read()).hexdigest())')
    if [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ]; then
        echo "Installing requirements.txt into .venv ..."
        .venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
        echo "$wanted" >"$stamp"
    fi
}

make_environment() {
    if ! "$PYTHON" -c 'import ensurepip' >/dev/null 2>&1 && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "Installing python3-venv ..."
        apt-get -qq update
        DEBIAN_FRONTEND=noninteractive apt-get -qq install -y python3-venv >/dev/null
    fi
    echo "Making .venv with $PYTHON ..."
    if ! "$PYTHON" -m venv --clear .venv; then
        echo "$PYTHON can't make a virtual environment. Install its venv module (Debian: apt-get install python3-venv)." >&2
        exit 1
    fi
}

# Exports what script/services has written: the addresses of the servers that run.
export_services() {
    local written="${STREAMAPP_SERVICES_STATE:-.services}/env"
    if [ -f "$written" ]; then
        set -a
        # shellcheck disable=SC1090
        . "$written"
        set +a
    fi
}
