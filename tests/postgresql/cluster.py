"""A cluster of databases with a server of its own, and sessions of it."""

import os
import shutil
import subprocess

from server import read_file

# PostgreSQL's server does not run as root.
_UNPRIVILEGED = "nobody"


def as_unprivileged():
    """What subprocess takes so that a process of root runs as another user."""
    if os.geteuid() != 0:
        return {}
    return {"user": _UNPRIVILEGED, "group": "nogroup", "extra_groups": []}


def give_away(path):
    """Makes `path` a directory in which the server may write."""
    os.makedirs(path, exist_ok=True)
    if os.geteuid() == 0:
        shutil.chown(path, _UNPRIVILEGED, "nogroup")


class Cluster:
    """Has its files in `directory`, which lies in one that the server's user may write. `port` only names its socket."""

    def __init__(self, server, directory, port):
        self._server = server
        self.directory = directory
        self.port = port

    def create(self):
        give_away(self.directory)
        self._run([self._server.program("initdb"), "--pgdata=" + self.directory, "--username=postgres", "--no-locale",
                   "--encoding=UTF8", "--auth=trust", "--no-sync"])

    def copy(self, other):
        """Has the data of another cluster, whose server does not run."""
        give_away(os.path.dirname(self.directory))
        self._run(["cp", "-a", other.directory, self.directory])

    def start(self, settings, preload=None, environment=None):
        """Starts the server with `settings`, a dictionary. `preload` is a library for LD_PRELOAD."""
        variables = {"PATH": os.environ["PATH"], **(environment or {})}
        if preload:
            variables["LD_PRELOAD"] = preload
        log = os.path.join(self.directory, "server.log")
        settings = {"listen_addresses": "", "unix_socket_directories": self.directory, "port": self.port,
                    "fsync": "off", **settings}
        options = " ".join("-c {}={}".format(name, value) for name, value in settings.items())
        # The shell that pg_ctl starts, and so the server, has the variables; they do no harm to pg_ctl.
        self._run([self._server.program("pg_ctl"), "start", "--wait", "--silent", "--pgdata=" + self.directory,
                   "--log=" + log, "--options=" + options], variables)
        if "cannot be preloaded" in read_file(log):
            raise OSError("the server cannot read {}; see {}".format(preload, log))

    def processor_seconds(self):
        """The time of processors that the server and its processes that have ended have taken."""
        with open(os.path.join(self.directory, "postmaster.pid"), encoding="utf-8") as file:
            process = file.readline().strip()
        # After the name in parentheses: utime, stime, and those of children that have ended (proc(5)).
        fields = read_file("/proc/{}/stat".format(process)).rpartition(")")[2].split()
        return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self._run([self._server.program("pg_ctl"), "stop", "--wait", "--silent", "--mode=fast",
                   "--pgdata=" + self.directory])

    def _run(self, command, variables=None):
        subprocess.run(command, cwd="/", env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       check=True, **as_unprivileged())

    def session(self, database="postgres"):
        return Session(self.psql(database))

    def run_file(self, path):
        """Runs a file of statements."""
        subprocess.run(self.psql("postgres") + ["--file=" + path], check=True, stdout=subprocess.DEVNULL)

    def psql(self, database):
        return [self._server.program("psql"), "--no-psqlrc", "--quiet", "--no-align", "--tuples-only",
                "--set=ON_ERROR_STOP=1", "--host=" + self.directory, "--port={}".format(self.port),
                "--username=postgres", database]


class Session:
    """One connection. A statement that fails raises an EOFError."""

    _END = "end of the statement"

    def __init__(self, command):
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._server_process = None

    def run(self, statement):
        """Returns what psql prints."""
        self._process.stdin.write("{};\n\\echo {}\n".format(statement, self._END))
        self._process.stdin.flush()
        lines = []
        for line in self._process.stdout:
            if line.rstrip("\n") == self._END:
                return "".join(lines)
            lines.append(line)
        raise EOFError("psql has ended in: " + statement)

    def processor_ms(self):
        """The time that the connection's process has run on a processor, in ms."""
        if self._server_process is None:
            self._server_process = self.run("SELECT pg_backend_pid()").strip()
        with open("/proc/{}/schedstat".format(self._server_process), encoding="utf-8") as file:
            return int(file.read().split()[0]) / 1e6

    def close(self):
        self._process.stdin.close()
        self._process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()
