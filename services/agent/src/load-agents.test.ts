import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { loadAgents } from "./load-agents.ts";

const folder = fileURLToPath(new URL("../test/", import.meta.url));
const env = { FAREWELL: "bye" };

const load = (options: Partial<Parameters<typeof loadAgents>[0]> = {}) =>
  loadAgents({ modules: ["./greetings.ts"], wanted: null, folder, env, ...options });

test("loadAgents loads the Agents that a module exports, also those with configuration of their own", async () => {
  expect((await load()).map(({ name }) => name).toSorted()).toEqual(["farewells", "greetings"]);
});

test("loadAgents keeps only the Agents that AGENT_NAMES names", async () => {
  expect(await load({ wanted: ["greetings"] })).toMatchObject([{ name: "greetings" }]);
});

test("loadAgents loads packages by their names", async () => {
  await expect(load({ modules: ["@holdfast/agent"] })).rejects.toThrow(
    "AGENT_MODULES: @holdfast/agent exports no Agent",
  );
});

test.each<[string, Parameters<typeof load>[0], RegExp]>([
  [
    "a module that does not exist",
    { modules: ["./absent.ts"] },
    /^AGENT_MODULES: \.\/absent\.ts cannot be loaded: .*absent\.ts/,
  ],
  [
    "a module that throws",
    { modules: ["./broken.ts"] },
    /^AGENT_MODULES: \.\/broken\.ts cannot be loaded: broken\.ts(:\d+)?: The greetings are missing$/,
  ],
  [
    "a contract that cannot be JSON, beside a good one",
    { modules: ["./refused.ts"] },
    /^AGENT_MODULES: \.\/refused\.ts cannot be loaded: refused\.ts(:\d+)?: Agent diary: operation "note", input\/when: a Date cannot be JSON/,
  ],
  [
    "a package that does not exist",
    { modules: ["no-such-package"] },
    /^AGENT_MODULES: no-such-package cannot be loaded .*no-such-package/,
  ],
  [
    "a module without Agents",
    { modules: ["./no-agent.ts"] },
    /^AGENT_MODULES: \.\/no-agent\.ts exports no Agent; export what host\(…\) or configureAgents\(…\) returns$/,
  ],
  [
    "two Agents of one name",
    { modules: ["./greetings.ts", "./greetings.ts"] },
    /^Two Agents are named farewells: give each Agent of one process a name of its own$/,
  ],
  [
    "a name that no loaded Agent has",
    { wanted: ["greetings", "insults"] },
    /^AGENT_NAMES names insults, but the loaded Agents are /,
  ],
  [
    "an Agent whose configuration is missing",
    { env: {} },
    /^FAREWELL is missing: set it to a word$/,
  ],
])("loadAgents refuses %s, in one sentence", async (_, options, sentence) => {
  const error: unknown = await load(options).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "config.invalid" });
  expect((error as Error).message).toMatch(sentence);
});
