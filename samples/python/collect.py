"""Runs one round of a poller that never misses or repeats an application. Run it every minute.

The store is the cursor: one line per application, and the last line says where to continue.
"""

import http.client
import json
import os
import pathlib
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

URL = os.environ.get("DOSSIER_URL", "http://localhost:8080")
CREDENTIAL = os.environ.get("SWS_CREDENTIAL", "sws_demo_harbour")
STORE = pathlib.Path(os.environ.get("STORE", "applications"))


def ask(path, tries=8):
    """Reading changes nothing, so every request that failed temporarily can be retried."""
    request = urllib.request.Request(f"{URL}/v1/{path}", headers={"Authorization": f"SWS {CREDENTIAL}"})
    for attempt in range(tries):
        is_last = attempt == tries - 1
        wait = 2**attempt
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                # Reading the body is part of the attempt, because the connection may break half-way.
                return response.status, response.headers, response.read()
        except urllib.error.HTTPError as error:
            body = error.read()
            is_held = b'"not-yet-scanned"' in body
            if is_last or is_held or not (error.code == 429 or error.code >= 500):
                return error.code, error.headers, body
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
    if len(whole) < len(content):  # A crash in the middle of a write leaves half a line, which does not count as stored.
        os.truncate(file, len(whole))
    return [json.loads(line) for line in whole.splitlines()]


def name_in(disposition):
    """Returns the name under which the file was sent, without anything that could lead out of its folder."""
    encoded = re.search(r"filename\*=UTF-8''([^;]*)", disposition)
    plain = re.search(r'filename=(?:"([^"]*)"|([^;]*))', disposition)
    name = urllib.parse.unquote(encoded[1]) if encoded else plain[1] or plain[2]
    return re.sub(r'^\.+|[/\\:*?"<>|\x00-\x1f\x7f]', "_", name) or "file"


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
    for application in page:
        types = [each["Type"] + (" (infected)" if each["HasVirus"] else "") for each in application["Attachments"]]
        print(application["ID"], application["FirstName"], application["LastName"] + ":", ", ".join(types) or "no attachments")
    more = 'rel="next"' in headers.get("Link", "")

# Files come after the list, so that one the virus scanner holds back does not delay the rest.
for application in stored:
    for attachment in application["Attachments"]:
        href = attachment["Href"]
        # Each file has its own folder: candidates choose the names, and two files may have the same one.
        folder = STORE / "files" / f"{application['ID']}-{attachment['Type']}"
        if attachment["HasVirus"] or folder.exists():
            continue
        status, headers, body = ask(href, tries=2)
        is_infected = headers.get("X-Has-Virus") == "true"
        is_gone = status == 404 or (status == 403 and b'"file-not-judged"' in body)
        if status != 200 and not is_gone:
            print(f"{href}: {status}, trying again in the next round", file=sys.stderr)
            continue
        # An empty folder means that there is nothing left to download.
        part = folder.with_name(folder.name + ".part")
        part.mkdir(exist_ok=True)
        if is_gone or is_infected:
            print(f"{href}: {'infected' if is_infected else status}, skipped", file=sys.stderr)
        else:
            (part / name_in(headers.get("Content-Disposition", "filename=screen.json"))).write_bytes(body)
        part.rename(folder)
