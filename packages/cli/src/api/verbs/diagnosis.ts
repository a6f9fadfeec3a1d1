import type { components } from "@holdfast/client";
import { isId } from "@holdfast/domain";
import { exitCodes } from "../../exit-codes.ts";
import { callOperation } from "../call-operation.ts";
import { own } from "../own-options.ts";
import { UsageError } from "../usage-error.ts";
import type { Invocation, Outcome, Verb } from "../verb.ts";

type Schemas = components["schemas"];

/** What a verb answers, and how it ends. */
interface Answer<What> {
  readonly found: What;
  readonly exitCode?: number;
}

const details = `Asks the service. With --direct, or an option that needs it, it looks at the servers themselves: it then reads
STATE_STORE_URL, BROKER_URL and BROKER_MANAGEMENT_URL as the services do, or the files that STATE_STORE_URL_FILE and
so on name, and works while no service does.`;

/** Whether the servers are to be asked: each option with a value is about them. */
const isDirect = ({ flag, text }: Invocation, options: Verb["options"]): boolean =>
  flag("direct") ||
  Object.entries(options).some(([name, { type }]) => type === "string" && text(name) !== undefined);

const whyOptions = own("direct", "state-store-url", "broker-url", "management-url");

const whyVerb: Verb = {
  name: "why",
  operands: ["<task>"],
  operations: ["explainTask"],
  summary: "say what a task waits for, or how it ended",
  details,
  options: whyOptions,
  examples: [
    "why 01a1fd8d-d928-77c8-96cb-353aaba1757f",
    "why 01a1fd8d-d928-77c8-96cb-353aaba1757f --direct",
  ],
  async run(invocation) {
    const value = await explained(invocation, taskOf(invocation));
    const { taskId, workflow, state, sentence, evidence } = value;
    const head = `${taskId} (${workflow}, ${state})`;
    return { value, text: [head, sentence, ...evidence.map((line) => `  ${line}`)].join("\n") };
  },
};

/** The id of the task that is meant. Throws a `UsageError` for what is none. */
export function taskOf({ operands: [given = ""] }: Pick<Invocation, "operands">): string {
  const id = given.toLowerCase();
  if (isId(id)) return id;
  throw new UsageError(
    `${given} is no task id: it is the id with which a task was accepted, such as 01a1fd8d-d928-77c8-96cb-353aaba1757f`,
  );
}

async function explained(invocation: Invocation, id: string): Promise<Schemas["Explanation"]> {
  if (isDirect(invocation, whyOptions)) {
    const { why } = await import("../../direct/why.ts");
    return why(invocation, id);
  }
  const found = await callOperation(invocation.client(), "explainTask", { id });
  return found as Schemas["Explanation"];
}

const doctorOptions = own(
  "direct",
  "state-store-url",
  "broker-url",
  "management-url",
  "consumer-timeout",
  "open-for",
);

const doctorVerb: Verb = {
  name: "doctor",
  operands: [],
  operations: ["examine"],
  summary: "look at how the servers are set up, and who serves whom",
  details,
  options: doctorOptions,
  examples: ["doctor", "doctor --direct --open-for 5m"],
  exits:
    "0 no problem was found; 1 one was found; 2 wrong use; 69 a server or the service does not answer",
  async run(invocation) {
    const { found: value, exitCode } = await examined(invocation);
    return { value, items: value.findings, text: findingsText(value), ...exitOf(value, exitCode) };
  },
};

async function examined(invocation: Invocation): Promise<Answer<Schemas["Examination"]>> {
  if (isDirect(invocation, doctorOptions)) {
    const { doctor } = await import("../../direct/doctor.ts");
    return doctor(invocation);
  }
  const found = await callOperation(invocation.client(), "examine", {});
  return { found: found as Schemas["Examination"] };
}

const exitOf = (
  { ok }: { readonly ok: boolean },
  exitCode: number = ok ? exitCodes.ok : exitCodes.failed,
): Pick<Outcome, "exitCode"> => ({ exitCode });

const signs = { ok: "✓", error: "✗", warning: "?" } as const;

function findingsText({ findings }: Schemas["Examination"]): string {
  const width = Math.max(0, ...findings.map(({ check }) => check.length));
  const lines = findings.map(({ check, severity, sentence, advice }) =>
    [
      `${signs[severity]} ${check.padEnd(width)}  ${sentence}`,
      ...(advice === null ? [] : [`  ${" ".repeat(width)}  → ${advice}`]),
    ].join("\n"),
  );
  const wrongs = findings.filter(({ severity }) => severity === "error").length;
  const sum = wrongs === 0 ? "No problems found." : `${counted(wrongs, "problem")} found.`;
  return [...lines, "", sum].join("\n");
}

const counted = (number: number, what: string): string =>
  `${number} ${what}${number === 1 ? "" : "s"}`;

const verifyOptions = own("direct", "state-store-url", "since");

const verifyVerb: Verb = {
  name: "verify",
  operands: [],
  operations: ["verify"],
  summary: "look for what must never be in the state store, and show witnesses",
  details: `${details}
The service looks at the tasks of the last day; --direct looks at all of them.`,
  options: verifyOptions,
  examples: ["verify", "verify --direct --since 24h"],
  exits:
    "0 all that must hold does; 1 something does not; 2 wrong use; 69 a server or the service does not answer",
  async run(invocation) {
    const value = await verified(invocation);
    return { value, items: value.violations, text: violationsText(value), ...exitOf(value) };
  },
};

async function verified(invocation: Invocation): Promise<Schemas["Verification"]> {
  if (isDirect(invocation, verifyOptions)) {
    const { verify } = await import("../../direct/verify.ts");
    return verify(invocation);
  }
  const found = await callOperation(invocation.client(), "verify", {});
  return found as Schemas["Verification"];
}

function violationsText({ tasks, violations, complete }: Schemas["Verification"]): string {
  const looked = `${counted(tasks, "task")} looked at`;
  const more = complete ? "" : ", and perhaps more";
  if (violations.length === 0) return `${looked}${more}: all that must hold does.`;
  const paragraphs = [...Map.groupBy(violations, ({ rule }) => rule)].map(([rule, witnesses]) =>
    [
      `✗ ${rule}`,
      ...witnesses.map(({ taskId, sentence }) => `    ${taskId ?? "-"}  ${sentence}`),
    ].join("\n"),
  );
  const sum = `${looked}: ${counted(violations.length, "violation")}${more}.`;
  return [...paragraphs, sum].join("\n\n");
}

/** What is broken, what is set up wrongly, and what a task waits for. */
export const diagnosisVerbs: readonly Verb[] = [whyVerb, doctorVerb, verifyVerb];
