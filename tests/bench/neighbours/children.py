"""Runs the programs under measurement: every call has a time limit, and a program that hangs or crashes is a `Failure`.

Time is wall-clock time and CPU time of the whole process tree. Peak memory is the sum of the resident high-water marks
of the tree, which only Linux reports (in /proc); elsewhere it is None. `ru_maxrss` is not used, because a new process
starts with the high-water mark of the process that created it, which is this bench.
"""

import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass

# Seconds between two readings of the memory of a running command.
SAMPLING = 0.02
TICK = os.sysconf("SC_CLK_TCK")


class Failure(Exception):
    """A program did not do its task; the text says why, for a row of the table."""


@dataclass
class Finished:
    """What a command cost: seconds of wall clock and of CPU, peak memory in bytes, and its standard output."""

    wall: float
    cpu: float
    peak: int | None
    output: str = ""

    def plus(self, other):
        peaks = [peak for peak in (self.peak, other.peak) if peak is not None]
        return Finished(self.wall + other.wall, self.cpu + other.cpu, max(peaks, default=None), other.output)


def tree(pid):
    """A process and its descendants, as far as they still exist."""
    found = [pid]
    for parent in found:
        try:
            for task in os.listdir(f"/proc/{parent}/task"):
                with open(f"/proc/{parent}/task/{task}/children") as children:
                    found += [int(child) for child in children.read().split()]
        except OSError:
            pass
    return found


def peak_memory(pid):
    """Bytes, or None where /proc does not tell."""
    total = 0
    for one in tree(pid):
        try:
            with open(f"/proc/{one}/status") as status:
                for line in status:
                    if line.startswith("VmHWM:"):
                        total += int(line.split()[1]) * 1024
        except OSError:
            pass
    return total or None


def cpu_time(pid):
    """Seconds of user and system time that a running tree has used, including children that have ended."""
    total = 0
    for one in tree(pid):
        try:
            with open(f"/proc/{one}/stat") as stat:
                total += sum(int(field) for field in stat.read().rpartition(")")[2].split()[11:15])
        except (OSError, ValueError):
            pass
    return total / TICK


def kill(process):
    """Kills a process that this bench started, with its descendants: it leads its own process group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:160] if lines else "no message"


def run(command, limit, cwd=None, env=None, accept=(0,)):
    """Runs a command to its end within `limit` seconds.

    Raises `Failure` if it cannot be started, takes longer, is killed by a signal, or exits with another status than `accept`.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        begun = time.perf_counter()
        try:
            process = subprocess.Popen(
                command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, start_new_session=True
            )
        except OSError as error:
            raise Failure(f"cannot be started: {error.strerror}") from error
        late = threading.Event()
        ended = threading.Event()
        peak = 0

        def stop():
            late.set()
            kill(process)

        def sample():
            nonlocal peak
            while not ended.wait(SAMPLING):
                peak = max(peak, peak_memory(process.pid) or 0)

        timer = threading.Timer(limit, stop)
        sampler = threading.Thread(target=sample, daemon=True)
        timer.start()
        sampler.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            kill(process)
            raise
        finally:
            timer.cancel()
            ended.set()
        wall = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        sampler.join()
        # What the command left running would disturb the measurements that follow.
        kill(process)
        output.seek(0)
        errors.seek(0)
        text = output.read().decode(errors="replace")
        if late.is_set():
            raise Failure(f"hung: not finished after {limit:.0f} s")
        if process.returncode < 0:
            raise Failure(f"crashed: {signal.Signals(-process.returncode).name}")
        if process.returncode not in accept:
            said = errors.read().decode(errors="replace") or text
            raise Failure(f"failed with status {process.returncode}: {last_line(said)}")
        return Finished(wall, usage.ru_utime + usage.ru_stime, peak or None, text)


class Session:
    """A server that talks JSON-RPC over its standard streams, one message on each line."""

    def __init__(self, command, limit, cwd=None, env=None):
        self.limit = limit
        self.last = 0
        self.errors = tempfile.TemporaryFile()
        try:
            self.process = subprocess.Popen(
                command, cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, start_new_session=True
            )
        except OSError as error:
            raise Failure(f"cannot be started: {error.strerror}") from error
        self.lines = queue.SimpleQueue()
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()

    def listen(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def send(self, message):
        try:
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self.process.stdin.flush()
        except OSError as error:
            raise self.failure() from error

    def failure(self):
        try:
            status = self.process.wait(1)
        except subprocess.TimeoutExpired:
            status = None
        self.errors.seek(0)
        return Failure(f"the server ended with status {status}: {last_line(self.errors.read().decode(errors='replace'))}")

    def ask(self, method, params, limit=None):
        """The result of a request; a late answer, an error or the end of the server is a `Failure`."""
        self.last += 1
        limit = limit or self.limit
        until = time.monotonic() + limit
        self.send({"id": self.last, "method": method, "params": params})
        while True:
            try:
                line = self.lines.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                self.close()
                raise Failure(f"hung: no answer to {method} after {limit:.0f} s") from None
            if line is None:
                raise self.failure()
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if message.get("id") != self.last or "method" in message:
                continue
            if "error" in message:
                raise Failure(f"{method}: {last_line(str(message['error'].get('message', message['error'])))}")
            return message["result"]

    def initialize(self):
        """The handshake of the Model Context Protocol."""
        client = {"name": "neighbours", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self.send({"method": "notifications/initialized"})
        return self

    def call(self, tool, **arguments):
        """The answer of an MCP tool: its structured content, or its first text, which is JSON in some servers."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        text = next((part["text"] for part in result.get("content", []) if part.get("type") == "text"), "")
        if result.get("isError"):
            raise Failure(f"{tool}: {last_line(text)}")
        if result.get("structuredContent") is not None:
            return result["structuredContent"]
        try:
            return json.loads(text)
        except ValueError:
            return text

    def cpu(self):
        return cpu_time(self.process.pid)

    def peak(self):
        return peak_memory(self.process.pid)

    def close(self):
        try:
            self.process.stdin.close()
        except OSError:
            pass
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            pass
        kill(self.process)
        self.process.wait()
        self.listener.join()
        self.process.stdout.close()
        self.errors.close()
