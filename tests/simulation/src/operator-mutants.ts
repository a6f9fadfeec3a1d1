import { type Domain, epoch } from "@holdfast/testing/simulator";
import { editChanges, editEvents } from "./edit-fold.ts";
import type { Mutation } from "./mutation.ts";

/** What may be built wrongly about pauses, limits, delays and what else operators do. */
export const operatorMutants: Readonly<Record<string, Mutation>> = {
  "a reply lifts a pause, by a guessed version": {
    domain: (domain: Domain): Domain => ({
      ...domain,
      foldEvents: (task, reported, options) =>
        task.paused && reported.some(({ event }) => event.kind === "completed")
          ? domain.foldEvents({ ...task, paused: false }, reported, options)
          : domain.foldEvents(task, reported, options),
    }),
  },
  "an undo lifts a pause": {
    domain: (domain: Domain): Domain => ({
      ...domain,
      foldEvents: (task, reported, options) =>
        reported.some(({ event }) => event.kind === "undoRequested")
          ? domain.foldEvents({ ...task, paused: false }, reported, options)
          : domain.foldEvents(task, reported, options),
    }),
  },
  "the limit of a paused task goes on": {
    domain: editEvents((event) =>
      event.kind === "limitPassed" ? { kind: "undoRequested", code: "task.expired" } : event,
    ),
    store: (store) => ({
      ...store,
      findExpired(options) {
        const paused = [...store.tasks.values()].filter(({ task }) => task.paused);
        for (const stored of paused) stored.task = { ...stored.task, paused: false };
        const found = store.findExpired(options);
        for (const stored of paused) stored.task = { ...stored.task, paused: true };
        return found;
      },
    }),
  },
  "the limit goes on while an Agent is paused": {
    store: (store) => ({
      ...store,
      findExpired(options) {
        const all = [...store.tasks.values()].map((stored) => [stored, stored.createdAt] as const);
        // As if all pauses had ended before any task was submitted.
        for (const [stored] of all) stored.createdAt = Number.POSITIVE_INFINITY;
        const found = store.findExpired(options);
        for (const [stored, createdAt] of all) stored.createdAt = createdAt;
        return found;
      },
    }),
  },
  "a delay has no bound": {
    domain: editChanges((change, event) => {
      if (event.kind !== "failed" || change.step.processState !== "pending") return change;
      const notBefore = epoch + (event.retryAfter ?? 0);
      return notBefore <= change.step.notBefore
        ? change
        : { ...change, step: { ...change.step, notBefore } };
    }),
  },
  "a paused Agent gets requests": {
    store: (store) => ({
      ...store,
      pause: (request) => request.kind === "agent" || store.pause(request),
    }),
  },
  "a paused workflow claims steps": {
    store: (store) => ({
      ...store,
      pause: (request) => request.kind === "workflow" || store.pause(request),
    }),
  },
  "the limit goes on while a workflow is paused": {
    store: (store) => ({
      ...store,
      findExpired(options) {
        const all = [...store.tasks.values()].map((stored) => [stored, stored.task] as const);
        // As if all pauses had been of other workflows.
        for (const [stored, task] of all) {
          stored.task = { ...task, workflow: { ...task.workflow, name: "another.v1" } };
        }
        const found = store.findExpired(options);
        for (const [stored, task] of all) stored.task = task;
        return found;
      },
    }),
  },
  "what was set aside is forgotten when its workflow is resumed": {
    store(store) {
      const paused = new Set<string>();
      return {
        ...store,
        pause(request) {
          if (request.kind === "workflow") paused.add(request.name);
          return store.pause(request);
        },
        resume(request) {
          if (request.kind === "workflow") paused.delete(request.name);
          return store.resume(request);
        },
        stageDueSteps: () => ({
          ...store.stageDueSteps(),
          hasPauses: paused.size > 0,
        }),
      };
    },
  },
  "an operator's retry changes nothing": {
    domain: editChanges((change) =>
      change.action === "retryNow" && change.step.processState === "pending"
        ? { ...change, step: { ...change.step, notBefore: change.step.notBefore + 1_000 } }
        : change,
    ),
  },
  "an operator's retry is counted as a failure": {
    domain: editChanges((change) =>
      change.action === "retryNow"
        ? { ...change, step: { ...change.step, failureCount: change.step.failureCount + 1 } }
        : change,
    ),
  },
  "a step with a corrected input has a new key, whatever it did": {
    domain: editChanges((change, event) =>
      event.kind === "resubmitted" && event.inputChanged && change.step.mayHaveEffect
        ? { ...change, step: { ...change.step, keyGeneration: change.step.keyGeneration + 1 } }
        : change,
    ),
  },
};
