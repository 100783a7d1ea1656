#!/bin/sh
# Makes the secrets of compose.scale.yaml at random, once, in the folder "secrets" beside this file. Only you can open the folder;
# containers get single files of it.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir secrets || { echo 'The secrets are there already: remove the folder to make others.' >&2; exit 1; }
random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
password=$(random) key=$(random) secret=$(random)
printf '%s' "$password" > secrets/postgres-password
printf 'postgres://dossier:%s@postgres/dossier' "$password" > secrets/database-url
head -c 32 /dev/urandom | base64 > secrets/webhook-key
head -c 32 /dev/urandom | base64 > secrets/secrets-key
printf '[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n' "$key" "$secret" > secrets/s3-credentials
printf '{"identities":[{"name":"dossier","credentials":[{"accessKey":"%s","secretKey":"%s"}],"actions":["Read:dossier","Write:dossier","List:dossier","Tagging:dossier"]}]}' \
  "$key" "$secret" > secrets/s3-config
chmod 444 secrets/*
