import type { OptionSpec } from "./verb.ts";

/** Options of verbs that are no field of a request: what the command does itself. */
export const ownOptions = {
  "dry-run": { type: "boolean", help: "only say what would be changed" },
  yes: { type: "boolean", short: "y", help: "change all that match a filter" },
  all: { type: "boolean", help: "every one that matches" },
  // Pages are turned here, so it may be more than a page has.
  limit: { type: "string", value: "N", help: "how many; 20 unless it is set" },
  wait: { type: "string", value: "DURATION", help: "for how long at most, such as 30s" },
  approve: { type: "boolean", help: "approve the step" },
  reject: { type: "boolean", help: "reject the step, and say why with --reason" },
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
  set: {
    type: "string",
    multiple: true,
    value: "PLACE=TEXT",
    help: "change the input: a text, or other JSON with :=, such as lines/0/count:=5; may be repeated",
  },
  unset: {
    type: "string",
    multiple: true,
    value: "PLACE",
    help: "remove a place of the input; may be repeated",
  },
  direct: {
    type: "boolean",
    help: "look at the servers themselves, for example while no service answers",
  },
  "state-store-url": {
    type: "string",
    value: "URL",
    help: "instead of STATE_STORE_URL; means --direct",
  },
  "broker-url": { type: "string", value: "URL", help: "instead of BROKER_URL; means --direct" },
  "management-url": {
    type: "string",
    value: "URL",
    help: "instead of BROKER_MANAGEMENT_URL: RabbitMQ's HTTP API; means --direct",
  },
  ids: {
    type: "string",
    value: "FILE",
    help: "ids that your application has, one in each line; - for the standard input",
  },
  since: {
    type: "string",
    value: "DURATION",
    help: "only tasks submitted since then, such as 30m or 24h; means --direct",
  },
  "consumer-timeout": {
    type: "string",
    value: "DURATION",
    help: "the broker's consumer_timeout, where it is not 30m; means --direct",
  },
  "open-for": {
    type: "string",
    value: "DURATION",
    help: "from when on a transaction is long, where not from 1m; means --direct",
  },
  http: {
    type: "boolean",
    help: "serve HTTP at http://127.0.0.1:8288/mcp instead of standard input and output",
  },
  port: { type: "string", value: "PORT", help: "another port; 0 chooses a free one (--http)" },
  "allow-writes": {
    type: "boolean",
    help: "offer tools that submit, resubmit and undo as well; without it nothing can be changed",
  },
  "console-url": {
    type: "string",
    value: "URL",
    help: "where the console is; otherwise HOLDFAST_CONSOLE_URL, or /console of the service",
  },
  "token-stdin": { type: "boolean", help: "read the token from the standard input" },
} as const satisfies Readonly<Record<string, OptionSpec>>;

type OwnOption = keyof typeof ownOptions;

/** Some of them, by name. */
export const own = (...names: readonly OwnOption[]): Readonly<Record<string, OptionSpec>> =>
  Object.fromEntries(names.map((name) => [name, ownOptions[name]]));
