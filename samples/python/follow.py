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


def ask(cursor):
    request = urllib.request.Request(
        f"{URL}/v1/advertiser/events?cursor={cursor}&wait={0 if last == 0 else 45}", headers={"Authorization": f"SWS {CREDENTIAL}"}
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, response.headers, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()
    except (OSError, http.client.HTTPException):
        return 0, {}, b""


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
        last += 1
        # A rename is atomic: events and cursor are stored in one step.
        (STORE / "new").write_bytes(body)
        (STORE / "new").replace(STORE / f"{last}.json")
        cursor = page["cursor"]
        for event in page["events"]:
            print(event["id"], event["type"], flush=True)
