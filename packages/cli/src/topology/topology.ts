import { count } from "@holdfast/diagnosis";
import { Fault } from "@holdfast/domain";
import {
  compareDefinitions,
  type Definitions,
  type Difference,
  importDefinitions,
  inspectBroker,
  nothingFound,
  readDefinitions,
  removeDifference,
} from "@holdfast/messaging";
import type { Invocation, Outcome } from "../api/verb.ts";
import { readTopologyOptions, type TopologyOptions } from "./read-options.ts";
import { type WantedTopology, wantedTopology } from "./wanted-topology.ts";

/** Prints what a broker should have, compares it with a broker, or makes a broker like it. */
export async function topology(
  invocation: Pick<Invocation, "operands" | "text" | "flag" | "io">,
): Promise<Outcome> {
  const options = readTopologyOptions(invocation);
  const wanted = await wantedTopology(options, invocation.io.env);
  switch (options.act) {
    case "print":
      return print(wanted);
    case "check":
      return await check(options, wanted);
    case "apply":
      return await apply(options, wanted);
  }
}

function print({ definitions }: WantedTopology): Outcome {
  const { users, ...rest } = definitions;
  const value = users.length === 0 ? rest : definitions;
  return { value, text: JSON.stringify(value, null, 2) };
}

async function check(options: TopologyOptions, wanted: WantedTopology): Promise<Outcome> {
  const differences = await findDifferences(options, wanted);
  const isRight = differences.length + wanted.unserved.length === 0;
  return {
    exitCode: isRight ? 0 : 1,
    text: describeDifferences(differences, wanted.unserved),
    value: { differences, unserved: wanted.unserved },
  };
}

/**
 * Compares by the HTTP API, which shows everything, or else over AMQP, which shows queues and
 * exchanges only.
 */
async function findDifferences(
  { managementUrl, brokerUrl, vhost, agents }: TopologyOptions,
  { definitions, isPassword }: WantedTopology,
): Promise<readonly Difference[]> {
  if (managementUrl !== null) {
    const found = await readDefinitions({ url: managementUrl, vhost });
    return compareDefinitions(definitions, found ?? nothingFound, isPassword);
  }
  const names = definitions.queues.flatMap(({ name }) => /^agent\.(.+)$/.exec(name)?.[1] ?? []);
  const facts = await inspectBroker({
    url: brokerUrl ?? "",
    managementUrl: null,
    name: "holdfast topology",
    agents: [...new Set([...names, ...agents])],
  });
  return [
    ...facts.missingExchanges.map(
      (name) => ({ action: "add", kind: "exchange", name, detail: null }) as const,
    ),
    ...facts.queues.flatMap(({ name, state, difference }): readonly Difference[] => {
      if (state === "missing") return [{ action: "add", kind: "queue", name, detail: null }];
      if (difference === null) return [];
      return [{ action: "conflict", kind: "queue", name, detail: difference }];
    }),
  ];
}

const isMade = ({ action }: Difference): boolean => action === "add" || action === "change";

async function apply(options: TopologyOptions, wanted: WantedTopology): Promise<Outcome> {
  const { vhost, dryRun, yes } = options;
  const place = { url: options.managementUrl ?? "", vhost };
  const before = await findDifferences(options, wanted);
  const plan = describeDifferences(before, wanted.unserved);
  if (dryRun) {
    // An import repairs no conflict, so the whole would end with 1 as well.
    return {
      exitCode: before.some(({ action }) => action === "conflict") ? 1 : 0,
      text: `${plan}\nNothing was changed: --dry-run.`,
      value: { differences: before, applied: false },
    };
  }
  const shared = yes ? [] : before.filter(({ reaches = [] }) => reaches.length > 0);
  if (shared.length > 0) {
    return {
      exitCode: 1,
      text: [
        plan,
        `Nothing was changed: ${count(shared.length, "user")} would get another password, with which other virtual hosts are used, too. Give users of this one names of its own, such as shop-scheduler: scheduler, or say --yes.`,
      ].join("\n"),
      value: { differences: before, applied: false },
    };
  }
  const refusals: string[] = [];
  const absent = new Set(
    before
      .filter(({ action, kind }) => action === "conflict" && kind === "user")
      .map(({ name }) => name),
  );
  if (before.some(isMade)) await importDefinitions(place, withoutUsers(wanted.definitions, absent));
  for (const one of before.filter(({ action }) => yes && action === "remove")) {
    await removeDifference(place, one).catch((error: unknown) => {
      if (!(error instanceof Fault)) throw error;
      refusals.push(`${one.kind} ${one.name} stays: ${error.message}`);
    });
  }
  const left = await findDifferences(options, wanted);
  const isRight = left.every(({ action }) => action === "remove" && !yes) && refusals.length === 0;
  return {
    exitCode: isRight ? 0 : 1,
    text: [plan, ...refusals, describeLeft(left, yes)].join("\n"),
    value: { differences: before, applied: true, left, refusals, unserved: wanted.unserved },
  };
}

/** A broker refuses all of an import that gives rights to a user who does not exist. */
function withoutUsers(definitions: Definitions, absent: ReadonlySet<string>): Definitions {
  const isThere = ({ user }: { readonly user: string }) => !absent.has(user);
  return {
    ...definitions,
    permissions: definitions.permissions.filter(isThere),
    topic_permissions: definitions.topic_permissions.filter(isThere),
  };
}

const signs = { add: "+", change: "~", remove: "-", conflict: "!" } as const;
const order = ["add", "change", "remove", "conflict"] as const;
const words = {
  add: "to add",
  change: "to change",
  remove: "to remove",
  conflict: "in conflict",
} as const;

/** How many differences of each kind, and each of them on a line. */
function describeDifferences(
  differences: readonly Difference[],
  unserved: readonly string[],
): string {
  if (differences.length + unserved.length === 0) return "The broker is as it should be.";
  const sums = order.flatMap((action) => {
    const times = differences.filter((one) => one.action === action).length;
    return times === 0 ? [] : [`${times} ${words[action]}`];
  });
  const sorted = differences.toSorted((a, b) => order.indexOf(a.action) - order.indexOf(b.action));
  return [
    ...sorted.map(lineOf),
    ...unserved.map((sentence) => `! ${sentence}`),
    sums.length === 0 ? "The broker is as the list says." : `${sums.join(", ")}.`,
  ].join("\n");
}

const lineOf = ({ action, kind, name, detail }: Difference): string =>
  `${signs[action]} ${kind} ${name}${detail === null ? "" : `: ${detail}`}`;

/** What an import has not repaired, and what to do about it. */
function describeLeft(left: readonly Difference[], removed: boolean): string {
  const removals = left.filter(({ action }) => action === "remove");
  const conflicts = left.filter(({ action }) => action === "conflict");
  const others = left.filter(({ action }) => action === "add" || action === "change");
  if (left.length === 0) return "Done: the broker is as it should be.";
  return [
    ...others.map((one) => `Not done: ${lineOf(one)}`),
    ...(conflicts.length === 0
      ? []
      : [
          `${count(conflicts.length, "conflict")}: stop what uses them, let the queues run empty, delete them, and apply again; make a missing user by giving its password.`,
        ]),
    ...(removals.length === 0 || removed
      ? []
      : [`${removals.length} to remove were left: say --yes to remove them, too.`]),
  ].join("\n");
}
