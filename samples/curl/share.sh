#!/bin/sh
# Asks a candidate to share their profile, reads it, and reports that the form was submitted.
set -eu
url=${DOSSIER_URL:-http://localhost:8080}
auth=${DOSSIER_AUTH_URL:-$url}
client=${CLIENT_ID:-demo-ats}:${CLIENT_SECRET:-demo-ats-secret}
redirect=${REDIRECT_URI:-http://127.0.0.1:9090/callback}
advertiser=${ADVERTISER_ID:-10000001}

encoded() { printf %s "$1" | sed 's/:/%3A/g; s|/|%2F|g'; }
# A new state for each candidate ties the redirect to this request.
state=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')

echo "Open this address in a browser, sign in and decide:"
echo "$auth/api/iam/oauth2/authorize?response_type=code&client_id=${client%%:*}&redirect_uri=$(encoded "$redirect")&scope=r_profile_apply&state=$state&advertiser_id=$advertiser"
# The samples in the other languages listen on the redirect URI.
echo "A shell cannot listen, so the browser will say that it cannot connect. Copy the address it shows and paste it here:"
read -r answer
answer="${answer#*\?}&"

# The state shows that the redirect answers our request, the issuer that it comes from the server we asked.
case "&$answer" in *"&state=$state&"*) ;; *) echo "not the answer to this request" >&2; exit 1 ;; esac
case "&$answer" in *"&iss=$(encoded "$auth")&"* | *"&iss=$auth&"*) ;; *) echo "not from $auth" >&2; exit 1 ;; esac
case "&$answer" in *"&code="*) ;; *) echo "nothing was shared: $answer" >&2; exit 1 ;; esac
code=${answer#*code=}

field() { sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p"; }

# A code buys one token: if you get no response, send the candidate again instead of repeating this call.
# With --retry, curl retries 429 and 503 after the time in Retry-After.
token=$(curl -sS --fail-with-body --retry 5 -u "$client" "$auth/api/iam/oauth2/token" \
  -d grant_type=authorization_code -d "code=${code%%&*}" --data-urlencode "redirect_uri=$redirect" | field access_token)

# This call can be repeated: it returns the same prefilled application.
profile=$(curl -sS --fail-with-body --retry 5 "$url/v2/applications/prefilled" -H "Authorization: Bearer $token" \
  -H 'Content-Type: application/json' \
  -d "{\"advertiserId\": \"$advertiser\", \"applicationFormUrl\": \"https://careers.example.com/apply/7\"}")
echo "$profile"

resume=$(echo "$profile" | field link)
if [ -n "$resume" ]; then curl -sS --fail --retry 5 -o resume -H "Authorization: Bearer $token" "$resume"; fi

# Report completion when the candidate has submitted your form. The token is your own, without scope, so this works days later too.
own=$(curl -sS --fail-with-body --retry 5 -u "$client" "$auth/api/iam/oauth2/token" -d grant_type=client_credentials | field access_token)
curl -sS --fail-with-body --retry 5 "$(echo "$profile" | field complete)" -H "Authorization: Bearer $own" \
  -H 'Content-Type: application/json' -d "{\"completionDate\": \"$(date -u +%Y-%m-%dT%H:%M:%SZ)\"}"
echo "reported as submitted"
