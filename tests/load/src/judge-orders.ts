import { setTimeout as sleep } from "node:timers/promises";
import type { StateStore } from "@holdfast/state-store";

/** How orders ended, by two independent sources: the state store and the partners' own
 * ledgers. */
export interface Verdict {
  readonly processed: number;
  readonly undone: number;
  /** Waiting for an operator. */
  readonly halted: number;
  /** Orders that have not ended yet. */
  readonly open: number;
  /** Accepted, but unknown now; or ended, and the ledgers do not show what that means. */
  readonly lost: number;
  /** Effects that happened twice. */
  readonly doubled: number;
  /** Broken invariants of the state store. */
  readonly violations: Awaited<ReturnType<StateStore["findInvariantViolations"]>>;
  /** The first orders that are not right, and why. */
  readonly witnesses: readonly string[];
}

export interface Effect {
  readonly partner: string;
  readonly resource: string;
  readonly key: string;
  readonly applied: number;
  readonly undone: number;
  readonly net: number;
}

/** An order as its customer sees it: what judging it takes. */
export interface JudgedOrder {
  readonly state: string;
  readonly steps: readonly {
    readonly name: string;
    readonly kind: string;
    readonly processState: string;
    readonly attempt: number;
  }[];
}

/** The addresses of the two witnesses. */
export interface Witnesses {
  readonly submissionUrl: string;
  readonly partnersUrl: string;
  readonly store: Pick<StateStore, "findInvariantViolations">;
}

/** What a processed order has left at the partners; of an undone one none of it is there. */
const lasting = ["reservations", "charges", "shipments"];
/** Milliseconds. */
const pollInterval = 50;
const endStates = ["processed", "undone", "halted"];

export async function stateOf(
  { submissionUrl }: Pick<Witnesses, "submissionUrl">,
  id: string,
): Promise<string> {
  return (await readOrder(submissionUrl, id)).state;
}

async function readOrder(submissionUrl: string, id: string): Promise<JudgedOrder> {
  const response = await fetch(`${submissionUrl}/v1/tasks/${id}`);
  if (response.status === 404) return { state: "unknown", steps: [] };
  return (await response.json()) as JudgedOrder;
}

/** Whether an order has come to an end, or to an operator. */
export const isEnded = (state: string): boolean => endStates.includes(state);

/** Resolves when all these orders have ended, or when the signal aborts. */
export async function untilEnded(
  system: Pick<Witnesses, "submissionUrl">,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const isAborted = () => signal?.aborted === true;
  for (const id of ids) {
    while (!isAborted() && !(await hasEnded(system, id))) await sleep(pollInterval);
  }
}

/** A service that is down at the moment is asked again. */
const hasEnded = (system: Pick<Witnesses, "submissionUrl">, id: string): Promise<boolean> =>
  (async () => isEnded(await stateOf(system, id)))().catch(() => false);

/** Judges orders that were accepted. */
export async function judgeOrders(witnesses: Witnesses, ids: readonly string[]): Promise<Verdict> {
  const { submissionUrl, partnersUrl, store } = witnesses;
  const effects = await effectsByOrder(partnersUrl);
  const orders = await readOrders(submissionUrl, ids);
  const states = [...orders.values()].map(({ state }) => state);
  const count = (state: string) => states.filter((one) => one === state).length;
  const faults = [...orders].flatMap(([id, order]) => {
    const fault = faultOf(order, effects.get(id) ?? []);
    return fault === null ? [] : [`${id}: ${fault}`];
  });
  const doubled = [...effects.values()].flat().filter(({ applied }) => applied > 1);
  return {
    processed: count("processed"),
    undone: count("undone"),
    halted: count("halted"),
    open: states.filter((state) => state !== "unknown" && !isEnded(state)).length,
    lost: faults.length,
    doubled: doubled.length,
    violations: await store.findInvariantViolations({ batch: 10 }),
    witnesses: [...faults, ...doubled.map(({ key }) => `${key}: done twice`)].slice(0, 10),
  };
}

async function readOrders(
  url: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, JudgedOrder>> {
  const orders = new Map<string, JudgedOrder>();
  // A few at a time: a judge should not be the load.
  for (let at = 0; at < ids.length; at += 20) {
    const some = ids.slice(at, at + 20);
    const found = await Promise.all(some.map((id) => readOrder(url, id)));
    found.forEach((order, index) => orders.set(some[index] ?? "", order));
  }
  return orders;
}

/** Why the effects of an order are not what its state means; null: they are. */
export function faultOf(order: JudgedOrder, effects: readonly Effect[]): string | null {
  const { state } = order;
  if (state === "unknown") return "accepted, but unknown to the state store";
  if (state === "halted") return faultOfHalted(order, effects);
  if (state !== "processed" && state !== "undone") return null;
  const wanted = state === "processed" ? 1 : 0;
  const wrong = lasting.filter((resource) => netOf(effects, resource) !== wanted);
  return wrong.length === 0 ? null : `${state}, but ${wrong.join(" and ")} say otherwise`;
}

/** Steps that have an effect which is undone by another step. */
const effectful: ReadonlySet<string> = new Set(["reserve", "charge", "ship"]);

/**
 * An order that waits for an operator has the effects of the steps that are done, and no others.
 */
function faultOfHalted({ steps }: JudgedOrder, effects: readonly Effect[]): string | null {
  const stateOfUndo = new Map(
    steps.flatMap(({ name, kind, processState }) =>
      kind === "undo" ? [[name, processState] as const] : [],
    ),
  );
  const wrong = steps.flatMap(({ name, kind, processState, attempt }) => {
    if (kind === "undo" || !effectful.has(name)) return [];
    const own = effects.filter(({ key }) => key.split(":")[1] === name);
    const net = own.reduce((sum, effect) => sum + effect.net, 0);
    const undo = stateOfUndo.get(`${name}:undo`) ?? "waiting";
    const isRight = allowedNets({ processState, attempt, undo }).includes(net);
    return isRight ? [] : [`${name} (${processState}, undo ${undo}) has ${net} effects`];
  });
  return wrong.length === 0 ? null : `error, but ${wrong.join(" and ")}`;
}

interface Standing {
  readonly processState: string;
  readonly attempt: number;
  readonly undo: string;
}

/** How many effects a step may have that stands so. An outcome that is unknown allows both. */
function allowedNets({ processState, attempt, undo }: Standing): readonly number[] {
  if (undo === "processed" || attempt === 0) return [0];
  return processState === "processed" && undo === "waiting" ? [1] : [0, 1];
}

const netOf = (effects: readonly Effect[], resource: string): number =>
  effects.filter((one) => one.resource === resource).reduce((sum, { net }) => sum + net, 0);

async function effectsByOrder(url: string): Promise<ReadonlyMap<string, readonly Effect[]>> {
  const response = await fetch(`${url}/ledger/balance`);
  const { keys } = (await response.json()) as { readonly keys: readonly Effect[] };
  return Map.groupBy(keys, ({ key }) => key.split(":")[0] ?? "");
}
