import { required } from "../values.ts";
import type { Verb } from "../verb.ts";

const listVerb: Verb = {
  name: "agents list",
  operands: [],
  summary: "list the Agents, with their instances and what waits for them",
  options: {},
  async run({ client }) {
    const value = await client().agents.list();
    return {
      value,
      columns: ["name", "living", "slots", "inFlight", "due", "oldestDueMs", "paused.by"],
    };
  },
};

const changeVerb = (change: "pause" | "resume", summary: string): Verb => ({
  name: `agents ${change}`,
  operands: ["<name>"],
  summary,
  options: {
    reason: { type: "string", short: "r", value: "WORDS", help: "why: kept with it" },
    "dry-run": { type: "boolean", help: "only say what would be changed" },
  },
  async run(invocation) {
    const [name = ""] = invocation.operands;
    const how = { reason: required(invocation, "reason"), actor: invocation.actor };
    const { agents } = invocation.client();
    if (invocation.flag("dry-run")) {
      const agent = (await agents.list()).find((one) => one.name === name) ?? null;
      const value = { dryRun: true, name, due: agent?.due ?? 0, inFlight: agent?.inFlight ?? 0 };
      return {
        value,
        text: `Would ${change} ${name}: ${value.due} of its steps are due, ${value.inFlight} in flight.`,
      };
    }
    await agents[change](name, how);
    return { value: { name, done: change }, text: `${name}: ${change} done.` };
  },
});

export const agentVerbs: readonly Verb[] = [
  listVerb,
  changeVerb("pause", "claim no further step of an Agent"),
  changeVerb("resume", "end the pause of an Agent"),
];
