import { exitCodes } from "../../exit-codes.ts";
import { portOf } from "../values.ts";
import type { Invocation, OptionSpec, Outcome, Verb } from "../verb.ts";

/**
 * A command that asks no service. What it needs is loaded when it runs: from sources, that takes a
 * second.
 */
const localVerb = (
  verb: Omit<Verb, "isLocal" | "operations" | "operands" | "options"> &
    Partial<Pick<Verb, "operands" | "options">>,
): Verb => ({ operands: [], options: {}, operations: [], ...verb, isLocal: true });

const text = (value: string, help: string): OptionSpec => ({ type: "string", value, help });
const flag = (help: string): OptionSpec => ({ type: "boolean", help });

const devVerb = localVerb({
  name: "dev",
  summary: "run the workflows and Agents of this folder, and apply each save",
  details:
    "Runs the workflows of workflows/ and the Agents of agents/ on this machine, and applies each save.",
  options: {
    port: text("N", "the first port to try for the API, where it is not 3000"),
    fresh: flag("delete what an earlier start left in .holdfast/dev"),
    "take-over": flag(
      "use STATE_STORE_URL and BROKER_URL although another installation has used them",
    ),
  },
  exits: "0 stopped by Ctrl-C; 1 it cannot run; 2 wrong use; 69 a server does not answer",
  run: dev,
});

