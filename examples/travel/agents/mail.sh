#!/usr/bin/env bash
# The Agent `mail` confirms a trip. A letter is a file in ledger/mail. Needs amqp-tools and jq.
# amqp-publish sets no user_id, so the Schedulers run with REPLY_IDENTITY=trusted.
set -euo pipefail
agent=mail

publish() { amqp-publish --url="$BROKER_URL" --exchange="$1" --routing-key="$2" --content-type=application/json --body="$3" "${@:4}"; }
failed() { jq -nc --arg code "$1" --arg message "$2" --argjson transient "$3" '{kind: "failed", $code, $message, $transient}'; }

confirm() { # The key stands for one letter, however often it is asked for.
  local to key; to=$(jq -r '.input.to // ""' <<< "$1"); key=$(jq -r '.idempotencyKey | @uri' <<< "$1")
  if [[ $to != *@* || $to == *@bounces.example ]]; then failed mail.undeliverable "There is no mailbox $to" false; return; fi
  [[ -e ledger/mail/$key ]] || echo "to $to" > "ledger/mail/$key"
  jq -nc --arg messageId "$key" '{kind: "completed", output: {$messageId}}'
}

handle() { # One request, on the standard input. Without a reply when it is unreadable, or too late.
  local request work outcome; request=$(head -c 1048577)
  ((${#request} <= 1048576)) && jq -e ".agent == \"$agent\" and (.token | type) == \"string\" and .workMs >= 1" <<< "$request" > /dev/null 2>&1 || return 0
  work=$(jq -r '.workMs / 1000' <<< "$request")
  case $(jq -r .operation <<< "$request") in
    confirm) outcome=$(timeout "$work" "$0" "$(jq -r .operation <<< "$request")" <<< "$request") || return 0 ;;
    *) outcome=$(failed agent.unknown_operation "This Agent confirms" false) ;;
  esac
  publish holdfast.replies "reply.$agent.$(jq -r .taskId <<< "$request")" \
    "$(jq -c --argjson outcome "$outcome" '{taskId, step, attempt, token, $outcome}' <<< "$request")" --persistent
}
beat() {
  publish holdfast.heartbeats "heartbeat.$agent" "$(jq -nc --arg instance "$agent-$$" --argjson leaving "$1" \
    '{agent: "'$agent'", $instance, capacity: 1, inFlight: 0, breaker: "closed", openForMs: 0, everyMs: 2000, $leaving, operations: ["confirm"]}')"
}

case ${1:-serve} in
  handle) handle ;;
  confirm) "$1" "$(cat)" ;;
  serve)
    mkdir -p ledger/mail
    # What it has not answered when it is stopped goes back to the queue.
    trap 'stopping=yes; kill "$consumer" 2> /dev/null || true' TERM
    while [[ -z ${stopping:-} ]]; do
      amqp-consume --url="$BROKER_URL" --queue="agent.$agent" --prefetch-count=1 "$0" handle & consumer=$!
      while kill -0 "$consumer" 2> /dev/null && [[ -z ${stopping:-} ]]; do beat false || true; sleep 1 & wait $! || true; done
      wait "$consumer" || sleep 0.5
    done
    beat true ;;
esac
