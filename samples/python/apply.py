"""Sends an application and retries until there is a response: it is stored once, whatever the network does."""

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
# One key per application, created once and stored with it, so that every retry sends the same key.
KEY = os.environ.get("KEY") or str(uuid.uuid4())

application = {
    "advertiserId": 10000001,
    "jobAdId": 32,
    "jobSeekerId": "user-4711",
    "contact": {"email": "casey@example.com", "firstName": "Casey", "lastName": "Lim"},
}
resume = "Casey Lim. Ten years behind an espresso machine.\n"


def send(address, headers, body):
    request = urllib.request.Request(address, body.encode(), headers)
    wait = 1
    while True:
        pause = wait
        try:
            with urllib.request.urlopen(request, timeout=120) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            problem = error.read().decode()
            if not (error.code == 429 or error.code >= 500 or '"idempotency-key-in-use"' in problem):
                sys.exit(problem)
            pause = int(error.headers.get("Retry-After", wait))
        except (OSError, http.client.HTTPException):
            pass  # Without a response it may or may not be stored. The key makes it safe to send it again.
        time.sleep(pause)
        wait = min(60, wait * 2)


token = send(
    f"{AUTH}/api/iam/oauth2/token",
    {"Authorization": "Basic " + base64.b64encode(CLIENT.encode()).decode()},
    urllib.parse.urlencode({"grant_type": "client_credentials", "scope": "w_applications"}),
)["access_token"]

boundary = uuid.uuid4().hex
# The JSON must come before the files.
form = "\r\n".join(
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
receipt = send(
    f"{URL}/v1/intake/applications",
    {
        "Authorization": f"Bearer {token}",
        "Idempotency-Key": KEY,
        "Content-Type": f"multipart/form-data; boundary={boundary}",
    },
    form,
)
print(json.dumps(receipt))
