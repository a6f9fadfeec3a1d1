import {
  flowAside,
  limits,
  type OpenUse,
  overlongWaits,
  unknownKeywords,
} from "@holdfast/contracts";
import {
  agentsOfStep,
  type CallDefinition,
  callsOf,
  namesLike,
  operationsOfStep,
  type UndoDefinition,
  type WorkflowDefinition,
} from "@holdfast/domain";
import { type ContractDifference, differenceText, type KnownAgent } from "@holdfast/state-store";

/** What a step asks of its Agent. */
interface Needs extends Pick<CallDefinition, "agent" | "agents" | "operation"> {
  readonly undo: Pick<UndoDefinition, "operation"> | null;
}

/** What does not keep a workflow from being stored, and may well be a mistake. */
export function warningsOf(
  { steps }: { readonly steps: readonly Needs[] },
  knownAgents: readonly KnownAgent[],
): readonly string[] {
  const known = new Map(knownAgents.map(({ agent, operations }) => [agent, operations]));
  const needed = new Map<string, Set<string>>();
  for (const step of steps) {
    for (const agent of agentsOfStep(step)) {
      needed.set(agent, new Set([...(needed.get(agent) ?? []), ...operationsOfStep(step)]));
    }
  }
  const waitsForUnknown = (agent: string): boolean =>
    steps
      .map(agentsOfStep)
      .some((agents) => agents.includes(agent) && !agents.some((one) => known.has(one)));
  return [...needed].flatMap(([agent, operations]) => {
    const announced = known.get(agent);
    if (announced === undefined) {
      return [waitsForUnknown(agent) ? unknownAgent(agent) : unknownMember(agent)];
    }
    // An Agent of an older release does not say which operations it has.
    if (announced === null) return [];
    return [...operations]
      .filter((operation) => !announced.includes(operation))
      .map((operation) => unknownOperation(operation, agent, announced));
  });
}

/** Keywords of its schemas that check nothing: most often they are misspelt. */
export const keywordWarnings = (definition: unknown): readonly string[] =>
  unknownKeywords(definition)
    .slice(0, limits.refusals)
    .map(({ pointer, detail }) => `${pointer.slice(0, limits.name).toWellFormed()} ${detail}.`);

/** Running instances that may not be able to read what the workflow asks for. */
export const contractWarnings = (
  workflow: string,
  differences: readonly ContractDifference[],
): readonly string[] =>
  differences
    .filter((one) => one.workflow === workflow && one.reading !== "fits" && one.offered !== "")
    .slice(0, limits.refusals)
    .map((one) => `${differenceText(one)}.`);
/**
 * What a workflow waits for before it can become active: of each operation that it calls, one Agent
 * that may do it and whose heartbeats name it.
 */
export function missingFor(
  { steps }: { readonly steps: readonly Needs[] },
  knownAgents: readonly KnownAgent[],
): readonly string[] {
  const known = new Map(knownAgents.map((one) => [one.agent, one]));
  const cannot = (agent: string, operation: string): string | null => {
    const found = known.get(agent);
    if (found === undefined) return unknownAgent(agent);
    if (found.isSilent) return silentAgent(agent);
    // An Agent of an older release does not say which operations it has.
    if (found.operations?.includes(operation) !== false) return null;
    return unknownOperation(operation, agent, found.operations);
  };
  const missing = steps.flatMap((step) =>
    operationsOfStep(step).flatMap((operation) => {
      const why = agentsOfStep(step).map((agent) => cannot(agent, operation));
      return why.includes(null) ? [] : why.filter((one) => one !== null);
    }),
  );
  return [...new Set(missing)];
}

/**
 * Values that a step may not find, of which nothing but a run can show it, and waits that last
 * longer than a task may.
 */
export async function flowWarnings(definition: WorkflowDefinition): Promise<readonly string[]> {
  const { open } = await flowAside(definition);
  const atRun = open.filter(({ shows }) => shows === "run");
  const overlong = overlongWaits(definition);
  const calls = new Set(callsOf(definition).map(({ name }) => name));
  return [
    ...(overlong === null ? [] : [`${definition.name}: ${overlong}.`]),
    ...[...new Set(atRun.map((use) => mayBeMissing(use, calls)))].slice(0, limits.refusals),
  ];
}

function mayBeMissing({ step, value, pointer }: OpenUse, calls: ReadonlySet<string>): string {
  const what = calls.has(step) ? "the task halts before the step" : "the step fails as it begins";
  return `Step ${step} takes ${value} at ${pointer}, and neither schemas nor its condition say that it is there where the contract needs it: without it ${what}.`;
}

const unknownAgent = (agent: string): string =>
  `No Agent ${agent} has ever announced itself: its steps wait until one does.`;

const silentAgent = (agent: string): string =>
  `No instance of the Agent ${agent} has sent a heartbeat for a day: start it.`;

const unknownMember = (agent: string): string =>
  `No Agent ${agent} has ever announced itself: until one does, the other Agents of its pools get all steps.`;

function unknownOperation(operation: string, agent: string, announced: readonly string[]): string {
  const nearest = namesLike(operation, announced);
  const more = announced.length - nearest.length;
  const names = nearest.length === 0 ? "none" : nearest.join(", ");
  const rest = more > 0 ? ` and ${more} more` : "";
  return `The Agent ${agent} has not announced the operation ${operation}. It announced: ${names}${rest}.`;
}
