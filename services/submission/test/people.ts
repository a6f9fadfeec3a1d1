import { makeKey } from "@holdfast/runtime";
import { audiencesOf, type Principal } from "../src/access/principal.ts";
import type { Principals } from "../src/access/principals.ts";

/** Principals who show keys in tests, with the audiences for which they decide. */
const audiences = {
  ada: ["treasury"],
  grace: ["treasury"],
  edsger: ["treasury"],
  barbara: ["audit"],
  root: ["*"],
  checkout: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Person = keyof typeof audiences;

export const people = Object.keys(audiences) as readonly Person[];
const keys = new Map(people.map((id) => [id, makeKey()] as const));

/** The header by which one of them shows who it is. */
export const as = (id: Person) => ({ authorization: `Bearer ${keys.get(id)}` });

const known = new Map(
  people.map((id) => {
    const approves = audiencesOf(audiences[id]);
    const principal: Principal = { id, name: `${id}'s name`, kind: "key", approves };
    return [keys.get(id), principal] as const;
  }),
);

/** Knows them by their keys. */
export const principals: Pick<Principals, "read"> = {
  read: async (shown) => known.get(shown) ?? (shown === "valid" ? "unassigned" : "wrong"),
};
