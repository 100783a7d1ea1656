#!/bin/sh
# Brings an application in, and repeats it until there is an answer: it makes one, whatever the network does.
set -eu
url=${DOSSIER_URL:-http://localhost:8080}
auth=${DOSSIER_AUTH_URL:-$url}
client=${CLIENT_ID:-demo-board}:${CLIENT_SECRET:-demo-board-secret}
# One key per application, made once and kept with it: the same whenever it is sent again.
key=${KEY:-application-$(date +%s)-$$}

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
echo 'Casey Lim. Ten years behind an espresso machine.' > "$folder/resume.txt"

token=$(curl -sS --fail-with-body --retry 5 -u "$client" "$auth/api/iam/oauth2/token" \
  -d grant_type=client_credentials -d scope=w_applications | sed 's/.*"access_token":"\([^"]*\)".*/\1/')

# The JSON goes before the files. 409 with idempotency-key-in-use is to be repeated as well.
for pause in 1 2 4 8 16 0; do
  status=$(curl -sS -o "$folder/answer" -w '%{http_code}' "$url/v1/intake/applications" \
    -H "Authorization: Bearer $token" -H "Idempotency-Key: $key" \
    -F 'application={"advertiserId": 10000001, "jobAdId": 32, "jobSeekerId": "user-4711", "contact": {"email": "casey@example.com", "firstName": "Casey", "lastName": "Lim"}};type=application/json' \
    -F "resume=@$folder/resume.txt") || status=000
  case $status in
    201) cat "$folder/answer"; echo; exit ;;
    000 | 429 | 5??) sleep "$pause" ;;
    409) grep -q idempotency-key-in-use "$folder/answer" && sleep 2 || break ;;
    *) break ;;
  esac
done
echo "not sent: $status" >&2
cat "$folder/answer" >&2
exit 1
