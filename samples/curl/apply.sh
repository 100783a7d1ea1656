#!/bin/sh
# Sends an application and retries until there is a response: it is stored once, whatever the network does.
set -eu
url=${DOSSIER_URL:-http://localhost:8080}
auth=${DOSSIER_AUTH_URL:-$url}
client=${CLIENT_ID:-demo-board}:${CLIENT_SECRET:-demo-board-secret}
# One key per application, created once and stored with it, so that every retry sends the same key.
key=${KEY:-application-$(date +%s)-$$}

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
echo 'Casey Lim. Ten years behind an espresso machine.' > "$folder/resume.txt"

# With --retry, curl retries 429 and 503 after the time in Retry-After.
token=$(curl -sS --fail-with-body --retry 5 -u "$client" "$auth/api/iam/oauth2/token" \
  -d grant_type=client_credentials -d scope=w_applications | sed 's/.*"access_token":"\([^"]*\)".*/\1/')

# Without a response it may or may not be stored. The key makes it safe to send it again.
for pause in 1 2 4 8 16 0; do
  # The JSON must come before the files.
  status=$(curl -sS -o "$folder/answer" -D "$folder/headers" -w '%{http_code}' "$url/v1/intake/applications" \
    -H "Authorization: Bearer $token" -H "Idempotency-Key: $key" \
    -F 'application={"advertiserId": 10000001, "jobAdId": 32, "jobSeekerId": "user-4711", "contact": {"email": "casey@example.com", "firstName": "Casey", "lastName": "Lim"}};type=application/json' \
    -F "resume=@$folder/resume.txt") || status=000
  case $status in
    201) cat "$folder/answer"; echo; exit ;;
    000 | 429 | 5??) ;;
    409) grep -q idempotency-key-in-use "$folder/answer" || break ;;
    *) break ;;
  esac
  seconds=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9]*\).*/\1/p' "$folder/headers")
  sleep "${seconds:-$pause}"
done
echo "not sent: $status" >&2
cat "$folder/answer" >&2
exit 1
