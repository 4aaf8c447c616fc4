"""A minimal MCP client over standard input and output, for benchmarks: searches, and the resources of the server.

Linux only, because it reads /proc.
"""

import json
import os
import subprocess
import threading


class Server:
    """`ubp mcp-server` on a project, or another command that serves."""

    def __init__(self, ubp, folder, *options, serve=("mcp-server",)):
        command = [ubp, "-C", folder, *serve, *options]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.last = 0
        self.writing = threading.Lock()
        self.answers = {}
        self.answered = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.ask("initialize", hello)
        self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            with self.answered:
                self.answers[message.get("id")] = message
                self.answered.notify_all()
        with self.answered:
            self.answers = None
            self.answered.notify_all()

    def write(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        """The result of a request. Several threads may ask at once."""
        with self.writing:
            self.last += 1
            number = self.last
            self.write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        with self.answered:
            self.answered.wait_for(lambda: self.answers is None or number in self.answers)
            if self.answers is None:
                raise SystemExit("the server ended")
            message = self.answers.pop(number)
        if "error" in message:
            raise SystemExit(f"{method}: {message['error']}")
        return message["result"]

    def search(self, query, **arguments):
        result = self.ask("tools/call", {"name": "ubp_search", "arguments": {"query": query, **arguments}})
        assert not result.get("isError"), result
        return result

    def memory(self):
        """PSS and private memory, in kilobytes."""
        fields = self.fields("smaps_rollup")
        return fields["Pss"], fields["Private_Clean"] + fields["Private_Dirty"]

    def peak(self):
        """The largest resident set so far, in kilobytes."""
        return self.fields("status")["VmHWM"]

    def fields(self, file):
        fields = {}
        with open(f"/proc/{self.process.pid}/{file}") as lines:
            for line in lines:
                parts = line.split()
                if parts[0].endswith(":") and parts[-1] == "kB":
                    fields[parts[0][:-1]] = int(parts[1])
        return fields

    def processor_seconds(self):
        """The processor time that the server has used."""
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self):
        self.process.stdin.close()
        return self.process.wait(10)


def at(times, share):
    """The value below which this share of all values is."""
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]
