import { type HoldfastClient, ProblemError, type Schedule } from "@holdfast/client";
import { wholeSchedule } from "@holdfast/contracts";
import { ContractFault, canonicalJson } from "@holdfast/domain";
import { type DefinedSchedule, scheduleMistakes } from "@holdfast/workflow/check";
import { exitCodes } from "../../exit-codes.ts";
import { loadWorkflowFile } from "../../test/load-workflows.ts";
import { actOptions, readAct } from "../act-options.ts";
import { summaryOf } from "../operation.ts";
import { changeVerb, readingVerb } from "../operation-verb.ts";
import { own } from "../own-options.ts";
import { table, thereAreMore } from "../print.ts";
import { requestOptions } from "../request-options.ts";
import { UsageError } from "../usage-error.ts";
import { filesMeant, rowsWanted } from "../values.ts";
import type { Invocation, Outcome, Verb } from "../verb.ts";

type Schedules = HoldfastClient["schedules"];

const putVerb: Verb = {
  name: "schedules put",
  operations: ["putSchedule", "getSchedule"],
  operands: ["<file...>"],
  summary: "store schedules: modules that export what defineSchedule returns, or JSON",
  details: `The same definition again changes nothing. JSON has an id and a definition, as schedules show --json prints them.
Store their workflows first.`,
  options: own("dry-run"),
  examples: ["schedules put workflows/*.ts --dry-run", "schedules put settle-night.json"],
  exits: "0 stored; 2 wrong use; 3 no such workflow; 5 refused, and those after it are not stored",
  async run({ operands, client, flag, actor }) {
    const files = await filesMeant(operands);
    const found = (await Promise.all(files.map(schedulesOf))).flat();
    if (found.length === 0) {
      throw new UsageError(
        `${operands.join(" ")} holds no schedule: export what defineSchedule returns, or write JSON with id and definition`,
      );
    }
    mustBeSound(found);
    const { schedules } = client();
    const columns = ["id", "stored", "workflow", "cron", "zone", "next"];
    const value: object[] = [];
    // One after the other: what is refused stops those after it.
    for (const { id, definition } of found) {
      const standing = await standingOf(schedules, { id, definition });
      const row = flag("dry-run")
        ? standing
        : { ...standing, next: (await schedules.put(id, definition, { actor })).next };
      value.push({ ...row, ...placeOf(definition) });
    }
    return { value, columns };
  },
};

const placeOf = ({ workflow, cron, zone }: DefinedSchedule["definition"]) => ({
  workflow,
  cron,
  zone,
});

/** The schedules of a file. Throws a `ContractFault` for those that their module refuses. */
async function schedulesOf(file: string): Promise<readonly DefinedSchedule[]> {
  const { schedules, refused } = await loadWorkflowFile(file, (definition) => definition);
  const wrong = refused.filter(({ kind }) => kind === "schedule");
  if (wrong.length === 0) return schedules;
  throw new ContractFault("schedule.invalid", wrong.map(({ why }) => why).join("\n"));
}

/** Throws a `ContractFault` with a line for each mistake, before any of them is stored. */
function mustBeSound(schedules: readonly DefinedSchedule[]): void {
  const ids = schedules.map(({ id }) => id);
  const mistakes = [
    ...ids
      .filter((id, index) => ids.indexOf(id) !== index)
      .map((id) => `${id}: two schedules have this id: give each one its own`),
    ...schedules.flatMap((one) => scheduleMistakes(one).map((what) => `${one.id}: ${what}`)),
  ];
  if (mistakes.length > 0) throw new ContractFault("schedule.invalid", mistakes.join("\n"));
}

interface Standing {
  readonly id: string;
  readonly stored: "new" | "changed" | "same";
  readonly next: string | null;
}

/** Whether a schedule is new, another than is stored, or the same. */
async function standingOf(
  schedules: Schedules,
  { id, definition }: DefinedSchedule,
): Promise<Standing> {
  const known = await schedules.get(id).catch((error: unknown) => {
    if (error instanceof ProblemError && error.status === 404) return null;
    throw error;
  });
  if (known === null) return { id, stored: "new", next: null };
  const isSame = canonicalJson(wholeSchedule(definition)) === canonicalJson(known.definition);
  return { id, stored: isSame ? "same" : "changed", next: known.next };
}

const listVerb: Verb = {
  name: "schedules list",
  operations: ["listSchedules"],
  operands: [],
  summary: summaryOf("listSchedules"),
  options: {},
  async run({ client, at }) {
    const value = await client().schedules.list();
    const rows = value.map(({ definition, paused, ...one }) => ({
      ...one,
      ...definition,
      paused: paused?.by ?? null,
    }));
    const columns = ["id", "workflow", "cron", "zone", "next", "paused", "lastTask"];
    const note = value.length === 0 ? "There is no schedule." : undefined;
    return { value, text: table(rows, columns, at), note };
  },
};

const showVerb: Verb = {
  name: "schedules show",
  operations: ["getSchedule"],
  operands: ["<id>"],
  summary: summaryOf("getSchedule"),
  details: "With --json it is what schedules put takes.",
  options: {},
  async run({ operands: [id = ""], client, at }) {
    const value = await client().schedules.get(id);
    return { value, text: shown(value, at) };
  },
};

