import { randomUUID } from "node:crypto";
import { limits } from "@holdfast/contracts";
import {
  ample,
  broken,
  describe,
  effectFault,
  holds,
  isVerdict,
  oneOutcome,
  outcomeOf,
  quiet,
  type Rule,
  type RuleContext,
  skipped,
  type Verdict,
} from "../rule.ts";

/** Whether it still does what it is asked for; null: it does. */
async function deadAfter(context: RuleContext, what: string): Promise<Verdict | null> {
  const found = await outcomeOf(context, context.cases.happy);
  if (isVerdict(found)) return broken(`after ${what}: ${found.text}`);
  const { outcome } = found;
  return outcome.kind === "completed" ? null : broken(`after ${what}: ${describe(outcome)}`);
}

const malformed: Rule = {
  name: "malformed",
  async check(context) {
    for (const body of ["", "{", "[]", "null", '{"taskId":1}']) {
      await context.driver.sendRaw(randomUUID(), Buffer.from(body));
    }
    const dead = await deadAfter(context, "messages that are no requests");
    return dead ?? holds("goes on after messages that are no requests");
  },
};

const oversized: Rule = {
  name: "oversized",
  async check(context) {
    const { driver, cases } = context;
    const request = driver.request(cases.happy, { workMs: ample });
    const padded = { ...request, padding: "x".repeat(limits.messageBytes) };
    await driver.send(padded);
    const dead = await deadAfter(context, "a request of more than 1 MiB");
    const [answer] = await driver.answers(request.taskId, 1, 0);
    if (answer?.reply?.outcome.kind === "completed") {
      return broken("carried out a request of more than 1 MiB");
    }
    return dead ?? holds("refuses a request of more than 1 MiB, and goes on");
  },
};

const duplicate: Rule = {
  name: "duplicate",
  async check(context) {
    const { driver, cases } = context;
    const request = driver.request(cases.happy, { workMs: ample });
    await driver.send(request);
    await driver.send(request);
    const before = (await driver.answers(request.taskId, 1, ample)).length;
    await driver.answers(request.taskId, 2, quiet);
    // Once more when it is done, as a resend may come.
    await driver.send(request);
    await driver.answers(request.taskId, before + 2, quiet);
    const found = oneOutcome(await driver.answers(request.taskId, 3, quiet), ample);
    if (isVerdict(found)) return found;
    if (found.outcome.kind !== "completed") return broken(describe(found.outcome));
    const fault = await effectFault(context, request.idempotencyKey);
    if (fault !== null) return broken(`of three deliveries of one attempt ${fault}`);
    return holds("three deliveries of one attempt: the same reply each time");
  },
};

const redelivery: Rule = {
  name: "redelivery",
  async check(context) {
    const { driver, cases, cutConnections } = context;
    if (cutConnections === null)
      return skipped("say --management-url, to cut the Agent's connection");
    if (cases.slow === undefined) return skipped("the file of cases has no slow");
    const { takesMs } = cases.slow;
    const workMs = ample + 3 * takesMs;
    const request = driver.request(cases.slow, { workMs });
    await driver.send(request);
    await driver.answers(request.taskId, 1, takesMs / 4);
    const cut = await cutConnections().catch((error: unknown) => (error as Error).message);
    if (cut === 0 || typeof cut === "string") {
      return skipped(`the broker does not say which connection is the Agent's (${cut})`);
    }
    await driver.answers(request.taskId, 1, workMs);
    const found = oneOutcome(await driver.answers(request.taskId, 2, takesMs + quiet), workMs);
    if (isVerdict(found)) return broken(`after its connection was cut: ${found.text}`);
    if (found.outcome.kind !== "completed") {
      return broken(`after its connection was cut: ${describe(found.outcome)}`);
    }
    const fault = await effectFault(context, request.idempotencyKey);
    if (fault !== null) return broken(`after its connection was cut ${fault}`);
    return holds("connects again, and answers what was delivered again");
  },
};

/** What an Agent makes of messages that come twice, or should not come at all. */
export const messageRules: readonly Rule[] = [malformed, oversized, duplicate, redelivery];
