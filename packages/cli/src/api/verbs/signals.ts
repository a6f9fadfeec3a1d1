import type { SignalByKeyAccepted } from "@holdfast/client";
import { callOperation } from "../call-operation.ts";
import { summaryOf } from "../operation.ts";
import { requestOptions } from "../request-options.ts";
import type { Outcome, Verb } from "../verb.ts";

const signal = requestOptions("sendSignal", {
  payload: { short: "p", otherwise: "{}" },
  "idempotency-key": { name: "id", value: "ID" },
});
const keyed = requestOptions("sendSignalByKey", {
  workflow: { value: "NAME" },
  businessKey: { name: "key", value: "KEY" },
  payload: { short: "p", otherwise: "{}" },
  id: {},
  holdFor: { value: "DURATION" },
});

const sendVerb: Verb = {
  name: "tasks signal",
  operations: ["sendSignal"],
  operands: ["<id>", "<name>"],
  summary: summaryOf("sendSignal"),
  options: signal.options,
  examples: [
    `tasks signal 01a1fd8d-d928-77c8-96cb-353aaba1757f paid --payload '{"paymentId": "P-7"}' --id evt-7`,
  ],
  async run(invocation) {
    const { operands, client, actor } = invocation;
    const [task = "", name = ""] = operands;
    const { payload, "idempotency-key": id } = await signal.read(invocation);
    const how = { actor, ...(id === undefined ? {} : { id }) };
    const value = await client().tasks.signal(task, name, payload, how);
    return ofSignal({ ...value, heldUntil: null });
  },
};

const sendByKeyVerb: Verb = {
  name: "signals send",
  operations: ["sendSignalByKey"],
  operands: ["<name>"],
  summary: summaryOf("sendSignalByKey"),
  options: keyed.options,
  examples: [
    `signals send paid --workflow book-trip --key trip-7 --payload '{"paymentId": "P-7"}' --id evt-7 --hold-for 7d`,
  ],
  async run(invocation) {
    const {
      operands: [name = ""],
      client,
      actor,
    } = invocation;
    const request = { name, actor, ...(await keyed.read(invocation)) };
    return ofSignal(
      (await callOperation(client(), "sendSignalByKey", request)) as SignalByKeyAccepted,
    );
  },
};

const listVerb: Verb = {
  name: "tasks signals",
  operations: ["listSignals"],
  operands: ["<id>"],
  summary: summaryOf("listSignals"),
  options: {},
  async run({ operands: [id = ""], client }) {
    const value = await client().tasks.signals(id);
    return { value, columns: ["name", "id", "at", "sentBy", "takenBy", "isLate"] };
  },
};

/** What became of a signal that was sent. */
function ofSignal(value: SignalByKeyAccepted): Outcome {
  const { id, name, taskId, heldUntil, replayed } = value;
  const where = taskId === null ? `is held until ${heldUntil}` : `is with task ${taskId}`;
  return { value, text: `Signal ${name} ${id} ${where}${replayed ? ", as before" : ""}.` };
}

export const signalVerbs: readonly Verb[] = [sendVerb, listVerb, sendByKeyVerb];
