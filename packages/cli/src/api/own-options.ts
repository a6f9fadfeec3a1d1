import type { OptionSpec } from "./verb.ts";

/** Options of verbs that are no field of a request: what the command does itself. */
export const ownOptions = {
  "dry-run": { type: "boolean", help: "only say what would be changed" },
  yes: { type: "boolean", short: "y", help: "change all that match a filter" },
  all: { type: "boolean", help: "every one that matches" },
  // Pages are turned here, so it may be more than a page has.
  limit: { type: "string", value: "N", help: "how many; 20 unless it is set" },
  wait: { type: "string", value: "DURATION", help: "for how long at most, such as 30s" },
  "store-only": {
    type: "boolean",
    help: "a version that is not the first stays inactive until it is activated",
  },
  // The query has `label.<name>` for each label, which no parameter of the document can name.
  label: {
    type: "string",
    multiple: true,
    value: "NAME=VALUE",
    help: "a label of the task; may be repeated",
  },
  "token-stdin": { type: "boolean", help: "read the token from the standard input" },
} as const satisfies Readonly<Record<string, OptionSpec>>;

type OwnOption = keyof typeof ownOptions;

/** Some of them, by name. */
export const own = (...names: readonly OwnOption[]): Readonly<Record<string, OptionSpec>> =>
  Object.fromEntries(names.map((name) => [name, ownOptions[name]]));
