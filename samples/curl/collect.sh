#!/bin/sh
# Runs one round of a poller that never misses or repeats an application. Run it every minute.
# The store is the cursor: each page is a file named after the highest ID in it.
set -eu
url=${DOSSIER_URL:-http://localhost:8080}
credential=${SWS_CREDENTIAL:-sws_demo_harbour}
store=${STORE:-applications}
mkdir -p "$store/files"

ask() { curl -sS -D "$store/headers" -H "Authorization: SWS $credential" "$@"; }

while :; do
  after=$(ls "$store" | sed -n 's/^page-\([0-9]*\)\.json$/\1/p' | sort -n | tail -n 1)
  # With --retry, curl retries temporary failures (429, 5xx) after the time in Retry-After.
  ask --fail --retry 8 --retry-connrefused -o "$store/new" "$url/v1/advertiser/applications?afterid=${after:-0}&limit=100"
  # Quotes within texts are escaped, so this matches only the keys.
  highest=$(grep -o '"ID":[0-9]*' "$store/new" | tail -n 1 | cut -d: -f2)
  [ -n "$highest" ] || break
  # A rename is atomic: applications and cursor are stored in one step.
  mv "$store/new" "$store/page-$highest.json"
  awk '{ gsub(/[{]"ID":/, "\n&"); print }' "$store/page-$highest.json" |
    sed -nE 's/^[{]"ID":([0-9]+),.*"FirstName":"(([^"\\]|\\.)*)","LastName":"(([^"\\]|\\.)*)".*/\1 \2 \4/p'
  grep -qi '^link:.*rel="next"' "$store/headers" || break
done

# Files come after the list, so that one the virus scanner holds back does not delay the rest. Infected ones are skipped.
cat "$store"/page-*.json | grep -o '"HasVirus":[a-z]*,"Hash":"[^"]*","Href":"[^"]*"' | grep -v '^"HasVirus":true' |
  cut -d'"' -f10 | while read -r href; do
    # Each file has its own folder: candidates choose the names, and two files may have the same one.
    folder=$store/files/$(echo "$href" | sed 's|.*/\(.*\)/\(.*\)|\2-\1|')
    [ -e "$folder" ] && continue
    rm -rf "$folder.part"
    mkdir "$folder.part"
    # -J names the file as it was sent, without any path; characters outside ASCII become underscores.
    case $href in */screen/*) named='-o screen.json' ;; *) named=-OJ ;; esac
    status=$(ask $named --output-dir "$folder.part" -w '%{http_code}' "$url/v1/$href") || status=000
    if grep -qi '^x-has-virus: true' "$store/headers"; then status=infected; fi
    if [ "$status" = 403 ] && grep -q file-not-judged "$folder.part"/*; then status=not-judged; fi
    case $status in
      200) ;;
      # An empty folder means that there is nothing left to download.
      404 | infected | not-judged) rm -f "$folder.part"/*; echo "$href: $status, skipped" >&2 ;;
      *)
        echo "$href: $status, trying again in the next round" >&2
        seconds=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9]*\).*/\1/p' "$store/headers")
        grep -qs not-yet-scanned "$folder.part"/* || sleep "${seconds:-1}"
        continue
        ;;
    esac
    mv "$folder.part" "$folder"
  done
