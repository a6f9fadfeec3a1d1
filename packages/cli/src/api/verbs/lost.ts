import { type HoldfastClient, ProblemError } from "@holdfast/client";
import { isId } from "@holdfast/domain";
import { exitCodes } from "../../exit-codes.ts";
import { own } from "../own-options.ts";
import { UsageError } from "../usage-error.ts";
import { textOf } from "../values.ts";
import type { Invocation, Outcome, Verb } from "../verb.ts";

const options = own("ids", "direct", "state-store-url");

export const lostVerb: Verb = {
  name: "lost",
  operands: [],
  operations: ["getTask"],
  summary: "say which tasks that an application has submitted the store does not know",
  details: `For use after a restore: a task that was accepted after the backup is lost, and nothing in the store shows that.
Each line of the file begins with the id of a task. What follows after a comma, a semicolon or a space, such as your
own number of the order, is shown with it. Empty lines and lines that begin with # are left out.

Of an id that is unknown, "submittedAt" says when the id was made. RETENTION deletes tasks, too: compare.

Asks the service, for each id. With --direct or --state-store-url it asks the store, a thousand at a time, and works
while no service does.`,
  options,
  examples: ["lost --ids orders.csv", "lost --ids orders.csv --direct --json"],
  exits:
    "0 the store knows them all; 1 some are lost, or were refused; 2 wrong use; 69 a server or the service does not answer",
  async run(invocation) {
    const asked = await readIds(invocation);
    const found = await findAll(invocation, [...asked.keys()]);
    return outcomeOf(asked, found);
  },
};

/** What is known of an id. */
interface Known {
  readonly workflow: string | null;
  readonly state: string;
  readonly faultCode: string | null;
}

interface Standing extends Known {
  readonly id: string;
  /** What stands beside the id in the file; null: nothing. */
  readonly note: string | null;
  /** When the id was made, by the clock of the store; null: it does not say. */
  readonly submittedAt: string | null;
}

const lost: Known = { workflow: null, state: "lost", faultCode: null };

async function findAll(
  invocation: Invocation,
  asked: readonly string[],
): Promise<ReadonlyMap<string, Known>> {
  if (invocation.flag("direct") || invocation.text("state-store-url") !== undefined) {
    const { submittedIn } = await import("../../direct/lost.ts");
    const rows = await submittedIn(invocation, asked);
    return new Map(rows.map(({ taskId, ...known }) => [taskId, known]));
  }
  const found = new Map<string, Known>();
  const { tasks } = invocation.client();
  const left = [...asked];
  const work = async (): Promise<void> => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      const known = await findOne(tasks, id);
      if (known !== null) found.set(id, known);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atATime, asked.length) }, work));
  return found;
}

/** Tasks that are asked for at a time. */
const atATime = 8;

async function findOne(tasks: HoldfastClient["tasks"], id: string): Promise<Known | null> {
  try {
    const { workflow, state, faultCode } = await tasks.get(id);
    return { workflow, state, faultCode };
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 404) throw error;
    if (error.code === "task.unknown") return null;
    return { workflow: null, state: "refused", faultCode: error.code };
  }
}

const isBad = ({ state }: Known): boolean => state === "lost" || state === "refused";

function outcomeOf(
  asked: ReadonlyMap<string, string | null>,
  found: ReadonlyMap<string, Known>,
): Outcome {
  const all = [...asked].map(([id, note]): Standing => {
    const { workflow, state, faultCode } = found.get(id) ?? lost;
    return { id, note, state, workflow, faultCode, submittedAt: madeAt(id) };
  });
  const states = Object.fromEntries(
    [...Map.groupBy(all, ({ state }) => state)].map(([state, some]) => [state, some.length]),
  );
  const bad = all.filter(isBad);
  const sum = Object.entries(states).map(([state, count]) => `${count} ${state}`);
  return {
    value: { asked: all.length, states, tasks: all },
    items: all,
    // Those that are as they should be are counted only; --json has them.
    text: [...bad.map(lineOf), `${all.length} asked for: ${sum.join(", ") || "none"}.`].join("\n"),
    exitCode: bad.length > 0 ? exitCodes.failed : exitCodes.ok,
  };
}

const lineOf = ({ id, state, faultCode, submittedAt, note }: Standing): string =>
  [
    `✗ ${id} ${state}`,
    ...(faultCode === null ? [] : [faultCode]),
    ...(submittedAt === null ? [] : [`submitted at ${submittedAt}`]),
    ...(note === null ? [] : [note]),
  ].join("  ");

/** When an id was made: its first 48 bits are milliseconds. */
function madeAt(id: string): string | null {
  if (id[14] !== "7") return null;
  return new Date(Number.parseInt(id.replace("-", "").slice(0, 12), 16)).toISOString();
}

/**
 * The ids of the file with what stands beside them. Throws a `UsageError` that names the line of
 * what is none.
 */
async function readIds(invocation: Invocation): Promise<ReadonlyMap<string, string | null>> {
  const file = invocation.text("ids");
  if (file === undefined) throw new UsageError("Say which tasks: --ids FILE");
  const asked = new Map<string, string | null>();
  const text = await textOf(file, invocation.io);
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [, given = "", note = ""] = /^\s*"?([^\s,;"]*)"?[\s,;]*(.*)$/.exec(line) ?? [];
    const id = given.toLowerCase();
    if (!isId(id)) {
      const place = file === "-" ? `line ${index + 1}` : `${file}:${index + 1}`;
      throw new UsageError(
        `${place}: ${given} is no task id: it is the id with which a task was accepted, such as 01a1fd8d-d928-77c8-96cb-353aaba1757f`,
      );
    }
    asked.set(id, note.trim() === "" ? null : note.trim());
  }
  return asked;
}
