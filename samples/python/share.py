"""Reads the profile that a candidate shares, and tells that the form was sent."""

import base64
import datetime
import json
import os
import pathlib
import sys
import urllib.parse
import urllib.request

URL = os.environ.get("DOSSIER_URL", "http://localhost:8080")
AUTH = os.environ.get("DOSSIER_AUTH_URL", URL)
CLIENT_ID = os.environ.get("CLIENT_ID", "demo-ats")
CLIENT_SECRET = os.environ.get("CLIENT_SECRET", "demo-ats-secret")
REDIRECT_URI = os.environ.get("REDIRECT_URI", "http://127.0.0.1:9090/callback")
ADVERTISER_ID = os.environ.get("ADVERTISER_ID", "10000001")
CODE = os.environ.get("CODE")


def get_token(**fields):
    basic = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
    request = urllib.request.Request(
        f"{AUTH}/api/iam/oauth2/token",
        data=urllib.parse.urlencode(fields).encode(),
        headers={"Authorization": f"Basic {basic}"},
    )
    with urllib.request.urlopen(request) as response:
        return json.load(response)["access_token"]


def call(address, token, body=None):
    headers = {"Authorization": f"Bearer {token}"}
    if body is not None:
        headers["Content-Type"] = "application/json"
        body = json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(address, data=body, headers=headers)) as response:
        return response.read()


if CODE is None:
    # A real page makes up a new state for each candidate, and compares what comes back.
    query = urllib.parse.urlencode(
        {
            "response_type": "code",
            "client_id": CLIENT_ID,
            "redirect_uri": REDIRECT_URI,
            "scope": "r_profile_apply",
            "state": "demo",
            "advertiser_id": ADVERTISER_ID,
        }
    )
    print("Open this, allow it, and run the program again with the code that you are sent back with as CODE:")
    print(f"{AUTH}/api/iam/oauth2/authorize?{query}")
    sys.exit()

# A code buys one token: never repeat this call, send the candidate again instead.
token = get_token(grant_type="authorization_code", code=CODE, redirect_uri=REDIRECT_URI)

# This one may be repeated: it is the same prefilled application.
wanted = {"advertiserId": ADVERTISER_ID, "applicationFormUrl": "https://careers.example.com/apply/7"}
profile = json.loads(call(f"{URL}/v2/applications/prefilled", token, wanted))
print(json.dumps(profile, indent=2))

if profile["resume"] is not None:
    pathlib.Path("resume").write_bytes(call(profile["resume"]["link"], token))

# When the candidate has sent your form. The token is your own, so this also works days later.
now = datetime.datetime.now(datetime.timezone.utc).isoformat()
call(profile["complete"], get_token(grant_type="client_credentials"), {"completionDate": now})
print("told that it was handed in")
