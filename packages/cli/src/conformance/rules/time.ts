import { randomUUID } from "node:crypto";
import {
  broken,
  describe,
  holds,
  isVerdict,
  oneOutcome,
  quiet,
  type Rule,
  skipped,
} from "../rule.ts";

const noSlow = () => skipped("the file of cases has no slow");
/** Milliseconds between a request and what may happen to it, so that the Agent has begun. */
const begun = 300;
/** Milliseconds by which a reply may come late that left the Agent in time. */
const onItsWay = 100;

const deadline: Rule = {
  name: "deadline",
  async check({ driver, cases: { slow } }) {
    if (slow === undefined) return noSlow();
    const workMs = Math.floor(slow.takesMs / 4);
    const request = driver.request(slow, { workMs });
    await driver.send(request);
    // Until the work would be done, and somewhat longer.
    const found = await driver
      .until(() => null, slow.takesMs + 2 * quiet)
      .then(() => driver.answers(request.taskId, 0, 0));
    const [fault] = found.flatMap(({ faults }) => faults);
    if (fault !== undefined) return broken(`a reply is wrong: ${fault}`);
    const late = found.find(({ afterMs }) => afterMs > workMs + onItsWay);
    if (late !== undefined) {
      return broken(
        `replied ${Math.round(late.afterMs - workMs)} ms after the deadline: another attempt may run by then`,
      );
    }
    return holds(
      found.length === 0
        ? `silent after ${workMs} ms`
        : "gave up before its deadline, and silent from then on",
    );
  },
};

const cancel: Rule = {
  name: "cancel",
  async check({ driver, cases: { slow } }) {
    if (slow === undefined) return noSlow();
    const workMs = 10_000 + 2 * slow.takesMs;
    const request = driver.request(slow, { workMs });
    const { taskId, step, attempt, token } = request;
    await driver.send(request);
    await driver.answers(taskId, 1, begun);
    await driver.cancel({ taskId, step, attempt, token: randomUUID() });
    const [early] = await driver.answers(taskId, 1, begun);
    if (early?.reply?.outcome.kind === "stopped") {
      return broken("stopped for a cancel hint with the token of another attempt");
    }
    await driver.cancel({ taskId, step, attempt, token });
    await driver.answers(taskId, 1, workMs);
    const found = oneOutcome(await driver.answers(taskId, 2, quiet), workMs);
    if (isVerdict(found)) return found;
    const { outcome, afterMs } = found;
    if (outcome.kind === "stopped") {
      return holds(`stopped after ${Math.round(afterMs)} of ${slow.takesMs} ms`);
    }
    if (outcome.kind === "failed")
      return broken(`${describe(outcome)} instead of stopped or completed`);
    return holds("finishes in spite of the hint, which is allowed");
  },
};

const shutdown: Rule = {
  name: "shutdown",
  async check({ driver, cases: { slow }, stopAgent }) {
    if (stopAgent === null) return skipped("say --pid or --stop-command, to stop the Agent");
    if (slow === undefined) return noSlow();
    const request = driver.request(slow, { workMs: 10_000 + slow.takesMs });
    await driver.send(request);
    await driver.answers(request.taskId, 1, begun);
    const ended = await stopAgent();
    const found = await driver.answers(request.taskId, 1, quiet);
    const [fault] = found.flatMap(({ faults }) => faults);
    if (fault !== undefined) return broken(`a reply is wrong: ${fault}`);
    if (!ended) return broken("still runs 30 s after it was asked to stop");
    const said = found[0]?.reply?.outcome;
    if (said?.kind === "completed" || said?.kind === "stopped")
      return holds(`${said.kind}, then ended`);
    if (said !== undefined) return broken(`${describe(said)} because it was asked to stop`);
    const queue = await driver.inspect();
    if (queue !== null && queue.consumers === 0 && queue.messages === 0) {
      return broken("acknowledged a request that it did not answer");
    }
    return holds("gave back the request that it had not answered");
  },
};

/** What an Agent does about limits of time. */
export const timeRules: readonly Rule[] = [deadline, cancel];
/** Comes last: the Agent is gone afterwards. */
export const lastRules: readonly Rule[] = [shutdown];
