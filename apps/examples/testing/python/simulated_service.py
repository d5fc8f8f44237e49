"""Starts the simulated service as its own process, with Python's standard library only."""

import json
import subprocess
import urllib.request

# the file that `npx webagent-server` runs; with npx, the signal to stop wouldn't reach the server
PROGRAM = "node_modules/webagent-server/bin/webagent-server.js"


class SimulatedService:
    """A service on free ports. `flags` are further flags of `webagent-server simulate`."""

    def __init__(self, *flags):
        options = ["--quiet", "--port", "0", "--control", "--control-key", "test-control"]
        self._process = subprocess.Popen(
            ["node", PROGRAM, "simulate", *options, *flags], stdout=subprocess.PIPE, text=True
        )
        # the server prints a name and a value per line once it listens, the key last
        printed = {}
        for line in self._process.stdout:
            name, _, value = line.partition(" ")
            printed[name] = value.strip()
            if name == "key":
                break
        self.base_url, self.api_key = printed["v4"], printed["key"]
        self._control_url = printed["control"]

    def control(self, method, path, body=None):
        """Sends a request to the control API, such as ("PUT", "/profile", {"preset": "flaky"})."""
        headers = {"Content-Type": "application/json", "X-Control-Key": "test-control"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._control_url + path, data, headers, method=method)
        with urllib.request.urlopen(request) as response:
            return json.load(response)

    def mistakes(self):
        """Returns the app's mistakes, one sentence per oracle."""
        verdicts = self.control("GET", "/verdicts")["verdicts"]
        return [verdict["sentence"] for verdict in verdicts if not verdict["holds"]]

    def stop(self):
        self._process.terminate()
        self._process.wait()
        self._process.stdout.close()
