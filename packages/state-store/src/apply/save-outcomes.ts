import type { Json, ReportedTaskEvent } from "@holdfast/domain";
import { type Database, query } from "../postgres/query.ts";
import { columns } from "../postgres/rows-to-columns.ts";

const save = query("save-outcomes");

/**
 * Prepares what keeps the payloads and fault details of reported events that counted; to be sent, without
 * waiting, by what it returns. What cannot be written as JSON throws before anything is sent.
 */
export function prepareOutcomes(
  reportedEvents: readonly ReportedTaskEvent[],
): (db: Database) => readonly Promise<unknown>[] {
  const rows = reportedEvents.flatMap(toRow);
  if (rows.length === 0) return () => [];
  const latest = new Map(rows.map((row) => [`${row.taskId} ${row.name}`, row]));
  const params = columns([...latest.values()], {
    taskIds: "taskId",
    names: "name",
    inputs: "input",
    outputs: "output",
    faultDetails: "faultDetail",
  });
  return (db) => [save(db, params)];
}

function toRow({ taskId, event, correctedInput, output, faultDetail }: ReportedTaskEvent) {
  const payloads = [correctedInput, output, faultDetail];
  if (!("step" in event) || payloads.every((payload) => payload === undefined)) return [];
  return [
    {
      taskId,
      name: event.step,
      input: toJson(correctedInput),
      output: toJson(output),
      faultDetail: faultDetail ?? null,
    },
  ];
}

/** The driver writes a bare string or array in other ways than JSON. */
const toJson = (value: Json | undefined): string | null =>
  value === undefined ? null : JSON.stringify(value);
