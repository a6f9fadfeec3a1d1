import { poolName } from "@holdfast/domain";
import { limits } from "../limits/limits.ts";
import { type FieldFault, pointerPart } from "./check-input.ts";

interface Remote {
  readonly service: string;
  readonly sharesKeys: boolean;
}

/**
 * What is wrong with the pools of a workflow, and with what it says of the remote services of its
 * Agents.
 */
export function checkPools(steps: readonly unknown[], remotes: unknown): readonly FieldFault[] {
  const remoteOf = (agent: string): Remote => {
    const { service, sharesKeys } = objectOf(objectOf(remotes)[agent]);
    return {
      service: typeof service === "string" ? service : agent,
      sharesKeys: sharesKeys === true,
    };
  };
  return [
    ...steps.flatMap((step, index) => {
      const detail = faultOfPool(objectOf(step), remoteOf);
      return detail === null ? [] : [{ pointer: `/steps/${index}/agents`, detail }];
    }),
    ...faultsOfRemotes(steps, objectOf(remotes), remoteOf),
  ];
}

function faultOfPool(
  { agent, agents }: Fields,
  remoteOf: (agent: string) => Remote,
): string | null {
  const members = namesIn(agents);
  const [first, ...others] = members;
  if (first === undefined || others.length === 0) return null;
  if (first !== agent) return `must begin with the Agent of the step, which is ${String(agent)}`;
  const remote = remoteOf(first);
  const stranger = others.find((other) => remoteOf(other).service !== remote.service);
  if (stranger !== undefined) {
    return `${first} wraps the remote service ${remote.service}, and ${stranger} wraps ${remoteOf(stranger).service}: Agents of one pool must share one, or a step might be done twice. Give both the same \`remote\` in defineAgent, if they do`;
  }
  const odd = others.find((other) => remoteOf(other).sharesKeys !== remote.sharesKeys);
  if (odd !== undefined) {
    return `${first} and ${odd} differ in whether ${remote.service} shares their idempotency keys: give both the same \`sharesKeys\` in defineAgent`;
  }
  const { length } = poolName(members);
  if (length <= limits.name) return null;
  return `the names of the Agents are ${length} characters long together, of at most ${limits.name}`;
}

/** A name that no step asks for is a mistake, or the Agent of an earlier version. */
function faultsOfRemotes(
  steps: readonly unknown[],
  remotes: Fields,
  remoteOf: (agent: string) => Remote,
): readonly FieldFault[] {
  const asked = new Set(
    steps.map(objectOf).flatMap(({ agent, agents }) => [agent, ...namesIn(agents)]),
  );
  const firstOf = new Map<string, string>();
  return Object.keys(remotes).flatMap((agent) => {
    const pointer = `/remotes/${pointerPart(agent)}`;
    if (!asked.has(agent)) return [{ pointer, detail: "no step asks this Agent: remove it" }];
    const { service, sharesKeys } = remoteOf(agent);
    const first = firstOf.get(service) ?? agent;
    firstOf.set(service, first);
    if (remoteOf(first).sharesKeys === sharesKeys) return [];
    const detail = `${first} says otherwise whether ${service} shares idempotency keys: all its Agents must say the same`;
    return [{ pointer: `${pointer}/sharesKeys`, detail }];
  });
}

type Fields = Readonly<Record<string, unknown>>;

const objectOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};

const namesIn = (agents: unknown): readonly string[] =>
  Array.isArray(agents) ? agents.filter((name) => typeof name === "string") : [];
