import { payloadFaults } from "@holdfast/contracts";
import {
  applyPatch,
  type CallDefinition,
  callsOf,
  Fault,
  type Json,
  type JsonPatch,
  lookupInEnded,
  refsOf,
  resolveTemplate,
  type StepKind,
  stepKinds,
  stepOfRef,
} from "@holdfast/domain";
import type { LoadedValues, ValueRef, ValuesOptions } from "../apply/load-values.ts";
import type { StoredWorkflow } from "./workflow-catalog.ts";

/**
 * The input of a call: what an operator put in its place, or what its workflow makes of the values
 * that there are.
 */
export function inputOfCall(call: CallDefinition, values: LoadedValues): Json {
  const corrected = values.correctedInputs.get(call.name);
  return corrected === undefined ? resolveTemplate(call.input, lookupInEnded(values)) : corrected;
}

/** A step of a task that is to be resubmitted with its input changed. */
export interface PatchTarget {
  readonly taskId: string;
  readonly step: { readonly name: string; readonly kind: StepKind };
  readonly workflow: Pick<StoredWorkflow, "definition" | "contracts">;
}

/** The input as it is then; or why there is none, under a code of the catalogue. */
export type PatchedInput =
  | { readonly input: Json }
  | {
      readonly code: string;
      /** One sentence without its full stop, for people. */
      readonly message: string;
      /** The place of the patch that does not fit; null: it is not about a place. */
      readonly pointer: string | null;
    };

type Load = (options: ValuesOptions) => Promise<ReadonlyMap<string, LoadedValues>>;

/** Bytes of JSON that are loaded at a time. */
const most = 16 * 1024 * 1024;

/**
 * Applies a patch to the inputs that failed steps have, by task. Tasks whose values have no room
 * beside those of others are loaded by themselves.
 */
export async function patchInputs(
  load: Load,
  targets: readonly PatchTarget[],
  patch: JsonPatch,
): Promise<ReadonlyMap<string, PatchedInput>> {
  const known = targets.map((target) => ({ ...target, call: callOf(target) }));
  const refs = known.flatMap(({ taskId, call }) => refsOfCall(taskId, call));
  const loaded = refs.length === 0 ? new Map<string, LoadedValues>() : await load({ refs, most });
  const patched = new Map<string, PatchedInput>();
  for (const target of known) {
    const { taskId, call } = target;
    const together = loaded.get(taskId);
    const values =
      call !== null && together !== undefined && together.leftOut !== null
        ? (await load({ refs: refsOfCall(taskId, call), most: Infinity })).get(taskId)
        : together;
    patched.set(taskId, await patchedInput(target, values, patch));
  }
  return patched;
}

/**
 * The call that a step is; null: it is an undo, whose input is that of what it undoes, or asks no
 * Agent.
 */
const callOf = ({ step: { name, kind }, workflow }: PatchTarget): CallDefinition | null =>
  stepKinds[kind].hasCorrectableInput
    ? (callsOf(workflow.definition).find((step) => step.name === name) ?? null)
    : null;

const refsOfCall = (taskId: string, call: CallDefinition | null): readonly ValueRef[] =>
  call === null
    ? []
    : [...new Set([...refsOf(call.input).map(stepOfRef), call.name])].map((name) => ({
        taskId,
        name,
      }));

async function patchedInput(
  { workflow, call }: PatchTarget & { readonly call: CallDefinition | null },
  values: LoadedValues | undefined,
  patch: JsonPatch,
): Promise<PatchedInput> {
  if (call === null) {
    const message = "The input of an undo cannot be changed";
    return { code: "task.undo_has_no_input", message, pointer: null };
  }
  const before = inputBefore(call, values);
  if ("code" in before) return before;
  const after = applyPatch(before.input, patch);
  if ("problem" in after) {
    const { pointer, problem } = after;
    const message = `The patch does not fit the input of ${call.name}: ${pointer || "/"} ${problem}`;
    return { code: "task.patch_not_applicable", message, pointer };
  }
  const [fault] = payloadFaults(after.value);
  if (fault !== undefined) {
    return { code: "request.invalid", message: `The input ${fault}`, pointer: null };
  }
  const broken = await workflow.contracts.input(call.name, after.value);
  if (broken === null) return { input: after.value };
  const message = `${broken.message}. The Agent ${call.agent} would refuse it`;
  return { code: broken.code, message, pointer: null };
}

/** What the step was given, or would have been: a value that it needs may be missing. */
function inputBefore(call: CallDefinition, values: LoadedValues | undefined): PatchedInput {
  if (values === undefined || values.problem !== null) {
    const message = `The input of ${call.name} cannot be read: give a whole one`;
    return { code: "task.patch_not_applicable", message, pointer: null };
  }
  try {
    return { input: inputOfCall(call, values) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const message = `${error.message}: give a whole input`;
    return { code: "task.patch_not_applicable", message, pointer: null };
  }
}
