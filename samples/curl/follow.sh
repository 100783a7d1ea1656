#!/bin/sh
# Follows what happens to an advertiser, without gap or repetition, until you stop it.
# The store is the cursor: each answer with events is a file, and the newest one says where to continue.
set -eu
url=${DOSSIER_URL:-http://localhost:8080}
credential=${SWS_CREDENTIAL:-sws_demo_harbour}
store=${STORE:-events}
# Reported back for each new application, such as viewed.
state=${REPORT:-}
mkdir -p "$store"
# A request of a run that was killed may still be under way.
new=$store/new.$$

gap=
while :; do
  last=$(ls "$store" | sed -n 's/^\([0-9]*\)\.json$/\1/p' | sort -n | tail -n 1)
  # Without a cursor the answer comes at once: it is where following begins.
  search='cursor=now'
  [ -z "$last" ] || search=cursor=$(sed 's/.*"cursor":"\([^"]*\)".*/\1\&wait=45/' "$store/$last.json")
  : >"$new.head"
  status=$(curl -sS -D "$new.head" -o "$new" -w '%{http_code}' --max-time 60 \
    -H "Authorization: SWS $credential" "$url/v1/advertiser/events?${gap:-$search}") || status=000
  case $status in
    200) ;;
    410)
      echo 'Some events are no longer kept: read the list of applications once.' >&2
      gap='cursor=start'
      continue
      ;;
    000 | 429 | 5??)
      seconds=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9]*\).*/\1/p' "$new.head")
      sleep "${seconds:-1}"
      continue
      ;;
    *)
      cat "$new" >&2
      exit 1
      ;;
  esac
  # Nothing has happened.
  if [ -n "$last" ] && grep -q '^{"events":\[\]' "$new"; then
    sleep 1
    continue
  fi
  gap=
  entries=$(grep -o '"type":"application.created","timestamp":"[^"]*","data":{"advertiserId":[0-9]*,"applicationId":[0-9]*' "$new" |
    sed 's/.*"timestamp":"\([^"]*\)".*:\([0-9]*\)$/{"applicationId":\2,"state":"'"$state"'","at":"\1"}/' | paste -s -d , -)
  # Repeated until there is an answer: a report that arrives twice changes nothing.
  if [ -n "$state" ] && [ -n "$entries" ]; then
    curl -sS --fail --retry 1000 --retry-all-errors --retry-delay 1 --max-time 60 -o /dev/null \
      -H "Authorization: SWS $credential" -H 'Content-Type: application/json' \
      -d "{\"entries\":[$entries]}" "$url/v1/advertiser/progress"
  fi
  # A rename is atomic: events and cursor are stored in one step.
  page=$store/$(expr "${last:-0}" + 1).json
  mv "$new" "$page"
  grep -o '"id":"[^"]*","type":"[^"]*"' "$page" |
    sed 's/"id":"\(.*\)","type":"\(.*\)"/\1 \2/' || true
done
