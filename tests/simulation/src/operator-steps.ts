import { idempotencyKey, type Json, type Step } from "@holdfast/domain";
import type { StoredTask } from "@holdfast/testing/simulator";
import { type Facts, isSkipped, nameOf } from "./facts.ts";
import type { ApplyWish } from "./operator-wishes.ts";
import { outputIdOf, type RemoteService } from "./remote.ts";
import { sourceOf } from "./workflows.ts";
import type { World } from "./world.ts";

interface Options {
  readonly apply: ApplyWish;
  readonly service: RemoteService;
  readonly facts: Facts;
}

/** Retries, resubmits and resolves steps. */
export function operatorSteps(world: World, { apply, service, facts }: Options) {
  return {
    retry(stored: StoredTask, { plan: { name: step } }: Step): void {
      if (!apply(stored, { event: { kind: "retryRequested", step } })) return;
      if (stored.ranks.has(step)) return;
      world.accuse("a step that an operator retries is due at once", () =>
        nameOf(stored.task.taskId, step),
      );
    },

    resubmit(stored: StoredTask, { plan, attempt }: Step, isCorrected: boolean): void {
      const inputChanged = isCorrected && plan.kind === "call";
      apply(stored, {
        event: { kind: "resubmitted", step: plan.name, attempt, inputChanged },
        ...(inputChanged ? { correctedInput: inputOf(facts, stored, plan.name) } : {}),
      });
    },

    /** Does it by hand at the remote service, under the key of the step, and says so. */
    resolve(stored: StoredTask, { plan, attempt }: Step): void {
      const { taskId, steps } = stored.task;
      const call = plan.undoes ?? plan.name;
      const generation = steps.get(call)?.keyGeneration ?? 0;
      const key = idempotencyKey(taskId, { name: call, undoes: null }, generation);
      const caller = { taskId, step: call };
      let output: Json = null;
      try {
        if (plan.undoes !== null) service.undo(key, caller);
        else {
          const { from } = inputOf(facts, stored, call);
          output = { ...service.perform(key, { caller, from, declines: () => false }) };
        }
      } catch {
        // The service refuses it for good, also to a person.
        return;
      }
      apply(stored, { event: { kind: "resolved", step: plan.name, attempt }, output });
    },
  };
}

/** What the workflow puts into the step, which an operator may put there by hand as well. */
function inputOf(facts: Facts, { task, input }: StoredTask, name: string) {
  const known = facts.tasks.get(task.taskId);
  const definition = known?.steps.get(name)?.definition;
  const source = definition === undefined ? null : sourceOf(definition);
  const before = source === null ? undefined : known?.steps.get(source);
  const isMissing =
    source === null || before === undefined || !known || isSkipped(known, before.definition);
  const { order } = input as { readonly order: string };
  return { order, from: isMissing ? null : outputIdOf({ taskId: task.taskId, step: source }) };
}
