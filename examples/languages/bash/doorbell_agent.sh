#!/usr/bin/env bash
# The Agent `doorbell` rings for a guest, and takes it back. A ring is a file in the folder RINGS. Needs amqp-tools and jq.
# amqp-publish sets no user_id, so the Schedulers run with REPLY_IDENTITY=trusted.
set -euo pipefail
agent=doorbell

publish() { amqp-publish --url="$BROKER_URL" --exchange="$1" --routing-key="$2" --content-type=application/json --body="$3" "${@:4}"; }
failed() { jq -nc --arg code "$1" --arg message "$2" --argjson transient "$3" '{kind: "failed", $code, $message, $transient}'; }
file_of() { printf %s/%s "$RINGS" "$(jq -rn --arg key "$1" '$key | @uri')"; }

ring() {
  local guest ring; guest=$(jq -r '.input.guest // ""' <<< "$1"); ring=$(file_of "$(jq -r .idempotencyKey <<< "$1")")
  if [[ -z $guest ]]; then failed doorbell.no_guest "There is nobody at the door" false; return; fi
  if [[ $guest == "power cut" ]]; then failed doorbell.no_power "The bell has no power" true; return; fi
  sleep "$(jq -r '.input.seconds // 0' <<< "$1")"
  if [[ $(cat "$ring" 2> /dev/null) == silenced ]]; then failed doorbell.silenced "This ring was taken back" false; return; fi
  printf %s "$guest" > "$ring"
  jq -nc --arg ring "$(basename "$ring")" '{kind: "completed", output: {$ring}}'
}
silence() { # From now on the key is refused: a ring that comes late does not ring.
  printf silenced > "$(file_of "$(jq -r .undo.key <<< "$1")")"
  jq -nc '{kind: "completed", output: null}'
}

handle() { # One request, on the standard input. Without a reply when it is unreadable, or too late.
  local request work outcome; request=$(head -c 1048577)
  ((${#request} <= 1048576)) && jq -e ".agent == \"$agent\" and (.token | type) == \"string\" and .workMs >= 1" <<< "$request" > /dev/null 2>&1 || return 0
  work=$(jq -r '.workMs / 1000' <<< "$request")
  case $(jq -r .operation <<< "$request") in
    ring | silence) outcome=$(timeout "$work" "$0" "$(jq -r .operation <<< "$request")" <<< "$request") || return 0 ;;
    *) outcome=$(failed agent.unknown_operation "This Agent rings and silences" false) ;;
  esac
  publish holdfast.replies "reply.$agent.$(jq -r .taskId <<< "$request")" \
    "$(jq -c --argjson outcome "$outcome" '{taskId, step, attempt, token, $outcome}' <<< "$request")" --persistent
}
beat() {
  publish holdfast.heartbeats "heartbeat.$agent" "$(jq -nc --arg instance "$agent-$$" --argjson leaving "$1" \
    '{agent: "'$agent'", $instance, capacity: 1, inFlight: 0, breaker: "closed", openForMs: 0, everyMs: 2000, $leaving, operations: ["ring", "silence"]}')"
}

case ${1:-serve} in
  handle) handle ;;
  ring | silence) "$1" "$(cat)" ;;
  serve)
    # What it has not answered when it is stopped goes back to the queue.
    trap 'stopping=yes; kill "$consumer" 2> /dev/null || true' TERM
    while [[ -z ${stopping:-} ]]; do
      amqp-consume --url="$BROKER_URL" --queue="agent.$agent" --prefetch-count=1 "$0" handle & consumer=$!
      while kill -0 "$consumer" 2> /dev/null && [[ -z ${stopping:-} ]]; do beat false || true; sleep 1 & wait $! || true; done
      wait "$consumer" || sleep 0.5
    done
    beat true ;;
esac
