import type { Json } from "@holdfast/domain";
import type { Incident } from "./apply-incidents.ts";
import { columns } from "./columns.ts";
import { type Database, query } from "./query.ts";

const save = query("save-outcomes");

/** Sends, without waiting, what keeps the payloads and fault details of incidents that counted. */
export function saveOutcomes(
  db: Database,
  incidents: readonly Incident[],
): readonly Promise<unknown>[] {
  const rows = incidents.flatMap(toRow);
  if (rows.length === 0) return [];
  const names = {
    taskIds: "taskId",
    names: "name",
    inputs: "input",
    outputs: "output",
    faultDetails: "faultDetail",
  } as const;
  return [
    save(
      db,
      columns([...new Map(rows.map((row) => [`${row.taskId} ${row.name}`, row])).values()], names),
    ),
  ];
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
