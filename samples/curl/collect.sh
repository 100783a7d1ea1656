#!/bin/sh
# One round of a poller that never misses or repeats an application: run it every minute.
# The store is the cursor: each page is a file that is named after the highest ID in it.
set -eu
url=${DOSSIER_URL:-http://localhost:8080}
credential=${SWS_CREDENTIAL:-sws_demo_harbour}
store=${STORE:-applications}
mkdir -p "$store/files"

ask() { curl -sS -D "$store/headers" -H "Authorization: SWS $credential" "$@"; }

while :; do
  after=$(ls "$store" | sed -n 's/^page-\([0-9]*\)\.json$/\1/p' | sort -n | tail -n 1)
  # With --retry, curl repeats what failed for a while (429, 5xx), and waits as long as Retry-After says.
  ask --fail --retry 8 --retry-connrefused -o "$store/new" "$url/v1/advertiser/applications?afterid=${after:-0}&limit=100"
  # Quotes within texts are escaped, so this finds the keys and nothing else.
  highest=$(grep -o '"ID":[0-9]*' "$store/new" | tail -n 1 | cut -d: -f2)
  [ -n "$highest" ] || break
  # A rename happens or does not: applications and cursor are stored in one step.
  mv "$store/new" "$store/page-$highest.json"
  awk '{ gsub(/[{]"ID":/, "\n&"); print }' "$store/page-$highest.json" |
    sed -nE 's/^[{]"ID":([0-9]+),.*"FirstName":"(([^"\\]|\\.)*)","LastName":"(([^"\\]|\\.)*)".*/\1 \2 \4/p'
  grep -qi '^link:.*rel="next"' "$store/headers" || break
done

# Files come after the list: one that the virus scanner holds back must not hold up the rest. Infected ones are left out.
cat "$store"/page-*.json | grep -o '"HasVirus":[a-z]*,"Hash":"[^"]*","Href":"[^"]*"' | grep -v '^"HasVirus":true' |
  cut -d'"' -f10 | while read -r href; do
    # A folder for each file: its name is the candidate's, and two files may have the same one.
    folder=$store/files/$(echo "$href" | sed 's|.*/\(.*\)/\(.*\)|\2-\1|')
    [ -e "$folder" ] && continue
    rm -rf "$folder.part"
    mkdir "$folder.part"
    # -J names the file as it was sent, without any path; letters outside ASCII become underscores.
    case $href in */screen/*) named='-o screen.json' ;; *) named=-OJ ;; esac
    status=$(ask $named --output-dir "$folder.part" -w '%{http_code}' "$url/v1/$href") || status=000
    if grep -qi '^x-has-virus: true' "$store/headers"; then status=infected; fi
    if [ "$status" = 403 ] && grep -q file-not-judged "$folder.part"/*; then status=not-judged; fi
    case $status in
      200) ;;
      # An empty folder says that there is nothing to ask for again.
      404 | infected | not-judged) rm -f "$folder.part"/*; echo "$href: $status, skipped" >&2 ;;
      *)
        echo "$href: $status, trying again in the next round" >&2
        told=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9]*\).*/\1/p' "$store/headers")
        grep -qs not-yet-scanned "$folder.part"/* || sleep "${told:-1}"
        continue
        ;;
    esac
    mv "$folder.part" "$folder"
  done
