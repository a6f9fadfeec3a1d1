#!/usr/bin/env bash
# Starts the Agents in Python and bash beside `npm run dev`, which says where its broker is. Ctrl-C stops them.
set -euo pipefail
BROKER_URL=$(jq -r .brokerUrl .holdfast/dev/places.json)
# In development everything has one broker user; elsewhere Schedulers have their own.
user=${BROKER_URL#*//} SCHEDULER_USERS=${user%%:*}
export BROKER_URL SCHEDULER_USERS
trap 'kill $(jobs -p) 2> /dev/null; wait' EXIT
"${PYTHON:-python3}" agents/hotels.py &
agents/mail.sh &
wait -n
