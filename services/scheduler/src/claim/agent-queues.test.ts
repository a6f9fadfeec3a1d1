import { replyQueue } from "@holdfast/contracts";
import { expect, test } from "@jest/globals";
import { settled } from "../../test/limits.ts";
import { openState } from "../../test/state.ts";
import { fleetReader } from "./read-fleet.ts";

interface Looking {
  /** Whether an Agent's heartbeats are known. */
  readonly isHeard?: (agent: string) => boolean;
  /** Whether the broker answers. */
  readonly answers?: boolean;
}

/** The queues of Agents by their names, and how often each was inspected. */
function inspecting(there: Set<string>, mayDeclare = false) {
  const clock = { at: 0, now: () => clock.at, after: () => () => {} };
  const world = { answers: true, heard: [] as string[] };
  const inspected = new Map<string, number>();
  const declared: string[] = [];
  const observed = openState({ clock });
  const agents = ["here", "gone"];
  const fleet = fleetReader({
    ...observed,
    clock,
    store: {
      findLanes: async () => agents,
      findUnavailableAgents: async () => [],
      findAgentSlots: async () => world.heard.map((lane) => ({ lane, slots: [1], busy: 0 })),
      countStepsInFlight: async () => [],
    },
    broker: {
      declareAgent: async (agent) => {
        declared.push(agent);
        if (mayDeclare) there.add(`agent.${agent}`);
        return mayDeclare;
      },
      inspect: async (queue) => {
        if (queue === replyQueue) return world.answers ? { messages: 0, consumers: 1 } : null;
        inspected.set(queue, (inspected.get(queue) ?? 0) + 1);
        return there.has(queue) ? { messages: 0, consumers: 1 } : null;
      },
    },
    actor: "scheduler-1",
    log: { warn: () => {} },
  });
  /** Looks once a second, as a Scheduler does. */
  const look = async (seconds: number, { isHeard, answers = true }: Looking = {}) => {
    inspected.clear();
    Object.assign(world, { answers, heard: isHeard === undefined ? [] : agents.filter(isHeard) });
    for (let second = 0; second < seconds; second += 1) {
      await fleet.slotsRound();
      await fleet.refresh();
      await settled();
      clock.at += 1_000;
    }
    return Object.fromEntries(inspected);
  };
  const of = (agent: string) => observed.state.admission.agents.get(agent)?.queue;
  return { look, of, declared };
}

test("a queue that is missing is inspected less and less often, and the others each time", async () => {
  const { look, of } = inspecting(new Set(["agent.here"]));
  // After 1, 2, 4, 8 s, and then every 15 s.
  expect(await look(60)).toEqual({ "agent.here": 60, "agent.gone": 7 });
  expect(of("gone")).toEqual({ messages: 0, consumers: 0 });
});

test("the queue of an Agent that is new is declared once, and is there at the next look", async () => {
  const { look, of, declared } = inspecting(new Set(["agent.here"]), true);
  expect(await look(10)).toEqual({ "agent.here": 10, "agent.gone": 10 });
  expect(declared).toEqual(["gone"]);
  expect(of("gone")).toEqual({ messages: 0, consumers: 1 });
});

test("no queue is declared while the broker does not answer", async () => {
  const { look, declared } = inspecting(new Set(), true);
  await look(10, { answers: false });
  expect(declared).toEqual([]);
});

test("the missing queue of an Agent that sends heartbeats is inspected at once", async () => {
  const there = new Set(["agent.here"]);
  const { look, of } = inspecting(there);
  await look(61);
  there.add("agent.gone");
  expect(await look(1, { isHeard: (lane) => lane === "gone" })).toEqual({
    "agent.here": 1,
    "agent.gone": 1,
  });
  expect(of("gone")).toEqual({ messages: 0, consumers: 1 });
  // From then on it is like all others.
  expect(await look(10)).toEqual({ "agent.here": 10, "agent.gone": 10 });
});

test("a broker that does not answer says nothing about a queue", async () => {
  const there = new Set<string>();
  const { look } = inspecting(there);
  await look(61, { answers: false });
  there.add("agent.here");
  expect(await look(5)).toMatchObject({ "agent.here": 5 });
});
