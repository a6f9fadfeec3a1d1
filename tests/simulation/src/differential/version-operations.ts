import type { WorkflowRecord } from "@holdfast/state-store";
import { expect } from "@jest/globals";
import { dealVersions } from "../workflows.ts";
import { inOrder, type Pair } from "./pair.ts";
import { slowed } from "./slow-workflows.ts";

const because = { actor: "ann", reason: "a roll-out" };
const versions = dealVersions.map(slowed);
const names = versions.map(({ name }) => name);
const [first] = versions;

/**
 * What operators do to the versions of one workflow, and what is taken of it meanwhile, on both
 * stores: some of it in a row.
 */
export async function changeVersions(pair: Pair): Promise<void> {
  for (let times = 0; times < 4; times += 1) {
    await pair.advance(1);
    await pair.random.pick(Object.values(acts))(pair);
  }
}

const acts: Readonly<Record<string, (pair: Pair) => Promise<void>>> = {
  async storeVersion(pair) {
    const { real, memory, random } = pair;
    const definition = random.pick(versions);
    const options = { storedBy: "ann", activates: random.chance(0.7) };
    const ours = memory.registerWorkflow(definition, options);
    expect(ours).toBe(await real.registerWorkflow(definition, options));
    await sameVersions(pair);
  },

  async activateWorkflow(pair) {
    const { real, memory, random } = pair;
    const request = { ...because, name: random.pick(names), asAwaited: random.chance(0.5) };
    expect(memory.activateWorkflow(request)).toBe(await real.activateWorkflow(request));
    await sameVersions(pair);
  },

  async retireWorkflow(pair) {
    const { real, memory, random } = pair;
    // Often all of them in turn: then the name has no version that takes tasks.
    for (const name of random.chance(0.3) ? names : [random.pick(names)]) {
      const request = { ...because, name };
      expect(memory.retireWorkflow(request)).toBe(await real.retireWorkflow(request));
      await pair.advance(1);
    }
    await sameVersions(pair);
  },

  async reinstateWorkflow(pair) {
    const { real, memory, random } = pair;
    const name = random.pick(names);
    expect(memory.reinstateWorkflow({ name })).toBe(await real.reinstateWorkflow({ name }));
    await sameVersions(pair);
  },

  async submitToVersion({ real, memory, random, tasks }) {
    const options = { storedBy: "ann", activates: true };
    await real.registerWorkflow(first!, options);
    memory.registerWorkflow(first!, options);
    const stored = memory.findWorkflows().map(({ name }) => name);
    const order = `deal ${random.below(6)}`;
    const task = {
      tenant: "default",
      workflow: random.pick(names.filter((name) => stored.includes(name))),
      takesActive: random.chance(0.6),
      input: { order, wanted: true },
      priority: "normal",
      fairness: null,
      replyTo: null,
      correlationId: null,
      idempotency: random.chance(0.5) ? { key: order, hash: random.pick(["x", "y"]) } : null,
    } as const;
    const [theirs] = await real.submitTasks([task], { actor: "client" });
    const [ours] = memory.submitTasks([task], { actor: "client" });
    expect(ours?.kind).toBe(theirs?.kind);
    if (theirs?.kind === "created" && ours?.kind === "created") {
      tasks.push([theirs.taskId, ours.taskId]);
    }
  },
};

async function sameVersions({ real, memory }: Pair): Promise<void> {
  const isMeant = ({ name }: WorkflowRecord): boolean => names.includes(name);
  const [theirs, ours] = [await real.findWorkflows(), memory.findWorkflows()].map((records) =>
    records.filter(isMeant).map(shown).toSorted(inOrder),
  );
  expect(ours).toEqual(theirs);
  const active = await real.findActiveVersions({ names });
  expect(memory.findActiveVersions({ names })).toEqual(active);
}

function shown({ name, retiredAt, isActive, awaitsAgents, ...one }: WorkflowRecord) {
  const { activatedReason, retiredReason } = one;
  const isRetired = retiredAt !== null;
  return { name, isActive, isRetired, awaitsAgents, activatedReason, retiredReason };
}
