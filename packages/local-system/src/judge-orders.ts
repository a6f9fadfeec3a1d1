import type { System } from "./start-system.ts";

/** How orders ended, as told by two witnesses that know nothing of each other: the state store and
 * the partners' own ledgers. */
export interface Verdict {
  readonly processed: number;
  readonly undone: number;
  /** Waiting for an operator. */
  readonly error: number;
  /** Not ended yet. */
  readonly open: number;
  /** Accepted, but unknown now; or ended, and the ledgers do not show what that means. */
  readonly lost: number;
  /** Effects that happened twice. */
  readonly doubled: number;
  /** The first orders that are not right, and why. */
  readonly witnesses: readonly string[];
}

interface Effect {
  readonly partner: string;
  readonly resource: string;
  readonly key: string;
  readonly applied: number;
  readonly undone: number;
  readonly net: number;
}

/** What a processed order has left at the partners; of an undone one none of it is there. */
const lasting = ["reservations", "charges", "shipments"];
const endStates = ["processed", "compensated", "error"];

export async function stateOf(
  { submissionUrl }: Pick<System, "submissionUrl">,
  id: string,
): Promise<string> {
  const response = await fetch(`${submissionUrl}/v1/orders/${id}`);
  if (response.status === 404) return "unknown";
  return ((await response.json()) as { readonly state: string }).state;
}

/** Whether an order has come to an end, or to an operator. */
export const isEnded = (state: string): boolean => endStates.includes(state);

/** Judges orders that were accepted. */
export async function judgeOrders(system: System, ids: readonly string[]): Promise<Verdict> {
  const effects = await effectsByOrder(system);
  const states = new Map<string, string>();
  // A few at a time: a judge should not be the load.
  for (let at = 0; at < ids.length; at += 20) {
    const some = ids.slice(at, at + 20);
    const found = await Promise.all(some.map((id) => stateOf(system, id)));
    found.forEach((state, index) => states.set(some[index] ?? "", state));
  }
  const count = (state: string) => [...states.values()].filter((one) => one === state).length;
  const faults = ids.flatMap((id) => {
    const fault = faultOf(states.get(id) ?? "unknown", effects.get(id) ?? []);
    return fault === null ? [] : [`${id}: ${fault}`];
  });
  const doubled = [...effects.values()].flat().filter(({ applied }) => applied > 1);
  return {
    processed: count("processed"),
    undone: count("compensated"),
    error: count("error"),
    open: [...states.values()].filter((state) => state !== "unknown" && !isEnded(state)).length,
    lost: faults.length,
    doubled: doubled.length,
    witnesses: [...faults, ...doubled.map(({ key }) => `${key}: done twice`)].slice(0, 10),
  };
}

function faultOf(state: string, effects: readonly Effect[]): string | null {
  if (state === "unknown") return "accepted, but nobody knows it";
  if (state !== "processed" && state !== "compensated") return null;
  const wanted = state === "processed" ? 1 : 0;
  const wrong = lasting.filter((resource) => netOf(effects, resource) !== wanted);
  return wrong.length === 0 ? null : `${state}, but ${wrong.join(" and ")} say otherwise`;
}

const netOf = (effects: readonly Effect[], resource: string): number =>
  effects.filter((one) => one.resource === resource).reduce((sum, { net }) => sum + net, 0);

async function effectsByOrder(system: System): Promise<ReadonlyMap<string, readonly Effect[]>> {
  const response = await fetch(`${system.partnersUrl}/ledger/balance`);
  const { keys } = (await response.json()) as { readonly keys: readonly Effect[] };
  return Map.groupBy(keys, ({ key }) => key.split(":")[0] ?? "");
}
