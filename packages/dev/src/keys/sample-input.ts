import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compileInput, faultSentence, sampleValue } from "@holdfast/contracts";
import { familyOf, type Json, textOfBytes, type WorkflowDefinition } from "@holdfast/domain";

/** An input to begin with, or why there is none. */
export type Sample = { readonly input: Json } | { readonly reason: string };

/**
 * The sample of a workflow: the input of the first case that ends well, by the names of its files,
 * or else one that is made of the schema, or else that of any case. Cases whose input does not fit
 * the schema are passed over.
 */
export function sampleInput(folder: string, { name, inputSchema }: WorkflowDefinition): Sample {
  const check = compileInput(inputSchema);
  const fits = (input: Json): boolean => check(input).length === 0;
  const cases = casesOf(folder, name).filter(({ input }) => fits(input));
  const well = cases.find(({ endsWell }) => endsWell);
  if (well !== undefined) return { input: well.input };
  const made = sampleValue(inputSchema, { name: "sample", fits });
  if (fits(made)) return { input: made };
  const [any] = cases;
  if (any !== undefined) return { input: any.input };
  const fault = faultSentence(check(made), "input");
  const family = familyOf(name);
  return { reason: `No input of ${family} can be guessed (${fault}): write a case in cases/.` };
}

interface InputOfCase {
  readonly input: Json;
  readonly endsWell: boolean;
}

/**
 * The cases of a workflow. `holdfast test` says of a file what is wrong with it; here it is passed
 * over.
 */
function casesOf(folder: string, workflow: string): readonly InputOfCase[] {
  const home = join(folder, "cases");
  return namesIn(home).flatMap((file) => {
    const found = readCase(join(home, file));
    const isAsked = [workflow, familyOf(workflow)].includes(found?.workflow ?? "");
    if (found?.input === undefined || !isAsked) return [];
    return [{ input: found.input, endsWell: found.expect?.state === "processed" }];
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .toSorted();
  } catch {
    return [];
  }
}

interface CaseFile {
  readonly workflow?: string;
  readonly input?: Json;
  readonly expect?: { readonly state?: string };
}

function readCase(file: string): CaseFile | null {
  try {
    const { text, fault } = textOfBytes(readFileSync(file));
    return fault === null ? (JSON.parse(text) as CaseFile | null) : null;
  } catch {
    return null;
  }
}
