import { changeWords, type JsonPatch, readChange } from "@holdfast/domain";
import { parseJsonText } from "@holdfast/domain/json-text";
import type { Call } from "../api/call.ts";
import { jsonFault } from "../parts/json-fault.ts";

/** One request that an action makes. */
export interface ActionCall {
  /** What it is done to, as people know it. */
  readonly target: string;
  /**
   * Makes the request, once it is known who acts and why, and what the field of the action holds.
   */
  readonly request: (filled: FilledForm) => Call;
}

/** JSON that the person may or must give with an action. */
export interface ActionField {
  readonly label: string;
  /** Whether lines such as `iban=DE02…` may stand in its place: changes of what there is. */
  readonly takesChanges?: boolean;
  readonly hint: string;
  readonly isRequired: boolean;
  /** What stands there at first. */
  readonly initial: string;
  /** The option of the command that takes it, such as `--result`. */
  readonly option: string;
  /** The JSON Schema that it is held to, which is shown beside it; absent: none is known. */
  readonly schema?: unknown;
}

/**
 * Something that an operator can do: a program can do the same by the lines that the dialog shows.
 */
export interface Action {
  /** The button. */
  readonly verb: string;
  readonly title: string;
  /** One or two sentences: what happens then. */
  readonly explain: string;
  readonly isDangerous: boolean;
  readonly calls: readonly ActionCall[];
  /** The command for one target without field, reason and actor; null: there is none. */
  readonly command: ((call: ActionCall, filled: FilledForm) => readonly string[]) | null;
  readonly field: ActionField | null;
  /** Whether the service keeps a reason with it; absent: it does. */
  readonly hasReason?: boolean;
}

/** Who acts, why, and what the action's field holds. */
export interface FilledForm {
  readonly actor: string;
  readonly reason: string;
  /** What the action's field holds; undefined: nothing. */
  readonly field: unknown;
  /** The changes that stand in the field, in the place of JSON. */
  readonly patch?: JsonPatch;
}

/** What is read of the field of an action. */
export interface ReadField extends Pick<FilledForm, "field" | "patch"> {
  readonly fault: string | null;
}

/** Reads the JSON of a field, or the changes that stand there, or says what is wrong with it. */
export function readField(field: ActionField | null, text: string): ReadField {
  const nothing = { field: undefined, fault: null };
  if (field === null) return nothing;
  if (text.trim() === "") {
    return field.isRequired ? { ...nothing, fault: "Give JSON, such as {} or null." } : nothing;
  }
  try {
    return { field: parseJsonText(text), fault: null };
  } catch (error) {
    if (field.takesChanges === true && !/^\s*[{["]/.test(text)) return readChanges(text);
    return { ...nothing, fault: jsonFault(error) };
  }
}

/** Reads changes of a value, one a line. */
export function readChanges(text: string): ReadField {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const changes = lines.map((line) => readChange(line.trim()));
  const wrong = lines.find((_, at) => changes[at] === null);
  const fault = wrong === undefined ? null : `${wrong.trim()} is no change: write ${changeWords}.`;
  const patch = changes.filter((change) => change !== null);
  return { field: undefined, fault, ...(patch.length === 0 ? {} : { patch }) };
}

/** The options of the command for changes of an input. */
export const patchWords = (patch: JsonPatch = []): readonly string[] =>
  patch.flatMap((change) => {
    const place = change.path.replace(/^\//, "");
    if (change.op === "remove") return ["--unset", place];
    const { value } = change;
    return [
      "--set",
      typeof value === "string" ? `${place}=${value}` : `${place}:=${JSON.stringify(value)}`,
    ];
  });

const safe = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** A word for a POSIX shell: whatever it holds, the shell passes it on as it is. */
export const shellWord = (word: string): string =>
  safe.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** Writes the same request for curl. The token comes from the environment, and is never shown. */
export function curlLine(origin: string, { method, path, body, headers = {} }: Call): string {
  const given = [
    `-H "authorization: Bearer $HOLDFAST_TOKEN"`,
    ...(body === undefined ? [] : [`-H ${shellWord("content-type: application/json")}`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`),
  ];
  const data = body === undefined ? [] : [`-d ${shellWord(JSON.stringify(body))}`];
  const verb = method === "GET" ? [] : [`-X ${method}`];
  return ["curl", ...verb, shellWord(origin + path), ...given, ...data].join(" ");
}

/** Writes the same request for the command; null: it has none. */
export function commandLine(action: Action, call: ActionCall, filled: FilledForm): string | null {
  if (action.command === null) return null;
  const { field } = action;
  const value =
    field === null || filled.field === undefined
      ? []
      : [field.option, JSON.stringify(filled.field)];
  const who = filled.actor === "" ? [] : ["--actor", filled.actor];
  const changes = patchWords(filled.patch);
  const why = action.hasReason === false ? [] : ["--reason", filled.reason];
  const said = [...value, ...changes, ...why, ...who];
  const words = ["holdfast", ...action.command(call, filled), ...said];
  return words.map(shellWord).join(" ");
}
