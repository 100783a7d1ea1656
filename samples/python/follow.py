"""Follows what happens to an advertiser, without gap or repetition, until you stop it. The SDK has more of it.

The store is the cursor: each answer with events is a file, and the newest one says where to continue.
"""

import http.client
import json
import os
import pathlib
import sys
import time
import urllib.error
import urllib.request

URL = os.environ.get("DOSSIER_URL", "http://localhost:8080")
CREDENTIAL = os.environ.get("SWS_CREDENTIAL", "sws_demo_harbour")
STORE = pathlib.Path(os.environ.get("STORE", "events"))
# Reported back for each new application, such as viewed.
STATE = os.environ.get("REPORT")


def send(path, body=None):
    headers = {"Authorization": f"SWS {CREDENTIAL}", "Content-Type": "application/json"}
    request = urllib.request.Request(URL + path, body, headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, response.headers, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()
    except (OSError, http.client.HTTPException):
        return 0, {}, b""


def ask(cursor):
    return send(f"/v1/advertiser/events?cursor={cursor}&wait={0 if last == 0 else 45}")


def report(events):
    """Repeats until there is an answer: a report that arrives twice changes nothing."""
    entries = [
        {"applicationId": event["data"]["applicationId"], "state": STATE, "at": event["timestamp"]}
        for event in events
        if event["type"] == "application.created"
    ]
    while STATE and entries:
        status, headers, body = send("/v1/advertiser/progress", json.dumps({"entries": entries}).encode())
        if status == 200:
            return
        if status not in (0, 429) and status < 500:
            sys.exit(f"{status} {body.decode()}")
        time.sleep(int(headers.get("Retry-After", 1)))


STORE.mkdir(parents=True, exist_ok=True)
last = max((int(file.stem) for file in STORE.glob("*.json")), default=0)
cursor = json.loads((STORE / f"{last}.json").read_bytes())["cursor"] if last > 0 else "now"

while True:
    status, headers, body = ask(cursor)
    if status == 410:
        print("Some events are no longer kept: read the list of applications once.", file=sys.stderr)
        cursor = "start"
    elif status in (0, 429) or status >= 500:
        time.sleep(int(headers.get("Retry-After", 1)))
    elif status != 200:
        sys.exit(f"{status} {body.decode()}")
    else:
        page = json.loads(body)
        # Nothing has happened. The first answer, which comes at once, is stored all the same: following begins there.
        if not page["events"] and last > 0:
            time.sleep(1)
            continue
        report(page["events"])
        last += 1
        # A rename is atomic: events and cursor are stored in one step.
        (STORE / "new").write_bytes(body)
        (STORE / "new").replace(STORE / f"{last}.json")
        cursor = page["cursor"]
        for event in page["events"]:
            print(event["id"], event["type"], flush=True)
