"""The admin, served to the browser by a thread of the test process."""

from django.core.servers.basehttp import ThreadedWSGIServer
from django.test.testcases import LiveServerThread


class JoiningServer(ThreadedWSGIServer):
    """Waits for its threads at the end: each has a connection to the database, which is dropped then."""

    daemon_threads = False


class JoiningThread(LiveServerThread):
    server_class = JoiningServer
