import { familyOf } from "@holdfast/domain";
import type { StoreWatcher } from "@holdfast/testing/simulator";
import { nameOf, short } from "./facts.ts";
import type { Asked, Order } from "./scenario.ts";
import { takesCoupon } from "./workflows.ts";
import type { World } from "./world.ts";

export type VersionAct = "store" | "activate" | "retire" | "reinstate";

/**
 * What operators did to versions and submitters were answered, and the rules that follow from it.
 */
export interface VersionJudge extends StoreWatcher {
  /** An operator has done this to a version. */
  changed(name: string, act: VersionAct): void;
  /** The place in the order of the store's commits at which something is sent. */
  readonly mark: () => number;
  accepted(order: Order, taskId: string): void;
  /** `since`: the mark of when it was sent. */
  refused(order: Order, answer: { readonly code: string; readonly since: number }): void;
}

interface Version {
  readonly name: string;
  readonly isRetired: boolean;
  /** When it was activated last, in the order of all acts; 0: never. */
  readonly activation: number;
}

/** What the name of the workflow means at one time. */
interface Standing {
  readonly versions: readonly Version[];
  readonly active: string | null;
}

interface Taken {
  readonly taskId: string;
  readonly version: string;
}

/** Keeps its own record of what each name means, and holds what is taken and refused against it. */
export function judgeVersions(world: World, orders: readonly Order[]): VersionJudge {
  const { accuse } = world;
  const standings: Standing[] = [{ versions: [], active: null }];
  const asked = new Map(orders.map((order) => [order.name, order.asked]));
  const taken = new Map<string, Taken>();
  const versions = new Map<string, string>();

  const now = (): Standing => standings.at(-1)!;
  const staysInVersion: StoreWatcher["decided"] = ({ task }) => {
    const version = versions.get(task.taskId);
    if (version === undefined || version === task.workflow.name) return;
    const witness = () => `${nameOf(task.taskId)}: ${version}, now ${task.workflow.name}`;
    accuse("a task stays in the version that it was taken in", witness);
  };

  return {
    changed: (name, act) => void standings.push(after(now(), { name, act, at: standings.length })),

    mark: () => standings.length - 1,
    accepted({ name }, taskId) {
      world.tell(name, () => `is answered: task ${short(taskId)}`);
      if (taken.get(name)?.taskId === taskId) return;
      accuse("a key stands for one task, whatever is activated meanwhile", () => name);
    },
    refused({ name, asked: request }, { code, since }) {
      const witness = () => `${name}, for ${request?.workflow}: ${code}`;
      world.tell(name, () => `is refused: ${code}`);
      if (taken.has(name))
        return accuse("what was taken is not refused when it is repeated", witness);
      if (standings.slice(since).some((standing) => isRight(standing, request!, code))) return;
      accuse("a submission is refused only for what is so of the version that it means", witness);
    },

    submitted({ task, input }, { name: version }) {
      const { order } = input as { readonly order: string };
      const request = asked.get(order);
      if (request == null) return;
      taken.set(order, { taskId: task.taskId, version });
      versions.set(task.taskId, version);
      const { active, versions: all } = now();
      const meant = isVersion(request) ? request.workflow : active;
      const witness = () => `${nameOf(task.taskId)} of ${version}, asked for ${request.workflow}`;
      if (version !== meant) accuse("a name means the version that is active, or its own", witness);
      if (all.find((one) => one.name === version)?.isRetired !== false) {
        accuse("a version that is retired takes no task", witness);
      }
    },
    claimed: (stored) => staysInVersion(stored, []),
    confirmed() {},
    resent() {},
    decided: staysInVersion,
  };
}

const isVersion = ({ workflow }: Asked): boolean => familyOf(workflow) !== workflow;

const numberOf = (name: string): number => Number(name.split(".v")[1]);

interface Changed {
  readonly name: string;
  readonly act: VersionAct;
  /** Its place in the order of all acts. */
  readonly at: number;
}

function after({ versions, active }: Standing, { name, act, at }: Changed): Standing {
  const old = versions.find((one) => one.name === name);
  const activation = act === "activate" ? at : (old?.activation ?? 0);
  const others = versions.filter((one) => one.name !== name);
  const changed = [...others, { name, isRetired: act === "retire", activation }];
  return withActive({ versions: changed, active: act === "activate" ? name : active }, at);
}

/**
 * Has one version active while any takes tasks: it stays so until it is retired, and then the one
 * that was active before it is, or else the newest.
 */
function withActive({ versions, active }: Standing, activation: number): Standing {
  const open = versions.filter(({ isRetired }) => !isRetired);
  if (open.some(({ name }) => name === active)) return { versions, active };
  const [next] = open.toSorted(
    (one, other) => other.activation - one.activation || numberOf(other.name) - numberOf(one.name),
  );
  if (next === undefined) return { versions, active: null };
  const others = versions.filter((one) => one !== next);
  return { versions: [...others, { ...next, activation }], active: next.name };
}

/** Whether a refusal says what is so. */
function isRight({ versions, active }: Standing, request: Asked, code: string): boolean {
  const named = versions.find(({ name }) => name === request.workflow);
  const meant = isVersion(request) ? (named?.name ?? null) : active;
  if (code === "workflow.unknown") return isVersion(request) && named === undefined;
  if (code === "workflow.retired")
    return isVersion(request) ? named?.isRetired === true : active === null;
  // Where all versions are retired the input may be held against one of them.
  return code === "task.invalid" && request.hasCoupon && (meant === null || !takesCoupon(meant));
}
