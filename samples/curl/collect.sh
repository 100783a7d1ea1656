#!/bin/sh
# One round of a poller that never misses or repeats one: start it every minute.
# The store is the cursor: each page is a file that is named by the highest ID in it.
set -eu
url=${DOSSIER_URL:-http://localhost:8080}
credential=${SWS_CREDENTIAL:-sws_demo_harbour}
store=${STORE:-applications}
mkdir -p "$store/files"

# curl itself repeats what failed for a while (408, 429, 5xx), and waits as long as Retry-After says.
ask() { curl -sS --fail --retry-connrefused -H "Authorization: SWS $credential" "$@"; }

while :; do
  after=$(ls "$store" | sed -n 's/^page-\([0-9]*\)\.json$/\1/p' | sort -n | tail -n 1)
  ask --retry 8 -D "$store/headers" -o "$store/new" "$url/v1/advertiser/applications?afterid=${after:-0}&limit=100"
  # Quotes within texts are escaped, so this finds the keys and nothing else.
  highest=$(grep -o '"ID":[0-9]*' "$store/new" | tail -n 1 | cut -d: -f2)
  [ -n "$highest" ] || break
  # A rename happens or does not: applications and cursor are stored in one step.
  mv "$store/new" "$store/page-$highest.json"
  echo "stored up to $highest"
  grep -qi '^link:.*rel="next"' "$store/headers" || break
done

# Files come after: one that is held by the virus scanner must not hold up the rest.
cat "$store"/page-*.json | grep -o '"Href":"[^"]*"' | cut -d'"' -f4 | while read -r href; do
  file=$store/files/$(echo "$href" | sed 's|.*/\(.*\)/\(.*\)|\2-\1|')
  [ -e "$file" ] && continue
  if ask -o "$file.part" "$url/v1/$href"; then
    [ -e "$file.part" ] || : > "$file.part" # An infected file has no content.
    mv "$file.part" "$file"
  else
    echo "$href: in the next round" >&2
  fi
done
