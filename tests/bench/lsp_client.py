"""A minimal client of the language server over standard input and output, for benchmarks.

Linux only, because it reads /proc.
"""

import json
import subprocess
import threading
from urllib.parse import quote


class Editor:
    """`ubp lsp` on a folder."""

    def __init__(self, ubp, folder):
        self.process = subprocess.Popen([ubp, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.folder = folder
        self.last = 0
        self.answers, self.told = {}, []
        self.heard = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()
        edits = {"documentChanges": True, "resourceOperations": ["create", "rename", "delete"]}
        capabilities = {"workspace": {"workspaceEdit": edits}, "window": {"workDoneProgress": True}}
        uri = f"file://{quote(folder)}"
        folders = [{"uri": uri, "name": "vault"}]
        self.ask("initialize", {"processId": None, "rootUri": uri, "workspaceFolders": folders, "capabilities": capabilities})
        self.tell("initialized", {})

    def read(self):
        stream = self.process.stdout
        while True:
            length = 0
            while (line := stream.readline().strip()):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not length:
                break
            message = json.loads(stream.read(length))
            with self.heard:
                if "method" not in message:
                    self.answers[message["id"]] = message
                else:
                    self.told.append(message)
                    if "id" in message:
                        self.write({"jsonrpc": "2.0", "id": message["id"], "result": None})
                self.heard.notify_all()

    def write(self, message):
        body = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def tell(self, method, params):
        self.write({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method, params):
        self.last += 1
        number = self.last
        self.write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        with self.heard:
            self.heard.wait_for(lambda: number in self.answers)
            answer = self.answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def wait_for(self, is_it):
        """The first message of the server, since the last call, for which `is_it` holds."""
        with self.heard:
            self.heard.wait_for(lambda: any(is_it(message) for message in self.told))
            found = next(message for message in self.told if is_it(message))
            self.told.clear()
        return found

    def uri(self, path):
        return f"file://{quote(self.folder)}/{quote(path)}"

    def memory(self):
        """Its proportional share and its private memory, in kB."""
        with open(f"/proc/{self.process.pid}/smaps_rollup") as lines:
            sizes = {line.split()[0]: int(line.split()[1]) for line in lines if line.split()[-1] == "kB"}
        return sizes["Pss:"], sizes["Private_Clean:"] + sizes["Private_Dirty:"]

    def close(self):
        self.ask("shutdown", None)
        self.tell("exit", None)
        return self.process.wait(10)
