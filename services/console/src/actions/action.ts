import type { Call } from "../api/api.ts";

/** One request that an action makes. Who acts and why is added when it is sent. */
export interface ActionCall {
  /** What it is done to, as people know it. */
  readonly target: string;
  readonly method: "POST" | "PUT";
  readonly path: string;
  /** The version of the task as it was seen: one that has changed meanwhile is refused. */
  readonly version?: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** JSON that the person may or must give with an action. */
export interface ActionField {
  /** Its name in the body, such as `output`. */
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly isRequired: boolean;
  /** What stands there at first. */
  readonly initial: string;
  /** The option of the command that takes it, such as `--result`. */
  readonly option: string;
}

/** Something that an operator can do: a program can do the same by the lines that the dialog shows. */
export interface Action {
  /** The button. */
  readonly verb: string;
  readonly title: string;
  /** One or two sentences: what happens then. */
  readonly explain: string;
  readonly isDangerous: boolean;
  readonly calls: readonly ActionCall[];
  /** The command for one target without reason and actor; null: there is none. */
  readonly command: ((call: ActionCall) => readonly string[]) | null;
  readonly field: ActionField | null;
}

/** Who acts, why, and what the action's field holds. */
export interface FilledForm {
  readonly actor: string;
  readonly reason: string;
  readonly field: unknown;
}

/** The request of a call, as the service gets it. */
export function requestOf(
  action: Action,
  call: ActionCall,
  { actor, reason, field }: FilledForm,
): Call {
  const extra = action.field === null || field === undefined ? {} : { [action.field.name]: field };
  return {
    method: call.method,
    path: call.path,
    ...(call.version === undefined ? {} : { headers: { "if-match": `"${call.version}"` } }),
    body: { ...call.body, ...extra, actor, reason },
  };
}

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
  const words = ["holdfast", ...action.command(call), ...value, "--reason", filled.reason, ...who];
  return words.map(shellWord).join(" ");
}
