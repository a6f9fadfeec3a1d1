import { parseJson } from "@holdfast/contracts";
import { ContractFault, type Json, lineOfJsonFault } from "@holdfast/domain";
import { fileOf } from "../api/values.ts";

/** An operation of the Agent, and an input with which it ends in a known way. */
export interface Case {
  readonly operation: string;
  readonly input: Json;
}

/** What the Agent is asked for. Rules without a case are skipped. */
export interface Cases {
  readonly happy: Case;
  readonly permanent?: Case;
  readonly transient?: Case;
  /** Takes a while: `takesMs` milliseconds. */
  readonly slow?: Case & { readonly takesMs: number };
  /** The operation that undoes `happy`. */
  readonly undo?: Pick<Case, "operation">;
  /**
   * A command that prints how often the effect of the key in the environment variable KEY was made.
   */
  readonly effects?: string;
}

const exampleOfCases = `{
  "happy": { "operation": "print", "input": { "guest": "Ada" } },
  "permanent": { "operation": "print", "input": {} },
  "transient": { "operation": "print", "input": { "guest": "paper jam" } },
  "slow": { "operation": "print", "input": { "guest": "Ada", "seconds": 2 }, "takesMs": 2000 },
  "undo": { "operation": "shred" },
  "effects": "a command that prints how often the effect of $KEY was made"
}`;

/** Reads the file of cases. Throws `cli.usage` that says what is wrong with it. */
export async function readCases(file: string): Promise<Cases> {
  let content = "";
  try {
    content = fileOf(file);
    return toCases(parseJson(Buffer.from(content)));
  } catch (error) {
    const place = error instanceof SyntaxError ? `${file}:${lineOfJsonFault(content)}` : file;
    throw unusable(place, (error as Error).message);
  }
}

const unusable = (file: string, why: string) =>
  new ContractFault(
    "cli.usage",
    `${file} holds no cases: ${why}. Such a file is:\n${exampleOfCases}`,
  );

const names = ["happy", "permanent", "transient", "slow", "undo", "effects"] as const;

function toCases(json: Json): Cases {
  const fields = fieldsOf(json, "it");
  const unknown = Object.keys(fields).find((name) => !names.some((one) => one === name));
  if (unknown !== undefined) throw new Error(`${unknown} is none of ${names.join(", ")}`);
  const { permanent, transient, slow, undo, effects } = fields;
  const optional = (name: string, value: Json | undefined): { readonly [key: string]: Case } =>
    value === undefined ? {} : { [name]: toCase(value, name) };
  return {
    happy: toCase(fields["happy"] ?? null, "happy"),
    ...optional("permanent", permanent),
    ...optional("transient", transient),
    ...(slow === undefined ? {} : { slow: { ...toCase(slow, "slow"), takesMs: takesOf(slow) } }),
    ...(undo === undefined ? {} : { undo: { operation: operationOf(undo, "undo") } }),
    ...(effects === undefined ? {} : { effects: textOf(effects, "effects") }),
  };
}

const toCase = (json: Json, name: string): Case => ({
  operation: operationOf(json, name),
  input: fieldsOf(json, name)["input"] ?? null,
});

const operationOf = (json: Json, name: string) =>
  textOf(fieldsOf(json, name)["operation"] ?? null, `${name}.operation`);

function takesOf(json: Json): number {
  const takesMs = Number(fieldsOf(json, "slow")["takesMs"]);
  if (Number.isInteger(takesMs) && takesMs >= 500 && takesMs <= 600_000) return takesMs;
  throw new Error("slow.takesMs must be a whole number of milliseconds, 500 to 600000");
}

function fieldsOf(json: Json, name: string): { readonly [key: string]: Json } {
  if (typeof json === "object" && json !== null && !Array.isArray(json)) {
    return json as { readonly [key: string]: Json };
  }
  throw new Error(`${name} must be an object`);
}

function textOf(json: Json, name: string): string {
  if (typeof json === "string" && json !== "") return json;
  throw new Error(`${name} must be a text`);
}
