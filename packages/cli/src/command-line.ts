import { isId } from "@holdfast/domain";
import { readArguments, usageFault } from "./read-arguments.ts";

const commands = ["verify", "doctor", "why", "version", "help"] as const;

/** What was asked for. */
export interface CommandLine {
  readonly command: (typeof commands)[number];
  /** The task of `why`; empty for other commands. */
  readonly taskId: string;
  readonly json: boolean;
  /** Durations as they were written. */
  readonly since: string | undefined;
  readonly consumerTimeout: string | undefined;
  readonly openFor: string | undefined;
  /** Environment variables that an option stands for. */
  readonly environment: Readonly<Record<string, string>>;
}

export const usage = `holdfast <command> [options]

  dev              run the workflows and Agents of this folder, and apply each save; see holdfast dev --help
  verify           look for what must never be in the state store, and show witnesses
  doctor           look at how the servers are set up, and who serves whom
  why <task id>    say what a task waits for, or how it ended
  docs [page]      list the pages of the documentation, or print one; see holdfast docs --help
  mcp              serve tools for machines that read; see holdfast mcp --help
  test [files]     run cases of workflows, and say which paths they take; see holdfast test --help
  topology         make RabbitMQ's users, rights and queues from one list of users
  conformance      drive a running Agent, in any language, through the protocol

Through the API of a submission service; see each with --help:

  tasks            submit, show, follow and operate tasks
  workflows        store, show, retire and pause workflows
  agents           show and pause Agents
  remotes          show remote services, hold and release them
  pauses           show what is paused, and what was
  system           show how the system is, what failed, and figures over time
  bulk             one action on many tasks, with a canary and a verified outcome
  dead-letters     show messages that no service could use, replay and discard them
  config           profiles: which service, with which token
  keys             make and check operators' tokens
  completion       for bash, zsh and fish

For verify, doctor and why:

  --state-store-url URL          instead of STATE_STORE_URL
  --broker-url URL               instead of BROKER_URL (doctor, why)
  --management-url URL           instead of BROKER_MANAGEMENT_URL: RabbitMQ's HTTP API (doctor)
  --since DURATION               only tasks submitted since then, such as 30m or 24h (verify)
  --consumer-timeout DURATION    the broker's consumer_timeout, where it is not 30m (doctor)
  --open-for DURATION            from when on a transaction is long, where not from 1m (doctor)
  --json                         for machines
  --version                      print the version and exit

A URL with a password belongs in a file, which STATE_STORE_URL_FILE, BROKER_URL_FILE or BROKER_MANAGEMENT_URL_FILE names.

exit code: 0 all is well; 1 something was found; 2 wrong use; 3 not found; 4 timed out; 5 refused;
69 a server does not answer; 78 wrong configuration`;

const variables = {
  "state-store-url": "STATE_STORE_URL",
  "broker-url": "BROKER_URL",
  "management-url": "BROKER_MANAGEMENT_URL",
} as const;

/** Reads the command line. Throws `cli.usage` with what is wrong. */
export function readCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals } = parse(args);
  const [name = "help", ...operands] = positionals;
  const command = commands.find((one) => one === (flagCommand(values) ?? name));
  if (command === undefined) throw usageFault(`Unknown command ${name}`);
  return {
    command,
    taskId: taskIdOf(command, operands),
    json: values.json,
    since: values.since,
    consumerTimeout: values["consumer-timeout"],
    openFor: values["open-for"],
    environment: environmentOf(values),
  };
}

function parse(args: readonly string[]) {
  return readArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      "state-store-url": { type: "string" },
      "broker-url": { type: "string" },
      "management-url": { type: "string" },
      since: { type: "string" },
      "consumer-timeout": { type: "string" },
      "open-for": { type: "string" },
      json: { type: "boolean", default: false },
      version: { type: "boolean", default: false },
      help: { type: "boolean", default: false, short: "h" },
    },
  });
}

/** `--help` and `--version` win over whatever command was named. */
function flagCommand(flags: { readonly help: boolean; readonly version: boolean }) {
  if (flags.help) return "help";
  return flags.version ? "version" : undefined;
}

function taskIdOf(command: CommandLine["command"], operands: readonly string[]): string {
  const [taskId = "", ...more] = command === "why" ? operands : ["", ...operands];
  if (command === "help" || command === "version") return "";
  if (more.length > 0) throw usageFault(`${command} does not take ${more.join(" ")}`);
  if (command === "why" && !isId(taskId.toLowerCase())) {
    throw usageFault(
      taskId === ""
        ? "Say which task: holdfast why <task id>"
        : `Say which task: ${taskId} is no task id. It is the id with which an order was accepted, such as 01a1fd8d-d928-77c8-96cb-353aaba1757f`,
    );
  }
  return taskId.toLowerCase();
}

const environmentOf = (
  values: {
    readonly [option in keyof typeof variables]?: string | undefined;
  },
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(variables).flatMap(([option, variable]) => {
      const value = values[option as keyof typeof variables];
      return value === undefined ? [] : [[variable, value]];
    }),
  );
