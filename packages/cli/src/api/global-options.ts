import { type OptionSpec, outputs, type Verb } from "./verb.ts";

/** Which service is asked, and by whom. */
export const serviceOptions: Readonly<Record<string, OptionSpec>> = {
  url: { type: "string", value: "URL", help: "the service; otherwise HOLDFAST_URL, or a profile" },
  token: {
    type: "string",
    value: "TOKEN",
    help: "the operators' token, or a key or token of one's own, which others on this machine see; use --token-file",
  },
  "token-file": {
    type: "string",
    value: "FILE",
    help: "a file with the token or key; otherwise HOLDFAST_TOKEN_FILE, HOLDFAST_TOKEN, or a profile",
  },
  profile: {
    type: "string",
    value: "NAME",
    help: "a profile of holdfast config; otherwise HOLDFAST_PROFILE",
  },
  actor: {
    type: "string",
    value: "NAME",
    help: "who acts; otherwise HOLDFAST_ACTOR, or who is logged in",
  },
};

/** How a command prints what it has to say. */
export const outputOptions: Readonly<Record<string, OptionSpec>> = {
  output: {
    type: "string",
    short: "o",
    value: "FORMAT",
    help: outputs.join(", "),
    choices: [...outputs],
  },
  json: { type: "boolean", help: "one JSON document, errors as well: the same as -o json" },
  help: { type: "boolean", short: "h", help: "print this" },
};

/** What every verb that asks a service takes. */
export const globalOptions: Readonly<Record<string, OptionSpec>> = {
  ...serviceOptions,
  ...outputOptions,
};

/** All options of a verb, its own first. */
export const optionsOf = ({ options, isLocal }: Verb): Readonly<Record<string, OptionSpec>> => ({
  ...options,
  ...(isLocal === true ? outputOptions : globalOptions),
});
