"""An app that buys things through the service. It has no code for tests."""

import json
import time
import urllib.error
import urllib.request


class Shop:
    def __init__(self, base_url, api_key):
        self._base_url = base_url
        self._api_key = api_key

    def start(self, order, item):
        """Starts a run that buys an item, and returns the run's id."""
        # the key is made from the order, so a retry gets the existing run, even after a crash
        return self._send("POST", "/runs", {"task": f"Buy {item}"}, key=f"order-{order}")["id"]

    def wait(self, run_id):
        """Returns a run once it has finished."""
        while self._send("GET", f"/runs/{run_id}/status")["status"] not in ("completed", "failed", "cancelled"):
            time.sleep(0.05)
        return self._send("GET", f"/runs/{run_id}")

    def _send(self, method, path, body=None, key=None, tries=5):
        headers = {"Content-Type": "application/json", "X-Service-API-Key": self._api_key}
        if key is not None:
            headers["Idempotency-Key"] = key
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._base_url + path, data, headers, method=method)
        for attempt in range(1, tries + 1):
            try:
                with urllib.request.urlopen(request, timeout=30) as response:
                    return json.load(response)
            except urllib.error.HTTPError as error:
                if attempt == tries or (error.code < 500 and error.code != 429):
                    raise
                time.sleep(float(error.headers.get("Retry-After") or 0.1 * attempt))
            except OSError:
                # no response: the service may have acted, and the key makes the retry safe
                if attempt == tries:
                    raise
                time.sleep(0.1 * attempt)
