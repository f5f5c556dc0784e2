"""The server that a test file drives, on a free port of the loopback address."""

import socket
import subprocess
import threading

HOST = '127.0.0.1'
ATTEMPTS = 5
READY = 'Ready to accept connections'


def free_port():
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


class ServerProcess:
    """Runs the program from construction until stop()."""

    def __init__(self, program):
        for _ in range(ATTEMPTS):
            self.port = free_port()
            if self._launch(program):
                return
        raise RuntimeError(f'{program} does not start:\n{"".join(self._said)}')

    def _launch(self, program):
        """False when the process ended at once: somebody else took the port."""
        self._said = []
        # setpriv: a test that is killed must not leave its server behind.
        self._process = subprocess.Popen(
            ['setpriv', '--pdeathsig', 'TERM', program, '--port', str(self.port), '--bind', HOST, '--save', ''],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        ready = threading.Event()
        threading.Thread(target=self._read, args=(self._process.stdout, self._said, ready), daemon=True).start()
        ready.wait()
        return any(READY in line for line in self._said)

    @staticmethod
    def _read(output, said, ready):
        """Reads to the end, lest the server waits for a full pipe."""
        with output:
            for line in output:
                said.append(line)
                if READY in line:
                    ready.set()
        ready.set()

    def stop(self):
        """Ends the process and returns its exit code."""
        self._process.terminate()
        return self._process.wait(timeout=10)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
