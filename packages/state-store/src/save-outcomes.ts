import type { Json } from "@holdfast/domain";
import type { Incident } from "./apply-incidents.ts";
import { columns } from "./columns.ts";
import { type Database, query } from "./query.ts";

const save = query("save-outcomes");

/**
 * Prepares what keeps the payloads and fault details of incidents that counted; to be sent, without
 * waiting, by what it returns. What cannot be written as JSON throws before anything is sent.
 */
export function prepareOutcomes(
  incidents: readonly Incident[],
): (db: Database) => readonly Promise<unknown>[] {
  const rows = incidents.flatMap(toRow);
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

function toRow({ taskId, event, correctedInput, output, faultDetail }: Incident) {
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
