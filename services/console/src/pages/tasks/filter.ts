import { openTaskStates } from "@holdfast/domain";
import type { SearchFilter } from "../../api/operations-types.ts";
import type { TaskState } from "../../api/types.ts";

export type StateChoice = TaskState | "open";

/** Which tasks the list shows. All of it stands in the URL. */
export interface TaskFilter {
  readonly text: string;
  readonly states: readonly StateChoice[];
  readonly workflow: string;
  readonly priority: string;
  readonly key: string;
  readonly faultCode: string;
  readonly correlationId: string;
  /** The name of a step that waits. */
  readonly awaiting: string;
  readonly fingerprint: string;
  /** The time since their submission that tasks are limited to, such as `24h`. */
  readonly within: string;
  readonly createdFrom: string;
  readonly createdBefore: string;
  readonly labels: Readonly<Record<string, string>>;
}

export const stateChoices: readonly StateChoice[] = [
  "open",
  "halted",
  "undoing",
  "processing",
  "pending",
  "processed",
  "undone",
];

/** Filters of one text each, by their names in the URL, in the API, and on the page. */
export const textFields = [
  ["text", "text"],
  ["workflow", "workflow"],
  ["priority", "priority"],
  ["key", "key"],
  ["faultCode", "fault code"],
  ["correlationId", "correlation id"],
  ["awaiting", "waits for"],
  ["fingerprint", "fingerprint"],
  ["within", "within"],
  ["createdFrom", "from"],
  ["createdBefore", "before"],
] as const satisfies readonly (readonly [keyof TaskFilter, string])[];

const longest = 200;
const labelPrefix = "label.";

export const noFilter: TaskFilter = {
  text: "",
  states: [],
  workflow: "",
  priority: "",
  key: "",
  faultCode: "",
  correlationId: "",
  awaiting: "",
  fingerprint: "",
  within: "",
  createdFrom: "",
  createdBefore: "",
  labels: {},
};

/** Reads a filter from a URL, whatever stands in it: what is not understood is left out. */
export function readFilter(query: URLSearchParams): TaskFilter {
  const text = (name: string): string => (query.get(name) ?? "").slice(0, longest);
  const asked = new Set((query.get("state") ?? "").split(","));
  const labels = [...query]
    .filter(([name]) => name.startsWith(labelPrefix) && name.length > labelPrefix.length)
    .map(([name, value]) => [name.slice(labelPrefix.length), value.slice(0, longest)] as const);
  const within = text("within");
  return {
    ...(Object.fromEntries(textFields.map(([name]) => [name, text(name)])) as Omit<
      TaskFilter,
      "states" | "labels"
    >),
    within: withinMs(within) === null ? "" : within,
    states: stateChoices.filter((state) => asked.has(state)),
    labels: Object.fromEntries(labels),
  };
}

/** The query of a URL that shows this filter: the same filter has the same URL. */
export function writeFilter(filter: TaskFilter): string {
  const query = new URLSearchParams();
  if (filter.states.length > 0) query.set("state", filter.states.join(","));
  for (const [name] of textFields) if (filter[name] !== "") query.set(name, filter[name]);
  for (const [name, value] of Object.entries(filter.labels)) query.set(labelPrefix + name, value);
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

const lengths: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `15m`, `24h` or `7d`; null: it is none of these. */
export function withinMs(text: string): number | null {
  const [, count = "", unit = ""] = /^([1-9][0-9]{0,3})([mhd])$/.exec(text) ?? [];
  const length = lengths[unit];
  return length === undefined ? null : Number(count) * length;
}

type Condition = string | { readonly $in: readonly string[] };

/** The filter as `POST /v1/tasks/search` takes it. */
export function searchFilter(filter: TaskFilter, now: number): SearchFilter {
  const { states, within, createdFrom, createdBefore, labels } = filter;
  const ms = withinMs(within);
  const from = ms === null ? createdFrom : new Date(now - ms).toISOString();
  const conditions: Record<string, Condition> = {};
  for (const name of plainFields) if (filter[name] !== "") conditions[name] = filter[name];
  if (states.length > 0) conditions["state"] = { $in: states };
  for (const [name, value] of Object.entries(labels)) conditions[labelPrefix + name] = value;
  const createdAt = {
    ...(from === "" ? {} : { $gte: from }),
    ...(createdBefore === "" ? {} : { $lt: createdBefore }),
  };
  const whole = Object.keys(createdAt).length === 0 ? conditions : { ...conditions, createdAt };
  // A condition on a label has the form of any other, and the type has it for a span of time, too.
  return whole as SearchFilter;
}

const plainFields = [
  "text",
  "workflow",
  "priority",
  "key",
  "faultCode",
  "correlationId",
  "awaiting",
  "fingerprint",
] as const;

const openStates: ReadonlySet<string> = new Set(openTaskStates);

/**
 * Whether a new task of this state and workflow belongs to the list; null: only the service knows.
 */
export function matches(
  filter: TaskFilter,
  task: { readonly state: string; readonly workflow: string },
): boolean | null {
  const { states, workflow } = filter;
  const isKnown = textFields.every(
    ([name]) => name === "workflow" || name === "within" || filter[name] === "",
  );
  if (!isKnown || Object.keys(filter.labels).length > 0) return null;
  const isOfState =
    states.length === 0 ||
    states.some((one) => (one === "open" ? openStates.has(task.state) : one === task.state));
  const isOfWorkflow =
    workflow === "" || task.workflow === workflow || task.workflow.startsWith(`${workflow}.v`);
  return isOfState && isOfWorkflow;
}
