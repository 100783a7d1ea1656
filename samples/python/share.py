"""Asks a candidate to share their profile, reads it, and reports that the form was submitted."""

import base64
import datetime
import http.server
import json
import os
import pathlib
import secrets
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

URL = os.environ.get("DOSSIER_URL", "http://localhost:8080")
AUTH = os.environ.get("DOSSIER_AUTH_URL", URL)
CLIENT_ID = os.environ.get("CLIENT_ID", "demo-ats")
CLIENT_SECRET = os.environ.get("CLIENT_SECRET", "demo-ats-secret")
REDIRECT_URI = os.environ.get("REDIRECT_URI", "http://127.0.0.1:9090/callback")
ADVERTISER_ID = os.environ.get("ADVERTISER_ID", "10000001")
# A new state for each candidate ties the redirect to this request.
STATE = secrets.token_urlsafe()


class Callback(http.server.BaseHTTPRequestHandler):
    """Waits for the candidate to come back. Any program on this machine can call this address, so only our state counts."""

    answer = {}

    def do_GET(self):
        address = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(address.query))
        is_ours = address.path == urllib.parse.urlsplit(REDIRECT_URI).path and query.get("state") == STATE
        self.send_response(200 if is_ours else 400)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        text = "Thank you. You can close this window.\n" if is_ours else "Not the answer we are waiting for.\n"
        self.wfile.write(text.encode())
        if is_ours:
            Callback.answer = query
            self.server.shutdown()

    def log_message(self, *_):
        pass


def send(request):
    """Waits as long as Retry-After says. A request without a response is not retried: see the exchange of the code."""
    while True:
        try:
            with urllib.request.urlopen(request) as response:
                return response.read()
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503) or "Retry-After" not in error.headers:
                sys.exit(error.read().decode())
            time.sleep(int(error.headers["Retry-After"]))


def get_token(**fields):
    basic = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
    request = urllib.request.Request(
        f"{AUTH}/api/iam/oauth2/token",
        data=urllib.parse.urlencode(fields).encode(),
        headers={"Authorization": f"Basic {basic}"},
    )
    return json.loads(send(request))["access_token"]


def call(address, token, body=None):
    headers = {"Authorization": f"Bearer {token}"}
    if body is not None:
        headers["Content-Type"] = "application/json"
        body = json.dumps(body).encode()
    return send(urllib.request.Request(address, data=body, headers=headers))


query = urllib.parse.urlencode(
    {
        "response_type": "code",
        "client_id": CLIENT_ID,
        "redirect_uri": REDIRECT_URI,
        "scope": "r_profile_apply",
        "state": STATE,
        "advertiser_id": ADVERTISER_ID,
    }
)
redirect = urllib.parse.urlsplit(REDIRECT_URI)
with http.server.ThreadingHTTPServer((redirect.hostname, redirect.port), Callback) as server:
    print("Open this address in a browser, sign in and decide:")
    print(f"{AUTH}/api/iam/oauth2/authorize?{query}", flush=True)
    server.serve_forever()
answer = Callback.answer
# The issuer shows that the redirect comes from the server we asked.
if "code" not in answer or answer.get("iss") != AUTH:
    sys.exit(f"nothing was shared: {answer}")

# A code buys one token: if you get no response, send the candidate again instead of repeating this call.
token = get_token(grant_type="authorization_code", code=answer["code"], redirect_uri=REDIRECT_URI)

# This call can be repeated: it returns the same prefilled application.
wanted = {"advertiserId": ADVERTISER_ID, "applicationFormUrl": "https://careers.example.com/apply/7"}
profile = json.loads(call(f"{URL}/v2/applications/prefilled", token, wanted))
print(json.dumps(profile, indent=2))

if profile["resume"] is not None:
    pathlib.Path("resume").write_bytes(call(profile["resume"]["link"], token))

# Report completion when the candidate has submitted your form. The token is your own, without scope, so this works days later too.
now = datetime.datetime.now(datetime.timezone.utc).isoformat()
call(profile["complete"], get_token(grant_type="client_credentials"), {"completionDate": now})
print("reported as submitted")
