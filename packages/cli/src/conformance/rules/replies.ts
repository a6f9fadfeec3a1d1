import { broken, describe, holds, isVerdict, outcomeOf, type Rule, skipped } from "../rule.ts";

/** Milliseconds. Longer than the slowest heartbeat that counts. */
const heartbeatWithin = 12_000;

const heartbeat: Rule = {
  name: "heartbeat",
  async check({ driver, cases }) {
    const { heartbeats, heartbeatFaults, agent } = driver;
    const one = await driver.until(() => heartbeats.at(-1) ?? null, heartbeatWithin);
    const [fault] = heartbeatFaults;
    if (fault !== undefined) return broken(`a heartbeat is wrong: ${fault}`);
    if (one === null) return broken(`no heartbeat within ${heartbeatWithin / 1_000} s`);
    if (one.agent !== agent) return broken(`a heartbeat speaks for ${one.agent}`);
    const { operations = [], capacity, everyMs = 5_000, instance } = one;
    const asked = [cases.happy, cases.permanent, cases.transient, cases.slow, cases.undo];
    const unknown = asked.find((each) => each && !operations.includes(each.operation));
    if (unknown !== undefined) {
      return broken(
        `${unknown.operation} is none of the operations that it names: ${operations.join(", ") || "none"}`,
      );
    }
    return holds(
      `${instance}: ${operations.join(", ")}; ${capacity} at a time, every ${everyMs} ms`,
    );
  },
};

const happy: Rule = {
  name: "happy",
  async check(context) {
    const found = await outcomeOf(context, context.cases.happy);
    if (isVerdict(found)) return found;
    const { outcome, afterMs } = found;
    if (outcome.kind !== "completed") return broken(`${describe(outcome)} instead of completed`);
    return holds(`completed after ${Math.round(afterMs)} ms`);
  },
};

const failing = (name: "permanent" | "transient"): Rule => ({
  name,
  async check(context) {
    const asked = context.cases[name];
    if (asked === undefined) return skipped(`the file of cases has no ${name}`);
    const found = await outcomeOf(context, asked);
    if (isVerdict(found)) return found;
    const { outcome } = found;
    const isRight = outcome.kind === "failed" && outcome.transient === (name === "transient");
    return isRight
      ? holds(describe(outcome))
      : broken(`${describe(outcome)} instead of a ${name} failure`);
  },
});

const undo: Rule = {
  name: "undo",
  async check(context) {
    const { driver, cases } = context;
    if (cases.undo === undefined) return skipped("the file of cases has no undo");
    const { operation } = cases.undo;
    // What was done; the same once more; and what may never have been done.
    const done = driver.request(cases.happy, { workMs: 10_000 });
    await driver.send(done);
    const [answer] = await driver.answers(done.taskId, 1, 10_000);
    const output = answer?.reply?.outcome.kind === "completed" ? answer.reply.outcome.output : null;
    const keys = [
      done.idempotencyKey,
      done.idempotencyKey,
      `${crypto.randomUUID()}:conformance:do`,
    ];
    for (const [index, key] of keys.entries()) {
      const isKnown = index === 0;
      const request = {
        ...driver.request({ operation, input: null }, { workMs: 10_000 }),
        undo: {
          step: "conformance",
          key,
          input: cases.happy.input,
          output: isKnown ? output : null,
          outcome: isKnown ? ("completed" as const) : ("unknown" as const),
        },
      };
      await driver.send(request);
      const [reply] = await driver.answers(request.taskId, 1, 10_000);
      if (reply?.faults[0] !== undefined) return broken(`a reply is wrong: ${reply.faults[0]}`);
      if (reply?.reply?.outcome.kind !== "completed") {
        const said = reply?.reply ? describe(reply.reply.outcome) : "no reply";
        return broken(
          `${said} to an undo of ${["what was done", "what was undone", "what was never done"][index]}`,
        );
      }
    }
    return holds("what was done, what was undone before, and what was never done");
  },
};

const unknownOperation: Rule = {
  name: "unknown operation",
  async check(context) {
    const found = await outcomeOf(context, { operation: "conformanceUnknown", input: {} });
    if (isVerdict(found)) return found;
    const { outcome } = found;
    return outcome.kind === "failed" && !outcome.transient
      ? holds(describe(outcome))
      : broken(`${describe(outcome)} instead of a permanent failure`);
  },
};

/** What an Agent says of one request. */
export const replyRules: readonly Rule[] = [
  heartbeat,
  happy,
  failing("permanent"),
  failing("transient"),
  undo,
  unknownOperation,
];