/** Runs a project. It brings all services, and is no part of the image. */
async function dev(invocation: Invocation): Promise<Outcome> {
  const options = devOptionsOf(invocation);
  const command = [process.execPath, ...process.execArgv, process.argv[1] ?? ""];
  const { io } = invocation;
  try {
    const { runDev } = await import("@holdfast/dev");
    return { value: undefined, exitCode: await runDev(options, { command, io }) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Error(
      "holdfast dev is not installed here: run npm install holdfast, without --omit=optional.",
      { cause: error },
    );
  }
}

/** What `holdfast dev` was asked for. */
export const devOptionsOf = ({ text: given, flag: has }: Pick<Invocation, "text" | "flag">) => ({
  port: portOf(given("port") ?? "3000", { least: 1 }),
  fresh: has("fresh"),
  takesOver: has("take-over"),
});

const testVerb = localVerb({
  name: "test",
  operands: ["[file...]"],
  summary: "run cases of workflows, and say which paths they take",
  details: `Runs the cases of files in memory and in virtual time, those of cases/*.json unless files are named,
and says which paths and undo paths they take.`,
  options: {
    workflows: text(
      "PATTERN",
      "where workflows are that cases name: workflows/*.{ts,mts,cts,js,mjs,cjs,json} unless said otherwise",
    ),
    schema: flag("print the JSON Schema of a case file, and exit"),
  },
  examples: ["test", "test cases/declined.json --json"],
  exits:
    "0 all cases passed; 1 a case failed; 2 wrong use, or a file that is no case; 3 there is no case",
  run: async (invocation) => (await import("../../test/test.ts")).test(invocation),
});

const docsVerb = localVerb({
  name: "docs",
  operands: ["[page]"],
  summary: "list the pages of the documentation of this release, or print one",
  options: { search: text("WORDS", "print the places where all of these words stand") },
  examples: ["docs guides/workflows", 'docs --search "long operations"'],
  run: async (invocation) => (await import("../../docs/docs.ts")).docs(invocation),
});

const topologyVerb = localVerb({
  name: "topology",
  operands: ["<print|check|apply>"],
  summary: "make RabbitMQ's users, rights and queues from one list of users",
  details: `Makes RabbitMQ's users, rights, queues, exchanges and bindings from one list of users and the stored workflows.

print   write the definitions that RabbitMQ imports, as JSON
check   compare a broker with them, and say what differs
apply   say what differs, import it, and say what is left

A URL with a password belongs in a file, which BROKER_MANAGEMENT_URL_FILE, BROKER_URL_FILE or STATE_STORE_URL_FILE
names: others on this machine see command lines.`,
  options: {
    users: text("FILE", "YAML or JSON: one line for each user, such as payments: agent"),
    passwords: text(
      "env|FILE",
      "env: NAME_PASSWORD or NAME_PASSWORD_FILE for each user; FILE: JSON, user and password; without it no user is made: rights only",
    ),
    agents: text("a,b", "further Agents that get a queue"),
    "one-agent-user": text("NAME", "one user for all Agents, in place of those of the list"),
    "during-upgrade": flag("rights of the release before, too"),
    vhost: text("NAME", "where it is not that of the broker's URL, or holdfast"),
    "broker-url": text("URL", "instead of BROKER_URL (check without --management-url)"),
    "management-url": text(
      "URL",
      "instead of BROKER_MANAGEMENT_URL: RabbitMQ's HTTP API, as an administrator (check, apply)",
    ),
    "state-store-url": text(
      "URL",
      "instead of STATE_STORE_URL: the Agents of the stored workflows get a queue",
    ),
    "dry-run": flag("say what would be done, and do nothing (apply)"),
    yes: flag("also remove what should not be there (apply)"),
  },
  examples: ["topology print --users users.yaml", "topology apply --users users.yaml --dry-run"],
  exits:
    "0 as it should be; 1 something differs; 2 wrong use; 5 the server refuses this user; 69 a server does not answer",
  run: async (invocation) => (await import("../../topology/topology.ts")).topology(invocation),
});

const startVerb = localVerb({
  name: "start",
  operands: ["<service>"],
  summary: "be one of the services, until a signal to stop: for production without containers",
  details: `Makes this process the submission, operations, scheduler, supervisor, console or agent. It reads its settings
from the environment, logs JSON to the standard output, and ends in order on SIGTERM. What each reads: holdfast docs config.

operations is submission with ROLE=operations. agent runs the Agents of the modules that AGENT_MODULES names, such as
./agents/mail.ts. How to run all of them by systemd: holdfast docs systemd.`,
  options: {
    once: flag(
      "one scan, one sweep and one round of retention, then end, as from cron (supervisor)",
    ),
  },
  examples: ["start scheduler", "start supervisor --once"],
  exits:
    "0 stopped by a signal; 1 it failed; 2 wrong use; 77 a server refuses its login; 78 wrong configuration",
  run: async (invocation) => (await import("../../deploy/start.ts")).start(invocation),
});

const migrateVerb = localVerb({
  name: "migrate",
  summary: "bring the state store to the schema of this release",
  details: `Needs the login of the database's owner in STATE_STORE_URL, or in the file that STATE_STORE_URL_FILE names. Running it
again is harmless, and it may run while tasks come in, unless the changelog says otherwise.`,
  options: { "state-store-url": text("URL", "instead of STATE_STORE_URL") },
  examples: ["migrate"],
  exits:
    "0 the store has the schema; 1 a migration failed; 5 the server refuses this user; 69 it does not answer; 78 wrong configuration",
  run: async (invocation) => (await import("../../deploy/migrate.ts")).migrate(invocation),
});

const loginsVerb = localVerb({
  name: "logins",
  summary: "make the database's owner and a login for each service",
  details: `Does what psql does with logins.sql of this package. Needs a superuser, or the master user of a managed server, in
STATE_STORE_URL, which names the database; it must exist. Running it again sets the passwords that it is given.

The passwords of owner, submission, operations, scheduler, supervisor and observer are OWNER_PASSWORD and so on, or
the content of the file that OWNER_PASSWORD_FILE names.`,
  options: {
    "state-store-url": text("URL", "instead of STATE_STORE_URL, which others on this machine see"),
    passwords: text("FILE", "JSON: login and password, instead of the environment"),
    "dry-run": flag("do all of it, and take it back"),
    print: flag("print logins.sql, and exit"),
  },
  examples: ["logins --dry-run", "logins --passwords passwords.json", "logins --print"],
  exits:
    "0 they are made; 1 it failed; 2 wrong use; 3 there is no such database; 5 the server refuses this user; 69 it does not answer",
  run: async (invocation) => (await import("../../deploy/logins.ts")).logins(invocation),
});

const conformanceVerb = localVerb({
  name: "conformance",
  summary: "drive a running Agent, in any language, through the protocol",
  details: `Asks a running Agent for steps as a Scheduler does, and prints a line for each rule of the protocol.
Use a broker for tests: Schedulers of the same virtual host record the replies as rejected.

A URL with a password belongs in a file, which BROKER_URL_FILE or BROKER_MANAGEMENT_URL_FILE names.`,
  options: {
    agent: text("NAME", "the Agent: its queue is agent.NAME"),
    cases: text("FILE", "JSON: which operation and input succeed, fail and take a while"),
    operation: text("NAME", "in place of a file: an operation that succeeds"),
    input: text("JSON", "its input; rules that need other cases are skipped"),
    "broker-url": text("URL", "instead of BROKER_URL; the Agent must take requests of its user"),
    "management-url": text(
      "URL",
      "instead of BROKER_MANAGEMENT_URL: cuts the Agent's connection for the rule redelivery",
    ),
    pid: text("N", "the Agent's process: it gets SIGTERM for the rule shutdown"),
    "stop-command": text("COMMAND", "stops the Agent in order, instead of --pid"),
    "reply-identity": text("HOW", "required or trusted, as REPLY_IDENTITY of your Schedulers"),
  },
  examples: [`conformance --agent payments --operation charge --input '{"amount": 1}'`],
  exits: `0 all rules hold; 1 a rule is broken; 2 wrong use; 3 the Agent is not there;
           5 the broker refuses this user; 69 the broker does not answer`,
  run: async (invocation) =>
    (await import("../../conformance/conformance.ts")).conformance(invocation),
});

const versionVerb = localVerb({
  name: "version",
  summary: "print the version, as --version does",
  async run() {
    const { holdfastVersion } = await import("@holdfast/runtime");
    const version = holdfastVersion();
    return { exitCode: exitCodes.ok, value: { version }, text: version };
  },
});

/** Commands that ask no service. */
export const localVerbs: readonly Verb[] = [
  devVerb,
  testVerb,
  docsVerb,
  startVerb,
  migrateVerb,
  loginsVerb,
  topologyVerb,
  conformanceVerb,
  versionVerb,
];
