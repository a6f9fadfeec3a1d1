import { familyOf, isFinished } from "@holdfast/domain";
import type { MemoryStore, SimulatedStore } from "@holdfast/testing/simulator";
import type { Mutation } from "./mutation.ts";

/**
 * What is done wrongly with versions while orders come in, by name. The simulation must find each.
 */
export const rolloutMutants: Readonly<Record<string, Mutation>> = {
  "a name means the version that its process has read": {
    store: editTasks((task) => ({ ...task, takesActive: false })),
  },
  "a process refuses by the version that it has read": {
    storePort: (port) => ({ ...port, findActiveVersions: async ({ names }) => new Set(names) }),
  },
  "a version that is retired takes tasks that name it": {
    store: (store) => ({
      ...store,
      retireWorkflow: (request) =>
        !store.findActiveVersions({ names: [request.name] }).has(request.name) ||
        store.retireWorkflow(request),
      reinstateWorkflow: (request) => store.reinstateWorkflow(request) || true,
    }),
  },
  "a name goes on meaning a version that is retired": {
    store: (store) => ({ ...store, retireWorkflow: () => true }),
  },
  "a retirement leaves the name without a version": {
    store(store) {
      let isLeft = false;
      const ended = <Wish>(act: (request: Wish) => boolean) => {
        return (request: Wish): boolean => {
          isLeft = false;
          return act(request);
        };
      };
      return {
        ...store,
        activateWorkflow: ended(store.activateWorkflow),
        reinstateWorkflow: ended(store.reinstateWorkflow),
        retireWorkflow(request) {
          isLeft ||= store.findActiveVersions({ names: [request.name] }).has(request.name);
          return store.retireWorkflow(request);
        },
        submitTasks: (tasks, options) =>
          isLeft && tasks.some(({ takesActive = false }) => takesActive)
            ? tasks.map(() => ({ kind: "retired" }))
            : store.submitTasks(tasks, options),
      };
    },
  },
  "a task that is repeated is one of the version that is active by now": {
    store: editTasks(({ idempotency, ...task }) => ({
      ...task,
      idempotency: idempotency && { ...idempotency, key: `${idempotency.key} ${task.workflow}` },
    })),
  },
  "a key was used for something else once another version is active": {
    store: editTasks(({ idempotency, ...task }) => ({
      ...task,
      idempotency: idempotency && { ...idempotency, hash: `${idempotency.hash} ${task.workflow}` },
    })),
  },
  "what was taken is refused once a version is active that does not take it": {
    store: (store) => ({
      ...store,
      submitTasks: (tasks, options) =>
        tasks.some(({ onlyRepeats = false }) => onlyRepeats)
          ? tasks.map(() => ({ kind: "conflict" }))
          : store.submitTasks(tasks, options),
    }),
  },
  "a version that is activated takes over the tasks under way": {
    store: (store) => ({
      ...store,
      activateWorkflow(request) {
        for (const stored of store.tasks.values()) {
          const { task } = stored;
          if (isFinished(task) || familyOf(task.workflow.name) !== familyOf(request.name)) continue;
          stored.task = { ...task, workflow: { ...task.workflow, name: request.name } };
        }
        return store.activateWorkflow(request);
      },
    }),
  },
};

type Submission = Parameters<SimulatedStore["submitTasks"]>[0][number];

/** The store to which each task comes changed. */
function editTasks(edit: (task: Submission) => Submission) {
  return (store: MemoryStore): MemoryStore => ({
    ...store,
    submitTasks: (tasks, options) => store.submitTasks(tasks.map(edit), options),
  });
}
