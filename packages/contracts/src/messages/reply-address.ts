import { isId, type Json } from "@holdfast/domain";
import { limits } from "../limits/limits.ts";
import { fieldsOf, type MalformedMessage } from "./message.ts";
import type { StepReply } from "./step-reply.ts";

/** Which attempt a reply is about. */
export type ReplyAddress = Pick<StepReply, "taskId" | "step" | "attempt" | "token">;

/** Bytes at each end of a text that is no JSON in which its address is looked for. */
const searched = 65_536;

/**
 * Reads which attempt a reply is about that is otherwise none; null: it does not say so without
 * doubt. Numbers as texts and capitals in ids are read all the same, and in a text that is no JSON,
 * such as one with `NaN`, what is named once.
 */
export const readReplyAddress = (
  body: Buffer,
  { json }: Pick<MalformedMessage, "json">,
): ReplyAddress | null => addressIn(json === undefined ? fieldsNamedOnce(body) : fieldsOf(json));

function addressIn(fields: Readonly<Record<string, Json>>): ReplyAddress | null {
  const taskId = idIn(fields["taskId"]);
  const token = idIn(fields["token"]);
  const step = fields["step"];
  const attempt = Number(fields["attempt"]);
  const isWhole = Number.isInteger(attempt) && attempt >= 1 && attempt <= limits.integer;
  if (taskId === null || token === null || !isWhole || typeof step !== "string") return null;
  return step === "" || step.length > limits.name ? null : { taskId, step, attempt, token };
}

function idIn(value: Json | undefined): string | null {
  const id = typeof value === "string" ? value.toLowerCase() : "";
  return isId(id) ? id : null;
}

const named = /"(taskId|step|attempt|token)"\s*:\s*(?:"([^"\\]{0,255})"|(\d{1,10}))/g;

/** The fields of an address whose value is the same wherever the text names them. */
function fieldsNamedOnce(body: Buffer): Readonly<Record<string, Json>> {
  const text =
    body.length <= 2 * searched
      ? body.toString()
      : `${body.subarray(0, searched).toString()}\n${body.subarray(-searched).toString()}`;
  const values = new Map<string, Set<string>>();
  for (const [, name = "", quoted, number] of text.matchAll(named)) {
    const found = values.get(name) ?? new Set();
    values.set(name, found.add(quoted ?? number ?? ""));
  }
  return Object.fromEntries(
    [...values].flatMap(([name, found]) => (found.size === 1 ? [[name, [...found][0]!]] : [])),
  );
}
