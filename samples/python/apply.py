"""Brings an application in, and repeats it until there is an answer: it makes one, whatever the network does."""

import base64
import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

URL = os.environ.get("DOSSIER_URL", "http://localhost:8080")
AUTH = os.environ.get("DOSSIER_AUTH_URL", URL)
CLIENT = os.environ.get("CLIENT_ID", "demo-board") + ":" + os.environ.get("CLIENT_SECRET", "demo-board-secret")
# One key per application, made once and kept with it: the same whenever it is sent again.
KEY = os.environ.get("KEY") or str(uuid.uuid4())

application = {
    "advertiserId": 10000001,
    "jobAdId": 32,
    "jobSeekerId": "user-4711",
    "contact": {"email": "casey@example.com", "firstName": "Casey", "lastName": "Lim"},
}
resume = "Casey Lim. Ten years behind an espresso machine.\n"


def get_token():
    request = urllib.request.Request(
        f"{AUTH}/api/iam/oauth2/token",
        data=urllib.parse.urlencode({"grant_type": "client_credentials", "scope": "w_applications"}).encode(),
        headers={"Authorization": "Basic " + base64.b64encode(CLIENT.encode()).decode()},
    )
    with urllib.request.urlopen(request) as response:
        return json.load(response)["access_token"]


def send(token):
    boundary = uuid.uuid4().hex
    # The JSON goes before the files.
    body = "\r\n".join(
        [
            f"--{boundary}",
            'Content-Disposition: form-data; name="application"',
            "Content-Type: application/json",
            "",
            json.dumps(application),
            f"--{boundary}",
            'Content-Disposition: form-data; name="resume"; filename="resume.txt"',
            "Content-Type: text/plain",
            "",
            resume,
            f"--{boundary}--",
            "",
        ]
    )
    request = urllib.request.Request(
        f"{URL}/v1/intake/applications",
        data=body.encode(),
        headers={
            "Authorization": f"Bearer {token}",
            "Idempotency-Key": KEY,
            "Content-Type": f"multipart/form-data; boundary={boundary}",
        },
    )
    with urllib.request.urlopen(request, timeout=120) as response:
        return json.load(response)


token = get_token()
wait = 1
while True:
    try:
        print(json.dumps(send(token)))
        break
    except urllib.error.HTTPError as error:
        problem = json.load(error)
        if not (error.code == 429 or error.code >= 500 or problem["code"] == "idempotency-key-in-use"):
            sys.exit(json.dumps(problem))
        time.sleep(int(error.headers.get("Retry-After", wait)))
    except (OSError, http.client.HTTPException):
        # No answer at all: it may be stored, or not. The key makes it safe to send it again.
        time.sleep(wait)
    wait = min(60, wait * 2)
