/** Text of a source file that is replaced; it occurs exactly once. */
interface Edit {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** How the feature of a row of docs/evidence/pattern.md is taken out of the source. */
export interface Removal {
  /** What is gone then. */
  readonly what: string;
  readonly edits: readonly Edit[];
  /** The test that must fail, by its title in docs/evidence/pattern.md. */
  readonly test: string;
}

/** Why the feature of a row is not taken out. */
export interface Kept {
  readonly reason: string;
}

const fence = "packages/domain/src/fence.ts";
const outcome = "packages/domain/src/decide.ts";
const plan = "packages/domain/src/step-kinds.ts";
const failure = "packages/domain/src/failure.ts";
const claimSql = "packages/state-store/sql/claim/claim-due-steps.sql";
const requests = "services/scheduler/src/dispatch/build-requests.ts";
const submissionMain = "services/submission/src/service.ts";
const recover = "services/supervisor/src/recover/recover-expired-steps.ts";

const edit = (file: string, find: string, replace = ""): Edit => ({ file, find, replace });
const reached =
  "failing › delays a step longer after each failure, and stops retrying at the threshold";

const fencing = `  if (step.processState !== "processing") return rejected("not_processing");
  if (step.attempt !== attempt) return rejected("stale_attempt");
  if (step.token !== token) return rejected("wrong_token");
`;

/**
 * The removal of the feature of each row, part by part where it has several, or why there is none.
 */
export const removals: Readonly<Record<string, Removal | readonly Removal[] | Kept>> = {
  "P-1": {
    what: "no step that undoes another is added",
    edits: [
      edit(
        "packages/domain/src/undo.ts",
        "  for (const step of undos) steps.set(step.plan.name, step);\n",
      ),
    ],
    test: "with random events in random order › no task gets into an illegal state, and each task ends once the faults are over",
  },
  "P-2": {
    reason:
      "it names no one feature: the rows below take out resends (P-16), recovery (P-40), retries (P-42) and cool-downs (P-44)",
  },
  "P-3": {
    what: "a join waits for one of its branches only",
    edits: [
      edit(
        plan,
        "return step.plan.after.every((name) => {",
        "return step.plan.after.length === 0 || step.plan.after.some((name) => {",
      ),
    ],
    test: "doing › runs branches in parallel and joins them once",
  },
  "P-4": {
    what: "the shop waits for no remote service once its retries are over",
    edits: [
      edit(
        "examples/orders/workflow/src/fulfil-order.ts",
        'const coolDown = { wait: "2m", times: 6 } as const;',
        'const coolDown = { wait: "1s", times: 1 } as const;',
      ),
    ],
    test: "an outage of ten minutes that hits the step $name › delays the order, which is fulfilled within minutes after it",
  },
  "P-5": {
    what: "steps are undone in any order",
    edits: [
      edit(
        plan,
        "return (task.workflow.downstream.get(undoes) ?? []).every((name) => isUndone(task, name));",
        "return true;",
      ),
    ],
    test: "undoing › undoes completed steps in reverse order",
  },
  "P-6": {
    what: "a cool-down without limit is none",
    edits: [
      edit(
        failure,
        "coolDown.times === null || step.coolDowns < coolDown.times",
        "step.coolDowns < (coolDown.times ?? 0)",
      ),
    ],
    test: "undoing › retries transient faults without limit",
  },
  "P-7": {
    what: "an undo does not wait for what is in flight",
    edits: [
      edit(plan, "|| undoes === null || !isSettled(call))", "|| undoes === null)"),
      edit(plan, "return isSettled(call) && (undo", "return (undo"),
    ],
    test: "undoing › waits for attempts in flight, and uses their outputs",
  },
  "P-8": {
    what: "an undo is not told what its step returned",
    edits: [
      edit(
        requests,
        "output: completed ? (values.outputs.get(job.call.name) ?? null) : null,",
        "output: null,",
      ),
    ],
    test: "an undo receives the input and the output of its step unchanged",
  },
  "P-9": {
    what: "the docs do not say when not to use it",
    edits: [edit("docs/get-started/compare.md", "## When not to\n", "## Limits\n")],
    test: "every link of %s within this repository leads somewhere",
  },
  "P-10": {
    what: "a step does not wait for those before it",
    edits: [edit(plan, "return step.admitted && isReached(task, step);", "return step.admitted;")],
    test: "doing › starts the steps without predecessors, and each other step after its predecessors",
  },
  "P-11": {
    what: "a claim is not written into the history",
    edits: [
      edit(
        claimSql,
        "  select task_id, name, 'claim', 'pending', 'processing', attempt, :locked_by from claimed\n  union all\n",
      ),
    ],
    test: "a claim marks the task as processing, and writes itself into the history",
  },
  "P-12": {
    what: "the complete-by time leaves out how long the work may take",
    edits: [
      edit(claimSql, "(start_within::float8 + complete_within)", "(start_within::float8 + 1)"),
    ],
    test: "a claim locks a due step in the name of the Scheduler, with its two limits and a token",
  },
  "P-13": {
    what: "the broker drops requests for which there is no queue",
    edits: [
      edit(
        "packages/messaging/src/publish/publisher.ts",
        "mandatory: !transient,",
        "mandatory: false,",
      ),
    ],
    test: "publishing › distinguishes unroutable messages from stored ones, however they are mixed",
  },
  "P-14": {
    what: "an Agent does one step at a time",
    edits: [
      edit(
        "packages/agent/src/serve/perform-request.ts",
        "const slots = semaphore(options.concurrency, clock);",
        "const slots = semaphore(1, clock);",
      ),
    ],
    test: "an Agent does many steps at the same time",
  },
  "P-15": {
    what: "the Scheduler imports the shop",
    edits: [
      edit(
        "services/scheduler/src/replies/record-replies.ts",
        '} from "@holdfast/state-store";\n',
        '} from "@holdfast/state-store";\nimport type {} from "@holdfast/orders";\n',
      ),
    ],
    test: "%s knows no business: it names no workflow and no Agent",
  },
  "P-16": {
    what: "no request is published by another Scheduler than the one that claimed it",
    edits: [
      edit(
        "services/scheduler/src/scheduler.ts",
        "round: resend },",
        "round: async () => 1_000 + Number(typeof resend === 'string') },",
      ),
    ],
    test: "if a Scheduler dies after its claim and before its publish, another one resends the request",
  },
  "P-17": {
    what: "a request does not carry the limit of its step",
    edits: [edit(requests, "workMs: plan.completeWithin,", "workMs: 1,")],
    test: "a request carries all that its Agent needs, and its limits",
  },
  "P-18": {
    what: "a reply makes no next step due",
    edits: [
      edit(
        "packages/domain/src/settle.ts",
        "obsoleteUndos, holdPending, planSteps]",
        "obsoleteUndos, holdPending]",
      ),
    ],
    test: "a batch of replies › advances every task, and stores the outputs",
  },
  "P-19": {
    what: "the token of a reply is not looked at",
    edits: [edit(fence, '  if (step.token !== token) return rejected("wrong_token");\n')],
    test: "doing › rejects %s",
  },
  "P-20": {
    what: "a claim leaves its step pending",
    edits: [
      edit(
        claimSql,
        "     set process_state = 'processing',\n         locked_by",
        "     set process_state = 'pending',\n         locked_by",
      ),
    ],
    test: "a claim never gives one step to two Schedulers",
  },
  "P-21": {
    what: "a claim does not lock what it picks",
    edits: [
      edit(
        claimSql,
        "            limit capacity.slots\n              for no key update skip locked",
        "            limit capacity.slots",
      ),
    ],
    test: "eight Schedulers claim ten thousand steps, each of them once",
  },
  "P-22": {
    reason:
      "there is nothing to take out: a Scheduler has no memory that it would have to restore, and the store that replaces it is needed by every test",
  },
  "P-23": {
    what: "a request is resent although it is known to have been sent",
    edits: [
      edit(
        "packages/state-store/sql/claim/take-unconfirmed-steps.sql",
        "     and confirmed_at is null\n",
      ),
    ],
    test: "the resend skips confirmed steps, and confirms no step that has moved on",
  },
  "P-24": {
    what: "values to which a step refers are not looked up",
    edits: [
      edit(requests, "new Set([...refs, call.name, plan.name])", "new Set([call.name, plan.name])"),
    ],
    test: "a claim holds references only: the outputs that an input refers to are loaded at dispatch",
  },
  "P-25": {
    what: "the shop asks one service after the other",
    edits: [edit("examples/orders/workflow/src/fulfil-order.ts", "    after: [],\n")],
    test: "fulfil-order checks stock and risk in parallel, and runs the other steps one after the other",
  },
  "P-26": {
    what: "an Agent tries nothing again by itself",
    edits: [
      edit(
        "packages/agent/src/attempt/resilience-policy.ts",
        "maxAttempts: retries,",
        "maxAttempts: 0 * retries,",
      ),
    ],
    test: "a transient fault › is retried with the same idempotency key",
  },
  "P-27": {
    what: "an Agent answers after the deadline",
    edits: [
      edit(
        "packages/agent/src/attempt/attempt-step.ts",
        "return signal.aborted ? null : first;",
        "return first ?? stopped(tries);",
      ),
    ],
    test: "after the deadline › sends no reply, even if the handler does not stop",
  },
  "P-28": {
    what: "a reply to an earlier attempt counts",
    edits: [edit(fence, fencing)],
    test: "a late reply of an Agent that was frozen past its deadline is rejected, and the rejection is recorded",
  },
  "P-29": {
    what: "a step that is resubmitted with another input has a new key, whatever it has done",
    edits: [
      edit(
        "packages/domain/src/operator-request.ts",
        "inputChanged && !step.mayHaveEffect;",
        "inputChanged;",
      ),
    ],
    test: "the idempotency key › after a resubmit with %s",
  },
  "P-30": {
    what: "an Agent calls every fault transient",
    edits: [
      edit(
        "packages/agent/src/attempt/attempt-step.ts",
        "transient: fault?.transient ?? true,",
        "transient: true,",
      ),
    ],
    test: "a failure › reports %s",
  },
  "P-31": {
    what: "the circuit never opens",
    edits: [
      edit(
        "packages/agent/src/attempt/resilience-policy.ts",
        "new ConsecutiveBreaker(failures)",
        "new ConsecutiveBreaker(1_000_000 + failures)",
      ),
    ],
    test: "the circuit breaker stops calling a remote service that failed too often in a row, and says for how long",
  },
  "P-32": {
    what: "a broker user may read the queue of one Agent only",
    edits: [
      edit(
        "packages/messaging/src/topology/definitions.ts",
        "user.agents.map(agentQueue)",
        "user.agents.slice(0, 1).map(agentQueue)",
      ),
    ],
    test: "an Agent › may be one user for several Agents",
  },
  "P-33": {
    what: "replies do not name the user whom the broker vouches for",
    edits: [
      edit(
        "packages/agent/src/serve/send-reply.ts",
        "      correlationId: taskId,\n      userId,\n",
        "      correlationId: taskId,\n",
      ),
    ],
    test: "an Agent replies under its own name, which the broker verifies, with the token of the request",
  },
  "P-34": {
    what: "no step counts as overdue",
    edits: [
      edit(
        "packages/state-store/sql/expire/find-expired.sql",
        "    and complete_by between to_timestamp(:since::float8 / 1000) and statement_timestamp()\n",
        "    and complete_by > statement_timestamp() + interval '1 year'\n",
      ),
    ],
    test: "a Supervisor that cron starts with --once recovers what is overdue, and ends",
  },
  "P-35": {
    what: "the Supervisor writes replies",
    edits: [
      edit(
        recover,
        'import type { ReplyProbes } from "./reply-probes.ts";\n',
        'import type { ReplyProbes } from "./reply-probes.ts";\nimport type { StepReply as _ } from "@holdfast/contracts";\n',
      ),
    ],
    test: "the Supervisor asks and watches: it neither reads requests nor writes replies",
  },
  "P-36": {
    what: "the Supervisor imports the shop",
    edits: [
      edit(
        recover,
        'import type { ReplyProbes } from "./reply-probes.ts";\n',
        'import type { ReplyProbes } from "./reply-probes.ts";\nimport type {} from "@holdfast/orders";\n',
      ),
    ],
    test: "%s knows no business: it names no workflow and no Agent",
  },
  "P-37": {
    what: "a service asks for a restart while what it depends on is down",
    edits: [
      edit(
        "packages/runtime/src/service/health.ts",
        "live: () => ({ status: 200, body: { ready: true, failing: [] } }),",
        "live: () => ({ status: checks.size > 0 ? 503 : 200, body: { ready: true, failing: [] } }),",
      ),
    ],
    test: "a service is live whatever its checks say, because a restart would not help",
  },
  "P-38": {
    what: "the threshold of failures is not looked at",
    edits: [edit(failure, "if (failureCount < retry.failures) {", "if (failureCount >= 0) {")],
    test: reached,
  },
  "P-39": {
    what: "an attempt whose limit has passed goes on",
    edits: [
      edit(
        outcome,
        "if (context.now < step.completeBy) return",
        "if (context.now < Number.MAX_VALUE) return",
      ),
    ],
    test: "a late reply of an Agent that was frozen past its deadline is rejected, and the rejection is recorded",
  },
  "P-40": {
    what: "the Supervisor has nothing recovered",
    edits: [
      edit(recover, "reportedEvents.length > 0 ? await", "reportedEvents.length < 0 ? await"),
    ],
    test: "the Supervisor requests a remedy for each overdue step, and wakes the Schedulers once",
  },
  "P-41": {
    what: "each attempt has the same complete-by time",
    edits: [
      edit(
        claimSql,
        "complete_by   = statement_timestamp() +",
        "complete_by   = timestamptz '2100-01-01' +",
      ),
    ],
    test: "a claim gives a retried step a new complete-by time and a new token",
  },
  "P-42": {
    what: "failures are not counted",
    edits: [
      edit(
        failure,
        "Math.min(step.failureCount + 1, retry.failures)",
        "Math.min(step.failureCount, retry.failures)",
      ),
    ],
    test: reached,
  },
  "P-43": {
    what: "a request that no Agent took counts as a failure",
    edits: [
      edit(
        outcome,
        "return requeueStep(task, step, neverStarted(step, event), context);",
        'return failStep(task, step, { ...neverStarted(step, event), transient: true, saidBy: "agent" }, context);',
      ),
    ],
    test: "while no Agent runs, steps are requeued and no failure is counted",
  },
  "P-44": {
    what: "no step cools down",
    edits: [edit(failure, "if (coolDown !== null && (", "if (coolDown === undefined && (")],
    test: "failing › cools a step down if its policy says so, and only as often as it says",
  },
  "P-45": {
    what: "a step whose outcome is unknown is not undone",
    edits: [
      edit(
        "packages/domain/src/undo.ts",
        'step.processState === "processing" || step.mayHaveEffect;',
        'step.processState === "processing";',
      ),
    ],
    test: "undoing › undoes a step whose outcome is unknown",
  },
  "P-46": {
    what: "no policy can have a task halt",
    edits: [
      edit(
        "packages/domain/src/fail-step.ts",
        'onFinalFailure(policyFor(step.plan, failure.code)) === "undo"\n',
        "onFinalFailure(policyFor(step.plan, failure.code)).length > 0\n",
      ),
    ],
    test: "failing › halts the task if the policy says so: nothing new starts, and attempts in flight end by themselves",
  },
  "P-47": {
    reason:
      "two walls hold it, and one is enough: the fence (P-28), and the lock on the row of the task; without either alone the counts are the same",
  },
  "P-48": {
    reason:
      "there is nothing to take out: Supervisors share the work by looking at the same store, and know nothing of each other",
  },
  "P-49": {
    what: "the Supervisor never sleeps",
    edits: [
      edit(
        recover,
        "const more = isFull && (applied > 0 || held.size > heldBefore);",
        "const more = isFull || applied >= 0 || held.size > heldBefore;",
      ),
    ],
    test: "when %s, the Supervisor sleeps for so long",
  },
  "P-50": {
    what: "a Supervisor that is started with --once scans nothing",
    edits: [edit("services/supervisor/src/service.ts", "    await supervising.once(signal);\n")],
    test: "a Supervisor that cron starts with --once recovers what is overdue, and ends",
  },
  "P-51": {
    reason:
      "durability is Postgres' own: without fsync its processes can be killed all the same, and only a power failure tells",
  },
  "P-52": {
    reason: "replication is Postgres' own, and set up by the test",
  },
  "P-53": {
    what: "the Supervisor recovers steps only while RabbitMQ holds messages that say something of them",
    edits: [edit(recover, '      return "no";\n', '      return "wait";\n')],
    test: "purging every queue while orders are in flight delays orders, and loses none",
  },
  "P-54": {
    what: "the view leaves out the count of failures",
    edits: [
      edit(
        "packages/state-store/migrations/0001_holdfast.sql",
        'failure_count as "FailureCount"',
        '0 as "FailureCounts"',
      ),
    ],
    test: "the view order_process shows each step as the pattern's own record",
  },
  "P-55": {
    what: "the store lets steps make any move",
    edits: [
      edit(
        "packages/state-store/src/migrate/migrate.ts",
        "(old.process_state <> new.process_state and ${isNoneOf(savedStepTransitions)})",
        "(false and ${isNoneOf(savedStepTransitions)})",
      ),
    ],
    test: "a change that the store refuses › the guard of the store: %s to %s is legal: %s",
  },
  "P-56": {
    what: "the first step of a task is not written down",
    edits: [
      edit(
        "packages/state-store/src/submit/insert-tasks.ts",
        "steps: stepsOf(decided).map(",
        "steps: stepsOf(decided).slice(1).map(",
      ),
    ],
    test: "a submission writes a task, its input and all its steps together",
  },
  "P-57": {
    what: "an order by message that comes twice has two keys",
    edits: [
      edit(
        "services/submission/src/read-delivery.ts",
        "const idempotencyKey = keyOf(delivery);",
        "const idempotencyKey = `${keyOf(delivery)}-${performance.now()}`;",
      ),
    ],
    test: "an order by message is processed like any other, and once, however often it is delivered",
  },
  "P-58": {
    what: "the input is not written down with its task",
    edits: [
      edit(
        "packages/state-store/src/submit/insert-tasks.ts",
        "input: JSON.stringify(task.input),",
        "input: JSON.stringify(null),",
      ),
    ],
    test: "a submission writes a task, its input and all its steps together",
  },
  "P-59": {
    what: "nothing tells the Schedulers of an order that was accepted",
    edits: [
      edit(
        "services/submission/src/submit-task.ts",
        'if (submitted.some(({ kind }) => kind === "created")) hint();',
      ),
    ],
    test: "a booking is answered with 202 and its URL once it is durable, and the Schedulers get a hint",
  },
  "P-60": {
    what: "statuses are deleted instead of sent",
    edits: [
      edit(
        "services/scheduler/src/outbox/send-notifications.ts",
        "const result = await sendTraced({ sender, tracing }, message, notification);",
        'const result = Object.keys({ sendTraced, sender, message }).length > 0 ? "stored" : "unknown";',
      ),
    ],
    test: "a submitter gets the statuses of its order in sequence, and a submitter that went away blocks no other",
  },
  "P-61": {
    what: "no alert is written when a task halts",
    edits: [
      edit(
        "packages/domain/src/task-notifications.ts",
        "return [...others, halted];",
        "return others;",
      ),
    ],
    test: "a notification › alerts once for each time that a task halts",
  },
  "P-62": {
    what: "the input that an operator corrected is dropped",
    edits: [
      edit(
        "services/submission/src/operators/resubmit-route.ts",
        "...(inputChanged ? { correctedInput: input } : {}),",
      ),
    ],
    test: "a booking › that halted continues with the step that failed, with its input or a corrected one",
  },
  "P-63": {
    what: "submission starts only once it has the broker",
    edits: [
      edit(
        submissionMain,
        "  const hints = latestHints();\n",
        "  const { promise: untilConnected, resolve: connected } = Promise.withResolvers();\n  const hints = { ...latestHints(), connected };\n",
      ),
      edit(
        submissionMain,
        "      hints.connect(broker);\n",
        "      hints.connect(broker);\n      hints.connected();\n",
      ),
      edit(
        submissionMain,
        "  await using inspection = inspectionFor(service);\n",
        "  await untilConnected;\n  await using inspection = inspectionFor(service);\n",
      ),
    ],
    test: "orders that were accepted before the first connection to the broker do not wait for a poll",
  },
  "P-64": {
    what: "a row of the catalogue names a test that there is not",
    edits: [
      edit(
        "docs/evidence/faults.md",
        "[fifty simultaneous requests with one key make one booking][collection-routes]",
        "[makes one booking of fifty][collection-routes]",
      ),
    ],
    test: "the page names for every row the tests that show it, or why there is none",
  },
  "P-65": [
    {
      what: "a pool's steps go to Agents that are paused or sick",
      edits: [
        edit(
          "services/scheduler/src/state/allowances.ts",
          "served.filter(({ agent }) => !unavailable.has(agent));",
          "served.filter(({ agent }) => !unavailable.has(`${agent}?`));",
        ),
      ],
      test: "a pool's steps go to the Agent %s",
    },
    {
      what: "a claim of a pool does not write down which Agent it chose",
      edits: [edit(claimSql, "coalesce(picked.agent, steps.agent),", "steps.agent,")],
      test: "a claim of a pool gives its steps to one Agent, for which they count as in flight",
    },
    {
      what: "no Agent is known to be sick by the breakers of its instances",
      edits: [
        edit(
          "packages/state-store/sql/claim/find-unavailable-agents.sql",
          "breaker = 'open'",
          "breaker = 'opened'",
        ),
      ],
      test: "an Agent of which every instance has an open breaker is named as unavailable",
    },
  ],
  "P-66": {
    what: "a claim takes more of an Agent's steps than there is room for",
    edits: [
      edit(
        claimSql,
        "limit capacity.slots\n              for no key",
        "limit 500\n              for no key",
      ),
      edit(
        claimSql,
        "limit case when bands.are_last then capacity.slots else capacity.for_others end",
        "limit 500",
      ),
      edit(claimSql, "limit capacity.slots\n   ) as due", "limit 500\n   ) as due"),
    ],
    test: "a claim takes no more steps of a lane than it has slots",
  },
  "P-67": [
    {
      what: "urgent steps are in the band of all others",
      edits: [
        edit(
          "packages/domain/src/priority.ts",
          "bands.indexOf(name)",
          "Math.max(2, bands.indexOf(name))",
        ),
      ],
      test: "a claim takes the urgent band first, and the oldest first within a band",
    },
    {
      what: "a new key is ranked behind all steps that are due",
      edits: [
        edit(
          "packages/state-store/sql/claim/rank-fair-steps.sql",
          "           and rank >= coalesce(known_from, '3000-01-01 00:00:00+00')\n         order by rank\n",
          "           and rank >= coalesce(known_from, '3000-01-01 00:00:00+00')\n         order by rank desc\n",
        ),
      ],
      test: "a new key is served at once, and then in turn",
    },
    {
      what: "no slot is reserved for the last band",
      edits: [
        edit(claimSql, "then reserved else 0 end as for_others", "then 0 else 0 end as for_others"),
      ],
      test: "the last band gets the slots that are reserved for it, and all that others leave",
    },
  ],
  "P-68": [
    {
      what: "an undo waits until a wait has ended by itself",
      edits: [edit(plan, "drains: () => false,", "drains: () => true,")],
      test: "a wait that is undone at every point of its life › %s has no undo of its own, and holds up none",
    },
    {
      what: "a wait ends before its time",
      edits: [edit("packages/domain/src/end-wait.ts", " || context.now < step.notBefore")],
      test: "a wait › does not end before its time, and ends once",
    },
    {
      what: "the end of a wait makes nothing due",
      edits: [
        edit(
          "packages/domain/src/end-wait.ts",
          '  return (standsStill(step) ? heldUp(task) : null) ?? settle(task, [change(step, "fire")], context);',
          '  return (standsStill(step) ? heldUp(task) : null) ?? rejected("not_due");',
        ),
      ],
      test: "a step that waits › ends once its time has come, and the step after it is due",
    },
  ],
  "P-69": [
    {
      what: "a step does not see a signal that came before it",
      edits: [
        edit(
          "packages/state-store/sql/waits/insert-waits.sql",
          "       case when is_there then statement_timestamp()\n            else",
          "       case when false then statement_timestamp()\n            else",
        ),
      ],
      test: "a signal › that comes before its step is kept for it",
    },
    {
      what: "a signal that a step has taken is not marked",
      edits: [
        edit(
          "packages/state-store/sql/signals/take-signals.sql",
          "set taken_by = ended.step",
          "set taken_by = null",
        ),
      ],
      test: "a signal › is taken once, by the step that waits for it, and others of its name stay",
    },
    {
      what: "a signal that no step can take any more is accepted",
      edits: [
        edit(
          "packages/state-store/migrations/0026_signals.sql",
          "and process_state in ('waiting', 'awaiting'));",
          ");",
        ),
      ],
      test: "a signal that no step can take any more › is kept, refused and alerted on: %s",
    },
  ],
  "P-70": [
    {
      what: "one who approves is enough, however many a step needs",
      edits: [
        edit(
          "packages/domain/src/approval.ts",
          "return new Set(decisions.map(({ id }) => id)).size >= quorum",
          "return decisions.length >= Math.min(1, quorum)",
        ),
      ],
      test: "a decision › is one of as many as the step needs, each of another person",
    },
    {
      what: "a rejection is one voice among others",
      edits: [
        edit(
          "packages/domain/src/approval.ts",
          '  if (decisions.some(({ decision }) => decision === "reject")) return "rejection";\n',
        ),
      ],
      test: "a decision › that rejects decides alone, undoes the task, and says who and why",
    },
    {
      what: "an operator decides in the place of the audience",
      edits: [edit(plan, '  needs: () => "needs_decision",', "  needs: () => null,")],
      test: "a decision › is made by no operator in the place of the audience",
    },
    {
      what: "what comes too late is taken",
      edits: [
        edit(
          "packages/state-store/src/approvals/approvals.ts",
          'found.state === "awaiting" && found.isOver === false ? null : "approval.over"',
          'found.isOver === null ? "approval.over" : null',
        ),
      ],
      test: "a decision that comes too late › is refused, and says what became of the step: %s",
    },
    {
      what: "two who decide at once do not wait for each other",
      edits: [
        edit(
          "packages/state-store/migrations/0028_approvals.sql",
          "where task_id = of_task for no key update;",
          "where task_id = of_task;",
        ),
      ],
      test: "of what happens at once › decisions of four people about %s count as often as it needs, and one of them decides",
    },
  ],
  "P-71": [
    {
      what: "an instant that was dealt with fires again",
      edits: [
        edit(
          "packages/state-store/sql/schedules/save-fires.sql",
          "   where known.outcome = 'buffered'\n      or known.outcome <> 'fired' and excluded.actor is not null\n",
        ),
      ],
      test: "a schedule whose time has come › fires an instant once, even where its row is set back to it",
    },
    {
      what: "what fires is written down, and submits nothing",
      edits: [
        edit(
          "packages/state-store/sql/schedules/save-fires.sql",
          "   where (select processes from woken) >= 0\n",
          "   where (select processes from woken) < 0\n",
        ),
      ],
      test: "a schedule whose time has come › puts a submission into the inbox, with the parts of its instant, and goes on",
    },
    {
      what: "a time that comes twice fires twice",
      edits: [
        edit(
          "packages/contracts/src/schedule/calendar.ts",
          "const isRepeated = /[*/]/.test(`${minutes} ${hours}`);",
          'const isRepeated = `${minutes} ${hours}` !== "";',
        ),
      ],
      test: "the instants of an expression are those of a walk through all minutes › over ten years in zones of all kinds",
    },
    {
      what: "the next instant is the next from now",
      edits: [
        edit(
          "packages/domain/src/schedule.ts",
          "    instants.push(next);\n    next = calendar.after(next);",
          "    instants.push(next);\n    next = calendar.after(now);",
        ),
      ],
      test: "after an absence › all are caught up with, a hundred at a time",
    },
    {
      what: "an instant may have two outcomes at a time",
      edits: [
        edit(
          "packages/domain/src/schedule.ts",
          "fires: [...fires].map(([instant, outcome]) => ({ instant, outcome })),",
          "fires: [...fires, ...fires].map(([instant, outcome]) => ({ instant, outcome })),",
        ),
      ],
      test: "each instant has one outcome, none comes before its time, and none twice, whatever happens",
    },
    {
      what: "a task that failed is counted with each look",
      edits: [
        edit(
          "packages/state-store/src/schedules/schedules.ts",
          '(last === "open" || trouble === "unusable" ? lastTask : null)',
          "lastTask",
        ),
      ],
      test: "tasks that fail › count once, however often it is looked at",
    },
    {
      what: "a paused schedule fires on",
      edits: [
        edit(
          "packages/state-store/migrations/0029_schedules.sql",
          "  constraint looked_at_unless_paused check (paused_at is null or due_at is null),\n",
        ),
        edit(
          "packages/state-store/sql/schedules/pause-schedule.sql",
          "due_at = null, buffered = null",
          "buffered = null",
        ),
      ],
      test: "a person › pauses and resumes it, each once, and what came meanwhile does not fire",
    },
  ],
};

/** The removals of a row, which are proved one after the other; none where its feature is kept. */
export function removalsOf(id: string): readonly Removal[] {
  const found = removals[id] ?? [];
  return "reason" in found ? [] : [found].flat();
}