function shown(
  { id, definition, next, buffered, lastTask, failures, skips, paused }: Schedule,
  at: Invocation["at"],
): string {
  const { workflow, cron, zone } = definition;
  const reason = paused?.reason == null ? "" : `: ${paused.reason}`;
  return [
    `${id} submits ${workflow} at ${cron}, ${zone}`,
    paused === null
      ? `next: ${next === null ? "never again" : at(next)}`
      : `paused ${at(paused.at)} by ${paused.by}${reason}`,
    ...(buffered === null ? [] : [`waits for the end of the last task: the instant ${buffered}`]),
    ...(lastTask === null ? [] : [`last task: ${lastTask}`]),
    ...(failures === 0 ? [] : [`tasks that failed in a row: ${failures}`]),
    ...(skips === 0 ? [] : [`instants that were skipped in a row: ${skips}`]),
    JSON.stringify(definition, null, 2),
  ].join("\n");
}

const nextVerb: Verb = readingVerb({
  name: "schedules next",
  operation: "listScheduleInstants",
  request: requestOptions("listScheduleInstants", { count: { short: "n", value: "N" } }),
  show: (value: Awaited<ReturnType<Schedules["next"]>>): Outcome => ({
    value,
    items: value.items,
    columns: ["instant", "local"],
    note: value.paused ? "It is paused: none of them fires." : undefined,
  }),
});

const firesVerb: Verb = {
  name: "schedules fires",
  operations: ["listFires"],
  operands: ["<id>"],
  summary: summaryOf("listFires"),
  options: own("limit", "all"),
  async run(invocation) {
    const { schedules } = invocation.client();
    const [id = ""] = invocation.operands;
    const most = rowsWanted(invocation);
    const value: object[] = [];
    let after: string | null = null;
    do {
      const page: Awaited<ReturnType<Schedules["fires"]>> = await schedules.fires(id, {
        limit: Math.min(most - value.length, 500),
        after,
      });
      value.push(...page.items);
      after = page.next;
    } while (after !== null && value.length < most);
    const columns = ["instant", "outcome", "taskId", "actor", "reason", "at"];
    return { value, columns, note: after === null ? undefined : thereAreMore };
  },
};

const change = (act: "pause" | "resume"): Verb =>
  changeVerb({
    name: `schedules ${act}`,
    operation: `${act}Schedule`,
    looksAt: ["getSchedule"],
    preview: (invocation, id) => preview(invocation, { act, id }),
  });

async function preview(
  { client }: Invocation,
  { act, id }: { readonly act: "pause" | "resume"; readonly id: string },
): Promise<Outcome> {
  const { paused, next } = await client().schedules.get(id);
  const value = { dryRun: true, id, paused, next };
  if ((paused === null) === (act === "pause")) return { value, text: `Would ${act} ${id}.` };
  const stands = act === "pause" ? "is paused already" : "is not paused";
  return { value, text: `Would be refused: ${id} ${stands}.`, exitCode: exitCodes.refused };
}

const fireVerb: Verb = {
  name: "schedules fire",
  operations: ["fireSchedule"],
  operands: ["<id>"],
  summary: summaryOf("fireSchedule"),
  options: actOptions,
  async run(invocation) {
    const [id = ""] = invocation.operands;
    const value = await invocation.client().schedules.fire(id, await readAct(invocation));
    return { value, text: `${id} submitted task ${value.taskId}.` };
  },
};

const range = requestOptions("backfillSchedule", {
  from: { value: "INSTANT" },
  to: { value: "INSTANT" },
});

const backfillVerb: Verb = {
  name: "schedules backfill",
  operations: ["backfillSchedule"],
  operands: ["<id>"],
  summary: summaryOf("backfillSchedule"),
  options: { ...range.options, ...actOptions },
  examples: [
    `schedules backfill settle-night --from 2026-11-20T00:00:00Z --to 2026-11-27T00:00:00Z -r "the store was down"`,
  ],
  async run(invocation) {
    const [id = ""] = invocation.operands;
    const { from = "", to = "" } = await range.read(invocation);
    const act = await readAct(invocation);
    const value = await invocation.client().schedules.backfill(id, { ...act, from, to });
    const { fired, firedBefore } = value;
    const note = `${fired.length} submitted, ${firedBefore} had fired before.`;
    return { value, items: fired, columns: ["instant", "taskId"], note };
  },
};

const deleteVerb: Verb = {
  name: "schedules delete",
  operations: ["deleteSchedule"],
  operands: ["<id>"],
  summary: summaryOf("deleteSchedule"),
  options: {},
  async run({ operands: [id = ""], client, actor }) {
    await client().schedules.delete(id, { actor });
    return { value: { id, done: "delete" }, text: `${id}: delete done.` };
  },
};

/** What submits tasks at the instants of a calendar. */
export const scheduleVerbs: readonly Verb[] = [
  putVerb,
  listVerb,
  showVerb,
  nextVerb,
  firesVerb,
  change("pause"),
  change("resume"),
  fireVerb,
  backfillVerb,
  deleteVerb,
];
