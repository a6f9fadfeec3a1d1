/** What is known of a code that Holdfast itself produces. */
interface FaultCodeEntry {
  /**
   * Whether doing the same again can help. `null`: not a failure but a reason in the history or an
   * alert; or it depends on the case.
   */
  readonly transient: boolean | null;
  readonly meaning: string;
  /** What a person does about it. */
  readonly action: string;
}

/**
 * Every code that Holdfast itself produces, and what it means. Codes are API: they are stored, sent
 * to programs in other languages and alerted on. So one that was released is never changed.
 */
export const faultCodes = {
  "access.denied": {
    transient: false,
    meaning:
      "A submission asks for what not everyone may: `urgent` priority, a fairness weight above 1, a status queue, unknown Agents, or a beginning more than 30 days away. Or a task is asked for by its business key, which can be guessed. Or a principal asks for what operators alone may. Or the token is valid, and no rule in the file of `ACCESS_FILE` gives its bearer any right.",
    action:
      "Leave it out, send `Authorization: Bearer <OPERATOR_TOKEN>`, or name it in `ANONYMOUS_MAY` of submission. A message needs `user_id`, and a `reply-to` that is `status.<user>` or begins with that and a dot; `STATUS_WORDS` says where a user has another word.",
  },
  "agent.circuit_open": {
    transient: true,
    meaning:
      "The remote service failed 10 times in a row, so the Agent does not call it for a while.",
    action: "Repair the remote service. The step is requeued and no failure is counted.",
  },
  "agent.duplicate": {
    transient: false,
    meaning: "Two Agents of one process have the same name.",
    action: "Give each Agent of one process a name of its own.",
  },
  "agent.handler_missing": {
    transient: false,
    meaning: "The Agent's contract has an operation without a handler. The Agent does not start.",
    action: "Add the handler.",
  },
  "agent.invalid": {
    transient: false,
    meaning: "`defineAgent` was given a contract that breaks the rules. The message lists how.",
    action: "Correct the contract.",
  },
  "agent.no_slot": {
    transient: true,
    meaning: "All slots of the Agent stayed busy until shortly before the deadline.",
    action: "Start more Agents, or give the step a longer `completeWithin`. No failure is counted.",
  },
  "agent.remote_changed": {
    transient: false,
    meaning:
      "The workflow says another remote service of an Agent, or otherwise whether it shares keys, than a workflow in use.",
    action: "Say the same in `defineAgent`, or retire the workflows that say otherwise first.",
  },
  "agent.request_refused": {
    transient: true,
    meaning: "The Agent refused the broker user that published the request.",
    action: "Correct `SCHEDULER_USERS` or `REQUEST_IDENTITY` of the Agent.",
  },
  "agent.unexpected": {
    transient: true,
    meaning: "The handler threw an error that is not a Fault.",
    action: "Read the step's `faultDetail`. Have the handler throw a Fault with a code.",
  },
  "agent.unknown": {
    transient: false,
    meaning: "No stored workflow names this Agent.",
    action: "Check the name.",
  },
  "agent.unknown_operation": {
    transient: false,
    meaning:
      "An instance of the Agent has no operation of this name. Its request goes to another instance, as `step.request_unreadable`.",
    action: "Deploy the release of the Agent that has it.",
  },
  "approval.decided_already": {
    transient: false,
    meaning: "The same person has decided about this step before, otherwise. The first stands.",
    action: "None. One who rejects decides alone; what was approved cannot be taken back.",
  },
  "approval.excluded": {
    transient: false,
    meaning:
      "The workflow excludes this person from the decision, such as who submitted the task, though they are of its audience.",
    action: "Have another one of the audience decide.",
  },
  "approval.exclusion_unknown": {
    transient: false,
    meaning:
      "A value that says who may not decide about a step is missing, or is no text, so it is not known who is excluded.",
    action: "Have the input or the earlier step say the id, and submit the task again.",
  },
  "approval.form_invalid": {
    transient: false,
    meaning:
      "What was filled in does not have the form that the workflow says, with a pointer to what is wrong. Nothing is decided.",
    action: "Correct the form, and send the decision again.",
  },
  "approval.needs_principal": {
    transient: false,
    meaning:
      "A decision needs to know who decides. The operators' token is shared, and says nothing of that.",
    action: "Show a key or a token of your own, as `ACCESS_FILE` knows it.",
  },
  "approval.not_in_audience": {
    transient: false,
    meaning: "This person is not of the audience that decides about the step.",
    action: "Have one of the audience decide, or add it to `approves` in `ACCESS_FILE`.",
  },
  "approval.not_open": {
    transient: false,
    meaning: "The step that is to be decided about has not begun to wait.",
    action: "Decide once the steps before it are done.",
  },
  "approval.over": {
    transient: false,
    meaning:
      "There is nothing more to decide: it is decided, its time has passed, or the task is undone or has ended.",
    action: "See in the answer what was decided, and by whom.",
  },
  "approval.rejected": {
    transient: false,
    meaning:
      "One of the audience rejected the step, or its time passed and that counts as a rejection.",
    action: "See in the task who rejected it, and why.",
  },
  "approval.unknown": {
    transient: false,
    meaning: "The workflow of the task has no step of this name that people decide.",
    action: "Name one of the steps that the answer lists.",
  },
  "auth.disabled": {
    transient: false,
    meaning: "Operator routes are disabled in this process.",
    action: "Set `OPERATOR_TOKEN`.",
  },
  "auth.issuer_unavailable": {
    transient: true,
    meaning:
      "The issuer of the token does not answer with its keys, so that the token can be neither taken nor refused.",
    action: "Repair the issuer, or correct its `jwksUri` in the file that `ACCESS_FILE` names.",
  },
  "auth.token_missing": {
    transient: false,
    meaning: "The request shows no token.",
    action:
      "Send `Authorization: Bearer <OPERATOR_TOKEN>`; for approvals a key or a token of your own.",
  },
  "auth.token_wrong": {
    transient: false,
    meaning:
      "The token of the request is neither that of operators nor, by the file of `ACCESS_FILE`, of a principal; or it has expired, or is for another audience.",
    action:
      "Send the `OPERATOR_TOKEN` of this service as `Authorization: Bearer <OPERATOR_TOKEN>`, or a key or a token that the file knows.",
  },
  "auth.too_many_tries": {
    transient: true,
    meaning: "The address showed too many wrong tokens. A right one is taken at any time.",
    action: "Show the right token, or wait as long as `Retry-After` says.",
  },
  "breaker.closed": {
    transient: false,
    meaning:
      "Nothing holds the remote service back: its breaker is closed, and it did not ask to be left alone.",
    action: "None.",
  },
  "breaker.held": {
    transient: false,
    meaning: "An operator holds the remote service already.",
    action: "None.",
  },
  "breaker.opened": {
    transient: null,
    meaning:
      "Alert: a remote service fails, so no step of its Agents is claimed but one at a time that tries it.",
    action:
      "Repair the remote service. `GET /v1/remotes` shows what is held back. It closes by itself once a step is answered.",
  },
  "breaker.unknown": {
    transient: false,
    meaning: "No Agent of a stored workflow calls a remote service of this name.",
    action: "Check the name: `GET /v1/remotes` lists them.",
  },
  "broker.closed": {
    transient: true,
    meaning: "The connection to RabbitMQ was closed.",
    action: "None: the service connects again.",
  },
  "broker.login_refused": {
    transient: false,
    meaning:
      "RabbitMQ has refused the login for as long as `LOGIN_TIMEOUT`. The process exits with 77.",
    action:
      "Check the user, password and virtual host in `BROKER_URL` or its file, and start the process again.",
  },
  "broker.refused": {
    transient: true,
    meaning: "RabbitMQ refused to open a channel or to declare what the service needs.",
    action: "Read the log. Check the user's rights, and run `holdfast doctor`.",
  },
  "broker.request_failed": {
    transient: false,
    meaning: "RabbitMQ's HTTP API refused what it was asked for.",
    action: "Read the broker's words in the message.",
  },
  "broker.unconfirmed": {
    transient: true,
    meaning: "RabbitMQ did not confirm in time that it has a message.",
    action: "Send the same request again. If it stays so, run `holdfast doctor`.",
  },
  "broker.unreachable": {
    transient: true,
    meaning: "RabbitMQ did not accept a connection within half a minute.",
    action: "Check `BROKER_URL` and the broker.",
  },
  "bulk.filter_missing": {
    transient: false,
    meaning: "The filter of a bulk operation has no condition, so it would match every task.",
    action: "Say which tasks: for all that are open, `state: open`.",
  },
  "bulk.has_ended": {
    transient: false,
    meaning: "The bulk operation has ended: it is done, failed or stopped already.",
    action: "None.",
  },
  "bulk.output_missing": {
    transient: false,
    meaning: "Later steps may use the output of the step, and the bulk operation names none.",
    action: "Create another one with `output`, or resolve the task by itself.",
  },
  "bulk.step_ambiguous": {
    transient: false,
    meaning: "Several steps of the task are delayed, and the bulk operation does not say which.",
    action: "Create another one with `step`.",
  },
  "bulk.task_gone": {
    transient: false,
    meaning:
      "The task was deleted by retention before its outcome was verified. Whether it was repaired is unknown.",
    action: "Look into the logs of the remote service. Keep tasks longer: `RETENTION`.",
  },
  "bulk.too_many_open": {
    transient: true,
    meaning: "As many bulk operations are open as may be at a time.",
    action: "Wait until one has ended, or stop one.",
  },
  "bulk.too_many_tasks": {
    transient: false,
    meaning:
      "The filter matches more tasks than one bulk operation may have, or looks at too many.",
    action: "Narrow it: `state`, `createdAt`, a workflow. Then create several operations.",
  },
  "bulk.unknown": {
    transient: false,
    meaning: "There is no bulk operation of that id.",
    action: "Check the id. Ended ones are deleted after `RETENTION`.",
  },
  "cli.agent_not_found": {
    transient: false,
    meaning: "No instance of the Agent takes requests, or its queue does not exist.",
    action: "Start the Agent with this broker's URL, or add it to the users of the broker.",
  },
  "cli.failed": {
    transient: false,
    meaning: "The command failed, and its message says why.",
    action: "Do what the message says.",
  },
  "cli.no_case": {
    transient: false,
    meaning: "No file fits the names or patterns that `holdfast test` was given.",
    action: "Write a case in `cases/`, or name its file.",
  },
  "cli.usage": {
    transient: false,
    meaning: "The command line is wrong.",
    action: "Read the usage text that follows.",
  },
  "config.default_secret": {
    transient: false,
    meaning: "A secret has the value of an example, or is easy to guess.",
    action: "Set a secret of your own, such as `openssl rand -base64 32` prints.",
  },
  "config.invalid": {
    transient: false,
    meaning:
      "The configuration is wrong. The message lists every fault. The process exits with 78.",
    action: "Correct the environment variables.",
  },
  "console.api_unreachable": {
    transient: true,
    meaning: "The console did not reach the submission service that serves its API.",
    action: "Check `API_URL` of the console, and that the submission service runs.",
  },
  "docs.unknown": {
    transient: false,
    meaning: "There is no such page of the documentation, or no such code.",
    action: "Choose one of those that the message names.",
  },
  "domain.illegal_transition": {
    transient: false,
    meaning: "A step was to make a move that the table of transitions does not have.",
    action: "Report it: this is a bug. The step is parked.",
  },
  "message.dead": {
    transient: null,
    meaning:
      "An alert: a message could not be read or was refused. It is kept in `state.dead_letters`.",
    action: "Look at the message and at its sender.",
  },
  "message.dropped": {
    transient: null,
    meaning: "An alert: dead letters were deleted early, because there were too many.",
    action: "Find the sender of so many unreadable messages.",
  },
  "message.malformed": {
    transient: false,
    meaning: "A message does not fit its schema. It becomes a dead letter.",
    action: "Correct the sender.",
  },
  "message.misrouted": {
    transient: false,
    meaning: "A request for one Agent came to the queue of another.",
    action: "Check the bindings with `holdfast doctor`.",
  },
  "message.not_replayable": {
    transient: false,
    meaning: "A dead letter cannot be sent once more; the detail says why.",
    action: "Discard it, or have its sender publish it again.",
  },
  "message.settled": {
    transient: false,
    meaning: "Another operator has sent the dead letter once more or discarded it.",
    action: "None: `GET /v1/dead-letter-actions` says who did.",
  },
  "message.unhandled": {
    transient: false,
    meaning: "A message failed with an error that is not a Fault.",
    action: "Read the log of the Scheduler. Report it: this is a bug.",
  },
  "message.unknown": {
    transient: false,
    meaning: "There is no dead letter of this number.",
    action: "Look at `GET /v1/dead-letters`.",
  },
  "message.unroutable": {
    transient: false,
    meaning: "No queue takes the dead letter where it would be sent.",
    action: "Declare the queue again, as `holdfast doctor` says, or discard the letter.",
  },
  "operator.cancel": {
    transient: null,
    meaning: "An operator cancelled the task, so it is undone.",
    action: "None.",
  },
  "operator.fire": {
    transient: null,
    meaning: "An operator ended the wait of a step.",
    action: "None.",
  },
  "operator.retry": {
    transient: null,
    meaning: "An operator ended the delay of a step.",
    action: "None.",
  },
  "pause.in_force": {
    transient: false,
    meaning: "The workflow or Agent is paused already.",
    action: "None.",
  },
  "pause.not_in_force": {
    transient: false,
    meaning: "The workflow or Agent is not paused.",
    action: "None.",
  },
  "replies.unproven": {
    transient: null,
    meaning:
      "An alert: no reply can have arrived for ten seconds, as no probe of a Supervisor has. No silence is counted as a failure until one does.",
    action:
      "The alert says which part of the way is broken: the broker, a queue or the Schedulers.",
  },
  "request.charset_unsupported": {
    transient: false,
    meaning: "The body is in another charset than UTF-8.",
    action: "Send UTF-8.",
  },
  "request.content_encoding_unsupported": {
    transient: false,
    meaning: "The body is compressed.",
    action: "Send it without `Content-Encoding`.",
  },
  "request.correlation_id_invalid": {
    transient: false,
    meaning: "The correlation id of a message is too long or cannot be stored.",
    action: "Correct the sender.",
  },
  "request.empty": {
    transient: false,
    meaning: "The body is empty.",
    action: "Send a body.",
  },
  "request.expectation_failed": {
    transient: false,
    meaning: "The `Expect` header asks for something else than `100-continue`.",
    action: "Leave the header out.",
  },
  "request.failed": {
    transient: false,
    meaning: "The service failed in a way that it does not know.",
    action: "Read its log. Report it: this is a bug.",
  },
  "request.headers_too_large": {
    transient: false,
    meaning: "The headers are too large or too many.",
    action: "Send fewer.",
  },
  "request.fairness_invalid": {
    transient: false,
    meaning: "The fairness key or weight of a task is not allowed; the detail says what is.",
    action: "Correct it: in the request, or where the workflow finds it in the input.",
  },
  "request.idempotency_key_invalid": {
    transient: false,
    meaning: "The idempotency key is empty, too long or cannot be stored.",
    action: "Send a key of 1 to 255 visible ASCII characters.",
  },
  "request.idempotency_key_missing": {
    transient: false,
    meaning: "A submission by message has no `message_id`.",
    action: "Publish with a `message_id`.",
  },
  "request.idempotency_key_reused": {
    transient: false,
    meaning: "The idempotency key was used for other content.",
    action: "Use a new key for new content.",
  },
  "request.invalid": {
    transient: false,
    meaning: "The request does not fit the route's schema. `errors` says where.",
    action: "Correct the request.",
  },
  "request.malformed": {
    transient: false,
    meaning: "The bytes that arrived are not HTTP.",
    action: "Correct the client.",
  },
  "request.media_type_unsupported": {
    transient: false,
    meaning: "The body is not `application/json`.",
    action: "Send JSON with its content type.",
  },
  "request.misdirected": {
    transient: false,
    meaning:
      "The server is for its own host only, and the request named another host, or came from a page of another one.",
    action:
      "Call it as `127.0.0.1` or `localhost`. Where a proxy on the same host calls it by another name, set `HTTP_NAMES`.",
  },
  "request.no_route": {
    transient: false,
    meaning: "There is no such route.",
    action: "Check method and path.",
  },
  "request.not_json": {
    transient: false,
    meaning: "The body is not JSON in UTF-8.",
    action: "Correct the body.",
  },
  "request.overload": {
    transient: true,
    meaning:
      "There was no room for the request: too much waits to be written, checked or sent, or its address has its share of connections, streams, waits or large bodies; or the process is stopping. It was not begun, or does nothing twice.",
    action:
      "Send it again with the same idempotency key. Behind a proxy set `TRUSTED_PROXIES`; see `ADDRESS_SHARE`.",
  },
  "request.precondition_required": {
    transient: false,
    meaning: "The request does not say which version of the task the operator has seen.",
    action: "Send the `ETag` of the task as `If-Match`, or `*` for whatever version it has.",
  },
  "request.priority_invalid": {
    transient: false,
    meaning: "The priority is none that there is.",
    action: "Say `urgent`, `normal` or `batch`, or leave it out.",
  },
  "request.reply_to_invalid": {
    transient: false,
    meaning: "`reply-to` names a queue that Holdfast does not publish to.",
    action: "Name a queue with an allowed prefix.",
  },
  "request.timeout": {
    transient: true,
    meaning: "The request did not arrive in time.",
    action: "Send it again with the same idempotency key.",
  },
  "request.too_large": {
    transient: false,
    meaning: "The body is larger than allowed.",
    action: "Keep large data elsewhere, and send a reference.",
  },
  "request.url_invalid": {
    transient: false,
    meaning: "The URL cannot be decoded.",
    action: "Correct the URL.",
  },
  "request.url_too_long": {
    transient: false,
    meaning: "A part of the URL is longer than any id or name.",
    action: "Correct the URL.",
  },
  "request.withdrawn": {
    transient: true,
    meaning: "The client closed the connection before its submission was begun.",
    action: "None: nothing was written.",
  },
  "request.workflow_invalid": {
    transient: false,
    meaning: "The header `workflow` of a message is no text of 1 to 255 visible ASCII characters.",
    action: "Correct the header.",
  },
  "request.workflow_missing": {
    transient: false,
    meaning: "A message names no workflow, and `DEFAULT_WORKFLOW` is not set.",
    action: "Name the workflow in the header `workflow`.",
  },
  "scheduler.undecidable": {
    transient: false,
    meaning: "The Scheduler failed while it decided what an event means. The step is parked.",
    action: "Read the log. Report it: this is a bug. Then resubmit or resolve the step.",
  },
  "signal.id_reused": {
    transient: false,
    meaning:
      "A signal of this name and id has another payload: the first stands, and nothing was changed.",
    action:
      "Give each signal an id of its own, such as that of the event that it tells of, and repeat it only as it was.",
  },
  "signal.invalid": {
    transient: false,
    meaning:
      "A signal does not have the form that its workflow says, with a pointer to what is wrong. The task goes on waiting.",
    action: "Correct the payload, and send it again.",
  },
  "signal.too_late": {
    transient: false,
    meaning:
      'No step of the task can take this signal any more: it is being undone, has ended, or the steps that wait for it are over. The signal is kept with the task. With `late: "alert"`, an operator is alerted.',
    action:
      "Do by hand what the signal asks for: if it says that money came, and the task was undone, pay it back.",
  },
  "signal.too_many": {
    transient: true,
    meaning: "A task has 100 signals of one name that no step has taken.",
    action: "Find out why they are sent. What is stored is kept, and taken in its order.",
  },
  "signal.unclaimed": {
    transient: null,
    meaning:
      "Signals were held for business keys (`holdFor`), and no task of that key was submitted in that time. They are deleted.",
    action:
      "Ask the sender which they were, and do by hand what they ask for. Hold them for longer, if tasks come later.",
  },
  "signal.unknown": {
    transient: false,
    meaning: "No step of the workflow waits for a signal of this name.",
    action: "Send it by the name that the workflow has, which the answer lists.",
  },
  "step.condition_false": {
    transient: null,
    meaning: "The condition of the step is false, so the step is skipped.",
    action: "None.",
  },
  "step.contract_broken": {
    transient: false,
    meaning: "The input or output of an operation does not fit the Agent's contract.",
    action: "Correct the workflow or the Agent, then resubmit the step.",
  },
  "step.delay_too_long": {
    transient: null,
    meaning:
      "The Supervisor found a delay longer than the step's policy allows, and planned it anew.",
    action: "None.",
  },
  "step.delayed": {
    transient: null,
    meaning:
      "An alert: a step was requeued 20 times in a row, or an Agent asked for a longer delay than the policy allows, which was shortened.",
    action:
      "See with `holdfast why` what the step waits for. To allow longer delays, give the step a cool-down; to have it halt, `maxRequeues`.",
  },
  "step.delivery_limit": {
    transient: true,
    meaning:
      "The broker delivered the request 20 times without an acknowledgement. It may kill its Agents.",
    action: "Look for crashes in the Agent's log.",
  },
  "step.expired": {
    transient: true,
    meaning: "No reply came until complete-by.",
    action: "Look at the Agent. If it needs longer, raise `completeWithin` in a new version.",
  },
  "step.input_invalid": {
    transient: false,
    meaning: "The resolved input does not fit the Agent's contract in the workflow's definition.",
    action: "Resubmit the step with a corrected input.",
  },
  "step.input_too_costly": {
    transient: false,
    meaning:
      "The resolved input of the step takes too many steps to check against the schema in the workflow's definition.",
    action: "Resubmit the step with a smaller input, or store a new version with a simpler schema.",
  },
  "step.input_too_large": {
    transient: false,
    meaning: "The resolved input of the step is larger than allowed.",
    action: "Pass a reference instead of the data.",
  },
  "step.input_unresolvable": {
    transient: false,
    meaning:
      "A value that the input of the step refers to is missing, and the Agent's contract needs it. The step is parked, and nothing was sent.",
    action:
      "Resubmit the step with an input. Have the schema that the value comes from say that it is there, in a new version.",
  },
  "step.input_unusable": {
    transient: false,
    meaning: "The resolved input of the step cannot be sent.",
    action: "Resubmit the step with a corrected input.",
  },
  "step.never_started": {
    transient: true,
    meaning:
      "No Agent took the request until start-by. No failure is counted: the step is sent again, as often as its `maxRequeues` allows.",
    action: "Start the Agent.",
  },
  "step.not_in_workflow": {
    transient: false,
    meaning: "The stored workflow has no step of this name.",
    action: "A row was changed by hand: run `holdfast verify`.",
  },
  "step.output_invalid": {
    transient: false,
    meaning:
      "The output does not fit the schema in the workflow's definition. The work may be done, so the task halts.",
    action: "Correct the Agent. Then resolve the step, or cancel the task.",
  },
  "step.output_too_costly": {
    transient: false,
    meaning:
      "The output takes too many steps to check against the schema in the workflow's definition. The work may be done, so the task halts.",
    action:
      "Have the Agent return less, or store a new version with a simpler schema. Then resolve the step, or cancel the task.",
  },
  "step.output_unstorable": {
    transient: false,
    meaning:
      "The output is too large or holds what Postgres cannot keep. The work may be done, so the task halts.",
    action: "Correct the Agent. Then resolve the step, or cancel the task.",
  },
  "step.reply_invalid": {
    transient: false,
    meaning:
      "The Agent's reply names its task, step, attempt and token, and is otherwise no `step.reply.v1`. What the Agent did is unknown, so the task halts.",
    action:
      "Correct the Agent: the step's `faultDetail` has the pointer, and `holdfast conformance` finds the same. Then resolve or resubmit the step, or cancel the task.",
  },
  "step.request_rejected": {
    transient: null,
    meaning:
      "An Agent could not read the request. Transient where several requests shared a message.",
    action: "Compare the releases of Agent and Scheduler.",
  },
  "step.request_too_large": {
    transient: false,
    meaning: "The request is larger than the broker allows.",
    action: "Pass references instead of data.",
  },
  "step.request_unreadable": {
    transient: true,
    meaning:
      "The instance of the Agent has another contract than the workflow was made with, and cannot read the request. Nothing was called. Another instance gets it; if no running one is known to read it, the task halts after some two minutes.",
    action:
      "Run an instance with the contract that the workflow needs: `holdfast agents list` shows who has which. Then resubmit the step. A new required field needs a new name of the operation.",
  },
  "step.stopped": {
    transient: true,
    meaning: "The Agent stopped the attempt, because the task is being undone.",
    action: "None.",
  },
  "step.waited_too_long": {
    transient: false,
    meaning:
      "The step was requeued as often in a row as its `maxRequeues` allows, and no Agent did it. The task halts.",
    action:
      "Find out with `holdfast why` what keeps its Agents from it. Then resubmit the step, or cancel the task.",
  },
  "store.bug": {
    transient: false,
    meaning: "The store threw an error that does not come from Postgres.",
    action: "Report it: this is a bug.",
  },
  "store.clock_jumped": {
    transient: null,
    meaning:
      "An alert: the clock of Postgres has jumped. Nothing is deleted until it is trusted again.",
    action: "Set the clock right, then follow the operations guide.",
  },
  "store.contention": {
    transient: true,
    meaning: "A transaction lost against another one: a deadlock, a lock timeout or a changed row.",
    action: "None: it is tried again.",
  },
  "store.failed": {
    transient: false,
    meaning: "Postgres refused a statement because of its set-up, such as a missing right.",
    action: "Read the message, and correct the right, password or schema.",
  },
  "store.full_of_messages": {
    transient: null,
    meaning: "Dead letters reached their limit, so the oldest were deleted.",
    action: "Find the sender of so many unreadable messages.",
  },
  "store.incompatible": {
    transient: false,
    meaning: "The schema of the store is newer than this release can read.",
    action: "Deploy a newer release.",
  },
  "store.login_refused": {
    transient: false,
    meaning:
      "Postgres has refused the login for as long as `LOGIN_TIMEOUT`. The process exits with 77.",
    action:
      "Check the user, password and database in `STATE_STORE_URL` or its file, and start the process again.",
  },
  "store.migration_failed": {
    transient: false,
    meaning: "A migration failed. The message says which one and why.",
    action: "Repair the cause, and run the migration again.",
  },
  "store.not_migrated": {
    transient: false,
    meaning: "The schema of the store is older than this release needs.",
    action: "Run the migrations.",
  },
  "store.outcome_unknown": {
    transient: true,
    meaning:
      "The connection broke at the commit, and the store cannot be asked whether it was done.",
    action: "Send the same request again with the same idempotency key.",
  },
  "store.refused": {
    transient: false,
    meaning: "A constraint or a trigger of the store refused a value. The step is parked.",
    action: "Read the detail. Then resubmit or resolve the step.",
  },
  "store.unavailable": {
    transient: true,
    meaning: "Postgres does not answer, or it accepts no writes.",
    action: "Check `STATE_STORE_URL` and the server.",
  },
  "store.value_too_large": {
    transient: false,
    meaning: "A value is larger than the store keeps.",
    action: "Keep large data elsewhere, and pass a reference.",
  },
  "task.already_paused": {
    transient: false,
    meaning: "The task is paused already.",
    action: "None.",
  },
  "task.changed": {
    transient: false,
    meaning: "The task has changed since the version that the operator named.",
    action: "Read the task again, and decide anew.",
  },
  "task.expired": {
    transient: null,
    meaning: "The task's own limit passed, so the task is undone.",
    action: "Find the slow step in the task's history.",
  },
  "task.finished": {
    transient: false,
    meaning: "The task has ended.",
    action: "None: nothing more can be done to it.",
  },
  "task.halted": {
    transient: null,
    meaning: "An alert: a step failed for good, and the task waits for a person.",
    action: "Resubmit or resolve the step, or cancel the task.",
  },
  "task.invalid": {
    transient: false,
    meaning: "The task failed validation. `errors` says where.",
    action: "Correct the task.",
  },
  "task.is_paused": {
    transient: false,
    meaning: "The task is paused, so its steps cannot be retried.",
    action: "Resume the task.",
  },
  "task.key_in_use": {
    transient: false,
    meaning:
      "Another open task of the workflow has this business key. To operators `taskId` names it.",
    action: "Follow that task, or submit again once it has ended.",
  },
  "task.needs_decision": {
    transient: false,
    meaning: "The step is for its audience to decide, and no operator decides it in their place.",
    action: "Have its audience decide, or undo the task.",
  },
  "task.not_delayed": {
    transient: false,
    meaning: "The step is due already.",
    action: "None.",
  },
  "task.not_in_error": {
    transient: false,
    meaning: "The step has not failed, so it cannot be resubmitted or resolved.",
    action: "Read the task again.",
  },
  "task.not_paused": {
    transient: false,
    meaning: "The task is not paused.",
    action: "None.",
  },
  "task.no_attempt": {
    transient: false,
    meaning: "The step asks no Agent, so it has no attempt that could be made again.",
    action: "Resolve the step, or cancel the task.",
  },
  "task.needs_signal": {
    transient: false,
    meaning:
      "The step waits for a signal whose payload later steps need, so no operator can have it go on without one.",
    action: "Send the signal by `holdfast tasks signal`, or cancel the task.",
  },
  "task.not_awaiting": {
    transient: false,
    meaning: "The step does not wait, so there is no wait that could be ended.",
    action: "Read the task again.",
  },
  "task.not_pending": {
    transient: false,
    meaning: "The step is not pending, so it has no delay that could be ended.",
    action: "Read the task again.",
  },
  "task.not_usable": {
    transient: false,
    meaning: "What the store holds of this task cannot be used.",
    action: "Read the reason with `holdfast why`, and repair the store.",
  },
  "task.nothing_failed": {
    transient: false,
    meaning: "No step of the task has failed for good.",
    action: "Read the task again.",
  },
  "task.patch_not_applicable": {
    transient: false,
    meaning: "The patch does not fit the input that the step has. `errors` says where.",
    action: "Read the input with `holdfast tasks attempts`, and correct the patch.",
  },
  "task.paused": {
    transient: null,
    meaning: "The task is paused, so its pending steps wait.",
    action: "Resume the task.",
  },
  "task.refused": {
    transient: false,
    meaning: "The task cannot be moved this way from where it stands.",
    action: "Read the task again.",
  },
  "task.result_too_large": {
    transient: false,
    meaning: "The task is processed, and what it results in is longer than an answer may be.",
    action:
      "Read the outputs of its steps with `GET /v1/tasks/{id}`, or have the workflow result in less.",
  },
  "task.step_not_failed": {
    transient: false,
    meaning: "Several steps have failed, and the request does not say which one it means.",
    action: "Name one of the steps that the answer lists.",
  },
  "task.submitter_unknown": {
    transient: false,
    meaning:
      "The workflow has a step about which the submitter may not decide, and it is not known who submits this task.",
    action:
      "Submit it with a key or a token that `ACCESS_FILE` knows; a message needs the property `user_id`.",
  },
  "task.undo_has_no_input": {
    transient: false,
    meaning: "An undo has no input that could be corrected.",
    action: "Resubmit it without an input.",
  },
  "task.submission_refused": {
    transient: false,
    meaning:
      "The submission that had this id in the inbox was refused, with the reason that is named.",
    action: "Submit it anew, without what was wrong.",
  },
  "task.unknown": {
    transient: false,
    meaning: "There is no task with this id, or none of the workflow with this business key.",
    action: "Check the id, or the workflow and the key. Tasks are deleted after `RETENTION`.",
  },
  "task.unknown_step": {
    transient: false,
    meaning: "The task has no step of this name.",
    action: "Check the name.",
  },
  "task.unusable": {
    transient: null,
    meaning: "What the store holds of the task cannot be used. The task was paused.",
    action: "Read the reason with `holdfast why`, and repair the store.",
  },
  "task.wrong_goal": {
    transient: false,
    meaning: "The task is being undone, so this cannot be done to it.",
    action: "None.",
  },
  "undo.failing": {
    transient: null,
    meaning: "An alert: the undo of a step keeps failing.",
    action: "Look at the remote service. The undo is retried without limit.",
  },
  "undo.nothing_to_undo": {
    transient: null,
    meaning: "The operation had no effect, so its undo is skipped.",
    action: "None.",
  },
  "wait.expired": {
    transient: false,
    meaning:
      'No signal came within the time for which the step waits, and its workflow says that it has failed then (`onDeadline: "fail"`). What follows is the `onFailure` of the step.',
    action:
      "Find out why it was not sent, and to which task. A longer `within` is for the next version of the workflow.",
  },
  "wait.time_invalid": {
    transient: false,
    meaning:
      "The value that says until when a step waits is missing, or is no instant with its zone, such as `2026-11-24T10:00:00Z`. What follows is the `onFailure` of the step.",
    action:
      "Read the `faultDetail` of the step. Have the step before it return an instant, or give the submission one.",
  },
  "workflow.agents_unknown": {
    transient: false,
    meaning: "An Agent of the workflow has never announced itself, though others have.",
    action: "Start the Agent, or submit with `?allowUnknownAgents=true`.",
  },
  "workflow.already_retired": {
    transient: false,
    meaning: "The workflow is retired already.",
    action: "None.",
  },
  "workflow.changed": {
    transient: false,
    meaning: "A workflow of this name is stored with another content.",
    action: "Give the changed workflow a new name, such as `v2`.",
  },
  "workflow.collection_reserved": {
    transient: false,
    meaning: "The platform needs the noun of the collection itself.",
    action: "Name the collection otherwise.",
  },
  "workflow.collection_taken": {
    transient: false,
    meaning: "The collection is that of another workflow.",
    action: "Name the collection otherwise, or retire all versions of the other workflow.",
  },
  "workflow.contract_breaks": {
    transient: false,
    meaning:
      "By the contracts of the workflow, an operation newly requires a field, or takes it as another type, which a workflow in use does not give: its tasks could not go on with the new Agent.",
    action:
      "Give the changed operation a name of its own, beside the old one, or make the field optional. Or retire the workflows that the message names first.",
  },
  "workflow.format_too_new": {
    transient: false,
    meaning:
      "The definition has steps that wait, and a process of an earlier release is running, which could not take them.",
    action: "Upgrade all services, then store the definition again.",
  },
  "workflow.invalid": {
    transient: false,
    meaning: "The definition of a workflow breaks the rules. The message says where.",
    action: "Correct the definition.",
  },
  "workflow.not_retired": {
    transient: false,
    meaning: "The workflow is not retired, so it cannot be reinstated.",
    action: "None.",
  },
  "workflow.ref_used_as_value": {
    transient: false,
    meaning: "The function of a workflow computed with a value that does not exist yet.",
    action: "Pass the reference on, and compute in the Agent.",
  },
  "workflow.retired": {
    transient: false,
    meaning: "The workflow is retired: it takes no new tasks.",
    action: "Submit to a newer version, or reinstate it.",
  },
  "workflow.operators_only": {
    transient: false,
    meaning:
      "The login of submission may store the first version of a workflow only, and change no collection and no remote service.",
    action:
      "Store the version with `PUT /v1/workflows/{name}`, or name its module in `WORKFLOW_MODULES` of operations, too.",
  },
  "workflow.unknown": {
    transient: false,
    meaning: "No workflow of this name is stored, or it cannot be used.",
    action: "Register the workflow, or check the name.",
  },
  "workflow.unusable": {
    transient: false,
    meaning: "The stored definition of the workflow cannot be used.",
    action: "Read the reason in the answer, and repair the store.",
  },
} as const satisfies Readonly<Record<`${string}.${string}`, FaultCodeEntry>>;

