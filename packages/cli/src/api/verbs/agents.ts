import { changeVerb, listingVerb, pickingVerb } from "../operation-verb.ts";
import type { Invocation, Outcome, Verb } from "../verb.ts";

const change = (act: "pause" | "resume"): Verb =>
  changeVerb({
    name: `agents ${act}`,
    operation: `${act}Agent`,
    looksAt: ["listAgents"],
    preview: (invocation, name) => preview(invocation, { act, name }),
  });

async function preview(
  { client }: Invocation,
  { act, name }: { readonly act: string; readonly name: string },
): Promise<Outcome> {
  const agent = (await client().agents.list()).find((one) => one.name === name) ?? null;
  const value = { dryRun: true, name, due: agent?.due ?? 0, inFlight: agent?.inFlight ?? 0 };
  const text = `Would ${act} ${name}: ${value.due} of its steps are due, ${value.inFlight} in flight.`;
  return { value, text };
}

const shown = {
  operation: "listAgents",
  columns: ["name", "living", "slots", "inFlight", "due", "oldestDueMs", "paused.by", "unfitFor"],
} as const;

export const agentVerbs: readonly Verb[] = [
  listingVerb({ ...shown, name: "agents list" }),
  pickingVerb({ ...shown, name: "agents get", unknown: "agent.unknown" }),
  change("pause"),
  change("resume"),
];
