import { agentQueue, replyQueue } from "@holdfast/contracts";
import type { RemoteFacts } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { queueOf, broker as sound } from "../../test/broker-facts.ts";
import { breaker, broker, facts, lane, noon } from "../../test/task-facts.ts";
import { checkCauses } from "../doctor/check-causes.ts";
import type { StoreFacts } from "../doctor/gather-facts.ts";
import { explain } from "../why/explain.ts";
import type { Facts } from "../why/facts.ts";

const remote: RemoteFacts = {
  ...breaker,
  agents: ["payments"],
  lastFault: { code: "psp.unreachable", detail: "psp does not answer", at: noon - 3_000 },
};

/** What doctor finds wrong, of a broker and breakers of which all else is sound. */
function doctor(queues: Parameters<typeof queueOf>[0][], breakers: readonly RemoteFacts[] = []) {
  const need = { agent: "payments", workflows: ["shopping.v1"], openSteps: 1, resting: 0 };
  const contents = { needs: [need], breakers, unproven: [], instances: [] };
  const store = { contents } as unknown as StoreFacts;
  const known = [{ name: replyQueue }, { name: agentQueue("payments") }];
  const all = known.map((queue) =>
    queueOf({ ...queue, ...queues.find((one) => one.name === queue.name) }),
  );
  const found = checkCauses({ store, broker: { ...sound, queues: all } }, noon);
  return found.filter(({ state }) => state === "wrong");
}

const why = (changes: Partial<Facts>): string => explain({ ...facts, ...changes }).sentence;

test("why and doctor say the same of a Scheduler that is missing, and say it first", () => {
  const consumers = { payments: 0 };
  const asked = why({ broker: { ...broker, schedulers: 0, consumers } });
  const [first, second] = doctor([
    { name: replyQueue, consumers: 0 },
    { name: agentQueue("payments"), consumers: 0 },
  ]);
  expect(asked).toContain("No Scheduler runs: no step begins");
  expect(asked).toContain(`${first?.text} ${first?.advice}`);
  expect(second?.code).toBe("agents.absent");
});

test("why and doctor say the same of a remote service that fails, its own fault first", () => {
  const asked = why({ lanes: [{ ...lane, breaker: remote }] });
  const [found] = doctor([], [remote]);
  expect(asked).toContain("psp fails with psp.unreachable: psp does not answer");
  expect(asked).toContain(`${found?.text} ${found?.advice}`);
});

test("why and doctor say the same of an Agent that no process serves; doctor adds what counts it and needs it", () => {
  const asked = why({ broker: { ...broker, consumers: { payments: 0 } } });
  const [found] = doctor([{ name: agentQueue("payments"), consumers: 0 }]);
  expect(asked).toContain(`No process serves the Agent payments. ${found?.advice}`);
  expect(found).toMatchObject({
    code: "agents.absent",
    text: "No process serves the Agent payments, and 1 step waits for it. It is needed by shopping.v1.",
  });
});

test("doctor calls what was looked at and has no cause fine, and a breaker that an operator holds no fault", () => {
  const contents = {
    needs: [],
    breakers: [{ ...remote, held: true }],
    unproven: [],
    instances: [],
  };
  const found = checkCauses({ store: { contents } as unknown as StoreFacts, broker: sound }, noon);
  expect(found.map(({ code, state }) => [code, state])).toEqual([
    ["remotes.breakers", "fine"],
    ["broker.alarms", "fine"],
    ["agents.present", "fine"],
  ]);
});
