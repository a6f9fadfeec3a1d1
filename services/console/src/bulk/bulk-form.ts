import type { paths } from "@holdfast/client";
import type { BulkAction, JsonPatch } from "@holdfast/domain";
import { parseJsonText } from "@holdfast/domain/json-text";
import { patchWords, readChanges, shellWord } from "../actions/action.ts";
import { type Call, call } from "../api/call.ts";
import type { SearchFilter } from "../api/operations-types.ts";
import { jsonFault } from "../parts/json-fault.ts";

/** What a bulk operation is to do, and to which tasks. */
export interface BulkTarget {
  readonly action: BulkAction;
  readonly filter: SearchFilter;
  readonly step: string | null;
}

/** What the person typed. */
export interface BulkForm {
  readonly canary: string;
  readonly rate: string;
  /** JSON: what a resolved step returned. */
  readonly output: string;
  /** Changes of the inputs of resubmitted steps, one a line. */
  readonly changes?: string;
  readonly reason: string;
  readonly actor: string;
}

type AskedBody = paths["/v1/bulk-operations"]["post"]["requestBody"]["content"]["application/json"];
/** The body of the request; a number that is none yet is null. */
export type BulkBody = Omit<AskedBody, "canary" | "rate"> & {
  readonly canary: number | null;
  readonly rate: number | null;
};

/** The request that creates the operation, or asks what it would do. */
export const bulkCall = (
  { canary, rate, ...body }: BulkBody,
  headers: Readonly<Record<string, string>> = {},
): Call =>
  call("post", "/v1/bulk-operations", {
    headers,
    body: {
      ...body,
      ...(canary === null ? {} : { canary }),
      ...(rate === null ? {} : { rate }),
    },
  });

export interface ReadBulkForm {
  readonly body: BulkBody;
  readonly faults: Readonly<Partial<Record<keyof BulkForm, string>>>;
}

/** Reads the form into the body of the request, and says what is wrong with it. */
export function readBulkForm(target: BulkTarget, form: BulkForm): ReadBulkForm {
  const canary = numberIn(form.canary, /^\d{1,6}$/, { least: 0, most: 100_000 });
  const rate = numberIn(form.rate, /^\d{1,4}(\.\d{1,2})?$/, { least: 0.01, most: 1_000 });
  const output = target.action === "resolve" ? readOutput(form.output) : null;
  const changes = target.action === "resubmit" ? readChanges(form.changes ?? "") : null;
  const patch = changes?.patch;
  const body: BulkBody = {
    action: target.action,
    filter: target.filter,
    ...(target.step === null || !takesStep(target.action) ? {} : { step: target.step }),
    ...(output !== null && "value" in output ? { output: output.value } : {}),
    ...(patch === undefined ? {} : { patch: [...patch] }),
    canary,
    rate,
    actor: form.actor,
    reason: form.reason,
  };
  const faults = {
    ...(canary === null ? { canary: "A whole number from 0 to 100,000." } : {}),
    ...(rate === null ? { rate: "A number from 0.01 to 1,000." } : {}),
    ...(output !== null && "fault" in output ? { output: output.fault } : {}),
    ...(changes === null || changes.fault === null ? {} : { changes: changes.fault }),
  };
  return { body, faults };
}

const takesStep = (action: BulkAction): boolean =>
  action === "resubmit" || action === "resolve" || action === "retryNow";

function numberIn(
  text: string,
  form: RegExp,
  { least, most }: { readonly least: number; readonly most: number },
): number | null {
  const value = form.test(text.trim()) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : null;
}

type ReadOutput = { readonly value: unknown } | { readonly fault: string };

/** Reads an output; null: nothing is given, which is null for the step. */
function readOutput(text: string): ReadOutput | null {
  if (text.trim() === "") return null;
  try {
    return { value: parseJsonText(text) };
  } catch (error) {
    return { fault: jsonFault(error) };
  }
}

/** Asks the same question without doing anything: who asks and why stands nowhere. */
export const dryRunOf = (body: BulkBody): BulkBody => ({
  ...body,
  actor: body.actor === "" ? "console" : body.actor,
  reason: body.reason === "" ? "dry run" : body.reason,
  dryRun: true,
});

const options = [
  ["fingerprint", "--fingerprint"],
  ["state", "--state"],
  ["workflow", "--workflow"],
  ["faultCode", "--fault-code"],
] as const;

/** The command for the same; null where it cannot say the filter. */
export function bulkCommand(body: BulkBody): string | null {
  const { createdAt = {}, ...filter } = body.filter as Readonly<Record<string, unknown>>;
  const known = options.filter(([name]) => typeof filter[name] === "string");
  if (known.length !== Object.keys(filter).length) return null;
  const span = createdAt as { readonly $gte?: string; readonly $lt?: string };
  const words = [
    "holdfast",
    "bulk",
    "create",
    body.action,
    ...known.flatMap(([name, option]) => [option, String(filter[name])]),
    ...(span.$gte === undefined ? [] : ["--created-from", span.$gte]),
    ...(span.$lt === undefined ? [] : ["--created-before", span.$lt]),
    ...(body.step === undefined ? [] : ["--step", body.step]),
    ...(body.output === undefined ? [] : ["--result", JSON.stringify(body.output)]),
    ...patchWords(body.patch as JsonPatch | undefined),
    "--canary",
    String(body.canary),
    "--rate",
    String(body.rate),
    "--reason",
    body.reason,
    "--actor",
    body.actor,
  ];
  return words.map(shellWord).join(" ");
}

/** The tasks of a filter, as the list of tasks takes it; null: the list cannot say it. */
export function tasksQuery(filter: SearchFilter): string | null {
  const { createdAt = {}, ...rest } = filter;
  const span = createdAt as { readonly $gte?: string; readonly $lt?: string };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) {
    const text = typeof value === "string" ? value : listIn(value);
    if (text === null) return null;
    query.set(name, text);
  }
  if (span.$gte !== undefined) query.set("createdFrom", span.$gte);
  if (span.$lt !== undefined) query.set("createdBefore", span.$lt);
  return `?${query}`;
}

const listIn = (value: unknown): string | null => {
  const list = (value as { readonly $in?: unknown } | null)?.$in;
  return Array.isArray(list) && list.every((one) => typeof one === "string")
    ? list.join(",")
    : null;
};
