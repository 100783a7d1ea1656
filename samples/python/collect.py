"""One round of a poller that never misses or repeats one: start it every minute.

The store is the cursor: a line for each application, and the last line says where to go on.
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
STORE = pathlib.Path(os.environ.get("STORE", "applications"))


def ask(path, tries=8):
    """Reading changes nothing here, so whatever failed for a while is simply asked again."""
    request = urllib.request.Request(f"{URL}/v1/{path}", headers={"Authorization": f"SWS {CREDENTIAL}"})
    for attempt in range(tries):
        is_last = attempt == tries - 1
        wait = 2**attempt
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                # The body belongs to it: a connection may break half-way.
                return response.status, response.headers, response.read()
        except urllib.error.HTTPError as error:
            if is_last or not (error.code == 429 or error.code >= 500):
                return error.code, error.headers, error.read()
            wait = int(error.headers.get("Retry-After", wait))
        except (OSError, http.client.HTTPException):
            if is_last:
                raise
        time.sleep(wait)


def read_store(file):
    if not file.exists():
        return []
    content = file.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):  # What a crash left half-written was never stored.
        os.truncate(file, len(whole))
    return [json.loads(line) for line in whole.splitlines()]


(STORE / "files").mkdir(parents=True, exist_ok=True)
file = STORE / "applications.ndjson"
stored = read_store(file)

more = True
while more:
    after = stored[-1]["ID"] if stored else 0
    status, headers, body = ask(f"advertiser/applications?afterid={after}&limit=500")
    if status != 200:
        sys.exit(f"{status} {body.decode()}")
    page = json.loads(body)["JobApplications"]["JobApplicationsList"]
    with file.open("ab") as lines:
        lines.write(b"".join(json.dumps(application).encode() + b"\n" for application in page))
        lines.flush()
        os.fsync(lines.fileno())
    stored += page
    if page:
        print("stored up to", page[-1]["ID"])
    more = 'rel="next"' in headers.get("Link", "")

# Files come after: one that is held by the virus scanner must not hold up the rest.
for application in stored:
    for attachment in application["Attachments"]:
        path = STORE / "files" / f"{application['ID']}-{attachment['Type']}"
        if path.exists():
            continue
        status, headers, body = ask(attachment["Href"], tries=1)
        if status != 200:
            print(f"{attachment['Href']}: {status}, in the next round", file=sys.stderr)
            continue
        if headers.get("X-Has-Virus") == "true":
            print(f"{attachment['Href']}: was infected, and has no content", file=sys.stderr)
        part = path.with_name(path.name + ".part")
        part.write_bytes(body)
        part.replace(path)
