import { agentQueue, replyExchange, replyRoute, StepReply, StepRequest } from "@holdfast/contracts";
import type { Json, WorkflowDefinition } from "@holdfast/domain";
import { newTask } from "@holdfast/load";
import { bodiesOf, declareTopology, topologyOf, userOf } from "@holdfast/messaging";
import { expect, test } from "@jest/globals";
import { type ConsumeMessage, connect } from "amqplib";
import { type FaultySystem, startFaultySystem, until } from "./faulty-system.ts";

/** A policy by which only what is never answered expires soon. */
const policy = {
  startWithin: 5_000,
  completeWithin: 5_000,
  retry: { failures: 1, backoff: 100, max: 100 },
  coolDown: null,
  onFailure: "undo",
} as const;

const step = (name: string, input: Json, after: readonly string[]) => ({
  ...policy,
  name,
  agent: "ledger",
  operation: name,
  input,
  after,
  onlyIf: null,
  undo: { ...policy, operation: `un${name}`, onFailure: "halt" as const },
});

/** The first step is done, the second is never answered, so both are undone. */
const workflow: WorkflowDefinition = {
  format: 1,
  name: "post.v1",
  inputSchema: {},
  completeWithin: null,
  output: null,
  steps: [
    step("enter", { text: { $ref: "/input/text" }, list: [1, { two: null }] }, []),
    { ...step("post", { of: { $ref: "/steps/enter" } }, ["enter"]), completeWithin: 1_000 },
  ],
};

const input = { text: '\u{1f4a9} \\ "quoted" 0.1 \u2028' };
const output = {
  entry: 9_007_199_254_740_991,
  parts: ["a", { b: [0.1, -5, null, true] }],
  "": "x",
};

/** An Agent that writes down what it is asked, and answers but to `post`. */
async function openLedgerAgent({ broker }: FaultySystem) {
  const url = broker?.url ?? "";
  const connection = await connect(url, { noDelay: true });
  const channel = await connection.createChannel();
  await declareTopology(channel, topologyOf(["ledger"]));
  const asked: StepRequest[] = [];
  const answer = (request: StepRequest, replyTo: string | undefined): void => {
    asked.push(request);
    const { taskId, step: name, attempt, token, operation } = request;
    if (operation === "post") return;
    const outcome = { kind: "completed", output: operation === "enter" ? output : null } as const;
    channel.publish(
      replyExchange,
      replyRoute("ledger", taskId, replyTo),
      StepReply.encode({ taskId, step: name, attempt, token, outcome }),
      { type: StepReply.type, userId: userOf(url) },
    );
  };
  await channel.consume(agentQueue("ledger"), (message: ConsumeMessage | null) => {
    if (message === null) return;
    const { content, properties } = message;
    for (const body of bodiesOf(content, properties.contentType)) {
      answer(StepRequest.decode(body), properties.replyTo as string | undefined);
    }
    channel.ack(message);
  });
  return { asked, [Symbol.asyncDispose]: () => connection.close() };
}

test("an undo receives the input and the output of its step unchanged", async () => {
  await using faulty = await startFaultySystem({ count: { agent: 0 } });
  await using agent = await openLedgerAgent(faulty);
  await faulty.store.registerWorkflow(workflow);
  const task = newTask({ workflow: workflow.name, input });
  const [submitted] = await faulty.store.submitTasks([task], { actor: "test" });
  const ended = "select 1 from state.tasks where process_state = 'undone'";
  await until(async () => (await faulty.query(ended)).length === 1);

  const taskId = submitted?.kind === "created" ? submitted.taskId : "";
  // A request can be published twice, as when its attempt ends late: then both have one token.
  const attempts = new Map(agent.asked.map((one) => [one.token, one]));
  const askedFor = (operation: string) =>
    [...attempts.values()].filter((one) => one.operation === operation);
  const entered = { text: input.text, list: [1, { two: null }] };
  expect(askedFor("enter").map((request) => request.input)).toEqual([entered]);
  expect(askedFor("post").map((request) => request.input)).toEqual([{ of: output }]);
  expect(askedFor("unenter").map(({ undo, idempotencyKey }) => ({ undo, idempotencyKey }))).toEqual(
    [
      {
        undo: {
          step: "enter",
          key: `${taskId}:enter:do`,
          input: entered,
          output,
          outcome: "completed",
        },
        idempotencyKey: `${taskId}:enter:undo`,
      },
    ],
  );
  // Whether it happened is unknown.
  expect(askedFor("unpost").map(({ undo }) => undo)).toEqual([
    {
      step: "post",
      key: `${taskId}:post:do`,
      input: { of: output },
      output: null,
      outcome: "unknown",
    },
  ]);
  expect(askedFor("enter")[0]?.idempotencyKey).toBe(`${taskId}:enter:do`);
  expect(await faulty.store.findInvariantViolations({ batch: 10 })).toEqual([]);
});
