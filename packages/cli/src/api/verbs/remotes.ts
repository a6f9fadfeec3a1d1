import { exitCodes } from "../../exit-codes.ts";
import { changeVerb, listingVerb, pickingVerb } from "../operation-verb.ts";
import type { Invocation, Outcome, Verb } from "../verb.ts";

const change = (act: "hold" | "release"): Verb =>
  changeVerb({
    name: `remotes ${act}`,
    operation: `${act}Remote`,
    looksAt: ["listRemotes"],
    preview: (invocation, name) => preview(invocation, { act, name }),
  });

async function preview(
  { client }: Invocation,
  { act, name }: { readonly act: string; readonly name: string },
): Promise<Outcome> {
  const remote = (await client().remotes.list()).find((one) => one.name === name) ?? null;
  const { breaker = null, heldSteps = 0 } = remote ?? {};
  const exitCode = remote === null ? exitCodes.notFound : exitCodes.ok;
  const value = { dryRun: true, name, breaker, heldSteps };
  const stands = breaker === null ? "there is no such service" : `its breaker is ${breaker}`;
  return {
    exitCode,
    value,
    text: `Would ${act} ${name}: ${stands}, ${heldSteps} steps held.`,
  };
}

const shown = {
  operation: "listRemotes",
  columns: ["name", "breaker", "agents", "heldSteps", "since", "actor", "reason"],
} as const;

/** Remote services, and the pauses of Agents and workflows: what holds steps back. */
export const remoteVerbs: readonly Verb[] = [
  listingVerb({ ...shown, name: "remotes list" }),
  pickingVerb({ ...shown, name: "remotes get", unknown: "breaker.unknown" }),
  change("hold"),
  change("release"),
];

export const pauseVerbs: readonly Verb[] = [
  listingVerb({
    name: "pauses list",
    operation: "listPauses",
    columns: ["kind", "name", "actor", "reason", "pausedAt", "resumedAt"],
  }),
];
