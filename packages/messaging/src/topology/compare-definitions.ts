import { agentQueue, eventExchange, statusExchange } from "@holdfast/contracts";
import type { Definitions } from "./definitions.ts";

/** What a broker has, as its HTTP API tells. Null: there is no such virtual host. */
export interface FoundDefinitions {
  readonly users: readonly {
    readonly name: string;
    readonly tags: readonly string[];
    readonly passwordHash: string;
    readonly limits: Readonly<Record<string, number>>;
    /** Other virtual hosts in which it has rights: its password is theirs, too. */
    readonly elsewhere?: readonly string[];
  }[];
  readonly permissions: Definitions["permissions"];
  readonly topic_permissions: Definitions["topic_permissions"];
  readonly exchanges: readonly {
    readonly name: string;
    readonly type: string;
    readonly durable: boolean;
  }[];
  readonly queues: readonly {
    readonly name: string;
    readonly durable: boolean;
    readonly arguments: Readonly<Record<string, unknown>>;
  }[];
  readonly bindings: readonly {
    readonly source: string;
    readonly destination: string;
    readonly routing_key: string;
  }[];
}

/** One way in which a broker is not as it should be. */
export interface Difference {
  /** `conflict`: importing cannot repair it, because the broker changes nothing that is there. */
  readonly action: "add" | "change" | "remove" | "conflict";
  readonly kind: "user" | "permission" | "topic permission" | "exchange" | "queue" | "binding";
  readonly name: string;
  /** What it is, and what it should be; null: the action says it. */
  readonly detail: string | null;
  /**
   * Other virtual hosts that the change reaches: those of a user who would get another password.
   */
  readonly reaches?: readonly string[];
}

/** Whether a hash is that of the password that a user should have. */
export type PasswordCheck = (user: string, passwordHash: string) => boolean;

/** Bindings to queues of applications, which come and go. */
const others: ReadonlySet<string> = new Set([statusExchange, eventExchange]);

/**
 * All differences between what a broker should have and what it has. Queues and exchanges that are
 * not Holdfast's, and the queues of applications, are no differences; rights of users who are not
 * on the list are.
 */
export function compareDefinitions(
  wanted: Definitions,
  found: FoundDefinitions,
  isPassword: PasswordCheck = () => true,
): readonly Difference[] {
  return [
    ...compareUsers(wanted, found, isPassword),
    ...comparePermissions(wanted, found),
    ...compareExchanges(wanted, found),
    ...compareQueues(wanted, found),
    ...compareBindings(wanted, found),
  ];
}

const missing = (kind: Difference["kind"], name: string): Difference => ({
  action: "add",
  kind,
  name,
  detail: null,
});

function compareUsers(
  { users, permissions }: Definitions,
  found: FoundDefinitions,
  isPassword: PasswordCheck,
): readonly Difference[] {
  const there = new Map(found.users.map((user) => [user.name, user]));
  const given = users.flatMap((user): readonly Difference[] => {
    const { name } = user;
    const has = there.get(name);
    if (has === undefined) return [missing("user", name)];
    const hasPassword = isPassword(name, has.passwordHash);
    const details = [
      differing("tags", has.tags.toSorted(), user.tags.toSorted()),
      user.limits === undefined
        ? null
        : differing("limits", limitsOf(has.limits), limitsOf(user.limits)),
      hasPassword ? null : "it has another password",
    ].filter((detail) => detail !== null);
    if (details.length === 0) return [];
    const reaches = hasPassword ? [] : (has.elsewhere ?? []);
    if (reaches.length > 0) details.push(`with which ${reaches.join(", ")} is used, too`);
    const change = { action: "change", kind: "user", name, detail: details.join("; ") } as const;
    return [reaches.length > 0 ? { ...change, reaches } : change];
  });
  const known = new Set([...there.keys(), ...users.map(({ name }) => name)]);
  const absent = permissions
    .filter(({ user }) => !known.has(user))
    .map(
      ({ user }): Difference => ({
        action: "conflict",
        kind: "user",
        name: user,
        detail: "it does not exist, and no password was given for it",
      }),
    );
  return [...given, ...absent];
}

const limitsOf = (limits: Readonly<Record<string, number>>): readonly string[] =>
  Object.entries(limits)
    .map(([name, limit]) => `${name} ${limit}`)
    .toSorted();

function differing(what: string, has: readonly string[], should: readonly string[]): string | null {
  const [is, wanted] = [has, should].map((list) => list.join(", ") || "none");
  return is === wanted ? null : `its ${what} are ${is} and should be ${wanted}`;
}

type Right = Readonly<Record<"configure" | "read" | "write", string>>;

const topic = ({ user, exchange }: { readonly user: string; readonly exchange: string }): string =>
  `${user} on ${exchange}`;