/** A code that Holdfast itself produces. */
export type FaultCode = keyof typeof faultCodes;

/** A code with what the catalogue says of it. */
export interface CataloguedCode extends FaultCodeEntry {
  readonly code: FaultCode;
}

/** Finds what the catalogue says of a code; null: it is not Holdfast's. */
export const findFaultCode = (code: string): CataloguedCode | null =>
  isFaultCode(code) ? { code, ...faultCodes[code] } : null;

const isFaultCode = (code: string): code is FaultCode => Object.hasOwn(faultCodes, code);

/** The area of a code: what stands before its first dot. */
export const areaOf = (code: string): string => code.slice(0, Math.max(0, code.indexOf(".")));

/**
 * Whether Holdfast itself produces codes of this area. The console leaves the catalogue out:
 * nothing reads it at load.
 */
export const isFaultArea = (area: string): boolean =>
  Object.keys(faultCodes).some((code) => areaOf(code) === area);

/**
 * Areas that only Holdfast itself speaks of, and what of others only a Scheduler or Supervisor
 * says.
 */
const unspokenAreas: ReadonlySet<string> = new Set([
  "operator",
  "scheduler",
  "signal",
  "store",
  "task",
  "undo",
  "wait",
]);
const unspokenCodes: ReadonlySet<string> = new Set<FaultCode>([
  "step.condition_false",
  "step.delay_too_long",
  "step.delivery_limit",
  "step.expired",
  "step.never_started",
  "step.request_rejected",
  "step.request_unreadable",
  "step.stopped",
]);

/** Whether a code is one that no Agent may say. */
export const isOursAlone = (code: string): boolean =>
  unspokenAreas.has(areaOf(code)) || unspokenCodes.has(code);

/** The areas that belong to Holdfast. An Agent's codes are in areas of its own. */
type OwnArea = FaultCode extends infer Code
  ? Code extends `${infer Area}.${string}`
    ? Area
    : never
  : never;

/**
 * A code that is made at run time, or comes from a program that is not Holdfast: see `agentCode`.
 */
export type AgentCode = string & { readonly [agentCodeMark]: true };
declare const agentCodeMark: unique symbol;

/** Says that a code that is not known before run time belongs to an Agent, and not to Holdfast. */
export const agentCode = (code: string): AgentCode => code as AgentCode;

/**
 * Codes that a Fault can have: those of the catalogue, literals in areas that are not Holdfast's,
 * and what went through `agentCode`. For anything else this is `never`.
 */
export type KnownCode<Code extends string> = Code extends FaultCode | AgentCode
  ? Code
  : Code extends `${OwnArea}.${string}`
    ? never
    : FaultCode extends Code
      ? never
      : [Extract<FaultCode, Code>] extends [never]
        ? Code
        : never;
