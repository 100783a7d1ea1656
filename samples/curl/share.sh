#!/bin/sh
# Reads the profile that a candidate shares, and tells that the form was sent.
set -eu
url=${DOSSIER_URL:-http://localhost:8080}
auth=${DOSSIER_AUTH_URL:-$url}
client=${CLIENT_ID:-demo-ats}:${CLIENT_SECRET:-demo-ats-secret}
redirect=${REDIRECT_URI:-http://127.0.0.1:9090/callback}
advertiser=${ADVERTISER_ID:-10000001}

if [ -z "${CODE:-}" ]; then
  echo "Open this, allow it, and run the program again with the code of the address that you are sent to as CODE:"
  # A real page makes up a new state for each candidate, and compares what comes back.
  echo "$auth/api/iam/oauth2/authorize?response_type=code&client_id=${client%%:*}&redirect_uri=$(echo "$redirect" | sed 's/:/%3A/g; s|/|%2F|g')&scope=r_profile_apply&state=demo&advertiser_id=$advertiser"
  exit
fi

field() { sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p"; }

# A code buys one token: never repeat this call, send the candidate again instead.
token=$(curl -sS --fail-with-body -u "$client" "$auth/api/iam/oauth2/token" \
  -d grant_type=authorization_code -d "code=$CODE" --data-urlencode "redirect_uri=$redirect" | field access_token)

# This one may be repeated: it is the same prefilled application.
profile=$(curl -sS --fail-with-body --retry 5 "$url/v2/applications/prefilled" -H "Authorization: Bearer $token" \
  -H 'Content-Type: application/json' \
  -d "{\"advertiserId\": \"$advertiser\", \"applicationFormUrl\": \"https://careers.example.com/apply/7\"}")
echo "$profile"

resume=$(echo "$profile" | field link)
if [ -n "$resume" ]; then curl -sS --fail -OJ -H "Authorization: Bearer $token" "$resume"; fi

# When the candidate has sent your form. The token is your own, so this also works days later.
own=$(curl -sS --fail-with-body -u "$client" "$auth/api/iam/oauth2/token" -d grant_type=client_credentials | field access_token)
curl -sS --fail-with-body --retry 5 "$(echo "$profile" | field complete)" -H "Authorization: Bearer $own" \
  -H 'Content-Type: application/json' -d "{\"completionDate\": \"$(date -u +%Y-%m-%dT%H:%M:%SZ)\"}"
echo "told that it was handed in"
