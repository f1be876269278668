#!/bin/sh
# Creates the passwords of docker-compose.yml's containers once; existing files stay unchanged.
set -eu
cd "$(dirname "$0")"

# The folder keeps others out; the files in it are read by containers that run as other users.
umask 022
mkdir -p secrets
chmod 700 secrets
cd secrets

random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

[ -s postgres-password ] || random > postgres-password
[ -s db2.env ] || echo "DB2INST1_PASSWORD=$(random)" > db2.env
[ -s server.env ] || cat > server.env <<EOF
DATABASE_URL=postgres://tailgate:$(cat postgres-password)@postgres:5432/tailgate
OPS_TOKEN=$(random)
# The host, where there is one; for the service of \`docker compose --profile db2\`:
# LEGACY_URL=db2://db2inst1:$(sed 's/^DB2INST1_PASSWORD=//' db2.env)@db2:50000/TAILGATE
EOF
# For the profile `monitoring`. A changed OPS_TOKEN needs a new copy: delete the file and run this again.
[ -s ops-token ] || sed -n 's/^OPS_TOKEN=//p' server.env | tr -d '\n' > ops-token
[ -s grafana-password ] || random > grafana-password
echo "secrets are in $(pwd): server.env, postgres-password, db2.env, ops-token, grafana-password"
