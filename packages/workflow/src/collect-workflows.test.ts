import { validateDefinition } from "@holdfast/contracts";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { payments } from "../test/fixtures.ts";
import { defineAgent, type Operation } from "./agent.ts";
import { collectWorkflows } from "./collect-workflows.ts";
import { type AddStep, defineWorkflow } from "./define-workflow.ts";
import type { Ref } from "./ref.ts";

const Trip = z.object({
  city: z.string(),
  price: z.object({ amount: z.int(), currency: z.string() }),
});
const charge = (step: AddStep, trip: Ref<z.input<typeof Trip>>) =>
  step("charge", { call: payments.assess({ price: trip.price }), completeWithin: "1s" });
const good = (name: `${string}.v1`) =>
  defineWorkflow(name, Trip, (trip, step) => charge(step, trip));
/** Defined in a module that is loaded: it throws where it stands otherwise. */
const dated = (name: `${string}.v1`) =>
  defineWorkflow(name, z.object({ when: z.date() }) as unknown as typeof Trip, () => null);

const collect = (load: () => object) => collectWorkflows(async () => load(), validateDefinition);
const namesOf = (found: readonly { readonly name: string }[]) => found.map(({ name }) => name);

test("the workflows of a module are checked among all else that it exports", async () => {
  const right = good("right.v1");
  const wrong = defineWorkflow("wrong.v1", Trip, (trip, step) => {
    if (trip.city as unknown as boolean) charge(step, trip);
  });
  expect(Object.keys(wrong)).toEqual(["name", "input", "definition"]);
  const others = { text: "x", none: null, list: [1], right };
  expect(await collect(() => others)).toMatchObject({
    definitions: [{ name: "right.v1" }],
    refused: [],
  });
  expect(await collect(() => ({ ...others, wrong }))).toMatchObject({
    definitions: [{ name: "right.v1" }],
    refused: [
      { name: "wrong.v1", error: { message: expect.stringContaining("wrong.v1, line 2 of") } },
    ],
  });
});

test.each<readonly [string, () => unknown, RegExp]>([
  ["schema is no JSON Schema", () => dated("wrong.v1"), /^wrong\.v1, input\/when: a Date cannot/],
  [
    "function throws",
    () =>
      defineWorkflow("wrong.v1", Trip, () => {
        throw new TypeError("no such thing");
      }),
    /^no such thing$/,
  ],
  [
    "definition is invalid",
    () => ({ ...good("wrong.v1").definition, name: "wrong.v1", steps: [{ name: "a" }] }),
    /wrong\.v1, step "a": /,
  ],
])(
  "a workflow whose %s is refused by its name, and no other of its module",
  async (_, define, why) => {
    const load = () => ({ before: good("before.v1"), wrong: define(), after: good("after.v1") });
    const { definitions, refused } = await collect(load);
    expect(namesOf(definitions)).toEqual(["before.v1", "after.v1"]);
    expect(refused).toEqual([
      {
        kind: "workflow",
        name: "wrong.v1",
        error: expect.objectContaining({ message: expect.stringMatching(why) }),
      },
    ]);
  },
);

test("a workflow that is refused is named although its module does not export it, and fails what uses it", async () => {
  const { refused } = await collect(() => {
    dated("wrong.v1");
    return {};
  });
  expect(namesOf(refused)).toEqual(["wrong.v1"]);
  await expect(collect(() => ({ steps: dated("wrong.v1").definition.steps }))).rejects.toThrow(
    /^wrong\.v1, input\/when/,
  );
});

const agentOf = (name: string, input: z.ZodObject) =>
  defineAgent(name, { note: { input, output: z.null() } });
/** Agents that `defineAgent` refuses, by the mistake. */
const wrongAgents: Readonly<Record<string, readonly [() => ReturnType<typeof agentOf>, RegExp]>> = {
  "schema is no JSON": [
    () => agentOf("diary", z.object({ when: z.date() })),
    /^Agent diary: operation "note", input\/when: a Date cannot be JSON/,
  ],
  "name is no name": [() => agentOf("Dia ry", z.object({})), /^Agent Dia ry: not a usable name/],
  "operation is nothing": [
    () => defineAgent("diary", { note: undefined as unknown as Operation }) as never,
    /undo/,
  ],
};

test.each(Object.entries(wrongAgents))(
  "an Agent whose %s is refused by its name, with the workflows that call it and no others",
  async (_, [define, why]) => {
    const load = () => {
      const diary = define();
      // A call that a module makes once, for several workflows.
      const note = { call: diary.note({}), completeWithin: "1s" } as const;
      const calls = defineWorkflow("calls.v1", Trip, (_trip, step) => void step("a", note));
      const pools = defineWorkflow("pools.v1", Trip, (trip, step) => {
        const agents = [payments, diary];
        step("b", { call: payments.assess({ price: trip.price }), agents, completeWithin: "1s" });
      });
      return { before: good("before.v1"), calls, pools, after: good("after.v1"), diary };
    };
    const { definitions, refused } = await collect(load);
    expect(namesOf(definitions)).toEqual(["before.v1", "after.v1"]);
    const [agent, ...workflows] = refused;
    expect(agent).toEqual({
      kind: "Agent",
      name: expect.stringMatching(/^[Dd]ia/),
      error: expect.objectContaining({ message: expect.stringMatching(why) }),
    });
    expect(workflows).toMatchObject(
      ['calls.v1, step "a"', 'pools.v1, step "b"'].map((place) => ({
        kind: "workflow",
        error: {
          code: "workflow.invalid",
          message: expect.stringContaining(`${place}: the Agent ${agent?.name} is refused: `),
        },
      })),
    );
    expect(define).toThrow(why);
  },
);

test("what is refused in a module is listed for that module alone, also where others are loaded meanwhile", async () => {
  const [one, other] = await Promise.all([
    collect(() => ({ wrong: dated("one.v1"), right: good("right.v1") })),
    collect(() => ({ wrong: dated("other.v1") })),
  ]);
  expect([namesOf(one.refused), namesOf(other.refused)]).toEqual([["one.v1"], ["other.v1"]]);
});

test("defineWorkflow throws again once no module is being loaded", async () => {
  await expect(
    collect(() => {
      throw new Error("a module that cannot be loaded");
    }),
  ).rejects.toThrow("cannot be loaded");
  expect(() => dated("wrong.v1")).toThrow(/^wrong\.v1, input\/when/);
});