function comparePermissions(wanted: Definitions, found: FoundDefinitions): readonly Difference[] {
  const tagsOf = new Map(found.users.map(({ name, tags }) => [name, tags]));
  // An administrator can give rights to itself anyway.
  const isForeign = (user: string) => !(tagsOf.get(user) ?? []).includes("administrator");
  const byUser = new Map(found.permissions.map((one) => [one.user, one]));
  const listed = new Set(wanted.permissions.map(({ user }) => user));
  const byTopic = new Map(found.topic_permissions.map((one) => [topic(one), one]));
  const wantedTopics = new Set(wanted.topic_permissions.map(topic));
  return [
    ...wanted.permissions.flatMap((one) =>
      differenceOf("permission", one.user, { should: one, is: byUser.get(one.user) }),
    ),
    ...found.permissions
      .filter(({ user }) => !listed.has(user) && isForeign(user))
      .map(({ user }) => unlisted("permission", user)),
    ...wanted.topic_permissions.flatMap((one) =>
      differenceOf("topic permission", topic(one), {
        should: { ...one, configure: "" },
        is: withoutConfigure(byTopic.get(topic(one))),
      }),
    ),
    ...found.topic_permissions
      .filter((one) => !wantedTopics.has(topic(one)) && isForeign(one.user))
      .map((one) => unlisted("topic permission", topic(one))),
  ];
}

const withoutConfigure = (one: Pick<Right, "read" | "write"> | undefined): Right | undefined =>
  one && { ...one, configure: "" };

const unlisted = (kind: Difference["kind"], name: string): Difference => ({
  action: "remove",
  kind,
  name,
  detail: "it is not on the list of users",
});

function differenceOf(
  kind: Difference["kind"],
  name: string,
  { should, is }: { readonly should: Right; readonly is: Right | undefined },
): readonly Difference[] {
  if (is === undefined) return [missing(kind, name)];
  const verbs = (["configure", "write", "read"] as const).filter(
    (verb) => is[verb] !== should[verb],
  );
  if (verbs.length === 0) return [];
  const detail = verbs.map((verb) => `${verb} is ${is[verb]} and should be ${should[verb]}`);
  return [{ action: "change", kind, name, detail: detail.join("; ") }];
}

function compareExchanges(wanted: Definitions, found: FoundDefinitions): readonly Difference[] {
  const there = new Map(found.exchanges.map((one) => [one.name, one]));
  return wanted.exchanges.flatMap(({ name, type, durable }): readonly Difference[] => {
    const is = there.get(name);
    if (is === undefined) return [missing("exchange", name)];
    if (is.type === type && is.durable === durable) return [];
    const detail = `it is ${is.durable ? "" : "transient and "}${is.type}, and should be ${type}`;
    return [{ action: "conflict", kind: "exchange", name, detail }];
  });
}

function compareQueues(wanted: Definitions, found: FoundDefinitions): readonly Difference[] {
  const there = new Map(found.queues.map((one) => [one.name, one]));
  const ours = new Set(wanted.queues.map(({ name }) => name));
  return [
    ...wanted.queues.flatMap((queue): readonly Difference[] => {
      const is = there.get(queue.name);
      if (is === undefined) return [missing("queue", queue.name)];
      const detail = argumentsDiffer(is.arguments, queue.arguments);
      return detail === null
        ? []
        : [{ action: "conflict", kind: "queue", name: queue.name, detail }];
    }),
    ...found.queues
      .filter(({ name }) => name.startsWith(agentQueue("")) && !ours.has(name))
      .map(
        ({ name }): Difference => ({
          action: "remove",
          kind: "queue",
          name,
          detail: "no user and no workflow has this Agent",
        }),
      ),
  ];
}

function argumentsDiffer(
  is: Readonly<Record<string, unknown>>,
  should: Readonly<Record<string, unknown>>,
): string | null {
  const names = [...new Set([...Object.keys(is), ...Object.keys(should)])];
  const name = names.find((one) => is[one] !== should[one]);
  if (name === undefined) return null;
  const [has, wants] = [is, should].map((one) => JSON.stringify(one[name] ?? "not set"));
  return `${name} is ${has} and should be ${wants}`;
}

function compareBindings(wanted: Definitions, found: FoundDefinitions): readonly Difference[] {
  const nameOf = (one: FoundDefinitions["bindings"][number]) =>
    `${one.source} to ${one.destination} by ${one.routing_key || "no key"}`;
  const there = new Set(found.bindings.map(nameOf));
  const wantedNames = new Set(wanted.bindings.map(nameOf));
  const exchanges = new Set(
    wanted.exchanges.map(({ name }) => name).filter((name) => !others.has(name)),
  );
  const queues = new Set(wanted.queues.map(({ name }) => name));
  return [
    ...wanted.bindings
      .map(nameOf)
      .filter((name) => !there.has(name))
      .map((name) => missing("binding", name)),
    ...found.bindings
      .filter(({ source, destination }) => exchanges.has(source) && queues.has(destination))
      .map(nameOf)
      .filter((name) => !wantedNames.has(name))
      .map((name): Difference => ({ action: "remove", kind: "binding", name, detail: null })),
  ];
}
