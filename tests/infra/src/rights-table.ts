import { readFile } from "./repository.ts";

export const verbs = ["configure", "write", "read"] as const;
export type Verb = (typeof verbs)[number];

/** What a user may do, as expressions that match names of queues and exchanges. */
export type Rights = Readonly<Record<Verb, readonly RegExp[]>>;

const row = /^\| `([a-z]+)` +\|([^|]*)\|([^|]*)\|([^|]*)\|$/gm;

/** The table of broker users in infra/README.md. */
export function rightsTable(): ReadonlyMap<string, Rights> {
  const [, section = ""] = readFile("infra/README.md").split("## Broker users and their rights");
  return new Map(
    [...section.matchAll(row)].map(([, user = "", ...cells]) => {
      const [configure = [], write = [], read = []] = cells.map((cell) => patternsIn(cell, user));
      return [user, { configure, write, read }];
    }),
  );
}

const patternsIn = (cell: string, user: string): readonly RegExp[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, pattern = ""]) => toExpression(pattern, user));

const toExpression = (pattern: string, user: string): RegExp => {
  const escaped = pattern.replaceAll("<user>", user).replaceAll(".", "\\.");
  return new RegExp(`^${escaped.replaceAll("*", "[^.]+").replaceAll("#", ".+")}$`);
};
