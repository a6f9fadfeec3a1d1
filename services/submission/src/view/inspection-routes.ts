import { examinationResource, verificationResource } from "@holdfast/diagnosis";
import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import { describe, ref } from "../api/describe.ts";
import { type ById, codesOfTask, TaskParams, type Tasks } from "../find-tasks.ts";
import { Problem } from "../problem.ts";
import type { Inspection } from "./open-inspection.ts";

interface InspectionDependencies {
  readonly tasks: Tasks;
  readonly inspection: Inspection;
  readonly onRequest: onRequestAsyncHookHandler;
}

/** What `holdfast why`, `holdfast doctor` and `holdfast verify` say. */
export function inspectionRoutes(app: FastifyInstance, deps: InspectionDependencies): void {
  whyRoute(app, deps);
  const { inspection, onRequest } = deps;
  const doctor = describe({
    id: "examine",
    tag: "service",
    summary: "How the servers are set up, and who serves whom, as `holdfast doctor` says it.",
    description: "One look at a time; its findings are kept for five seconds.",
    answers: { "200": { words: "What was found.", schema: ref("Examination") } },
  });
  app.get("/v1/doctor", { onRequest, schema: doctor }, async () => {
    const { at, found } = await inspection.examine();
    return examinationResource(found, at.toISOString());
  });
  const verify = describe({
    id: "verify",
    tag: "service",
    summary: "What must never be, among the tasks of the last day, as `holdfast verify` says it.",
    description:
      "One look at a time, for ten seconds at most; what it found is kept for five. `complete` is false if there may be more.",
    answers: { "200": { words: "What was found.", schema: ref("Verification") } },
  });
  app.get("/v1/verify", { onRequest, schema: verify }, async () => {
    const { at, found } = await inspection.verify();
    return verificationResource(found, at.toISOString());
  });
}

function whyRoute(
  app: FastifyInstance,
  { tasks, inspection, onRequest }: InspectionDependencies,
): void {
  const schema = {
    ...describe({
      id: "explainTask",
      tag: "tasks",
      summary: "What the task waits for, or how it ended, as `holdfast why` says it.",
      description:
        "`turnOf` says who is ahead of a step that is due; null: it waits for something else.",
      answers: { "200": { words: "Why it is where it is.", schema: ref("Explanation") } },
      codes: codesOfTask,
    }),
    params: TaskParams,
  };
  app.get<ById>("/v1/tasks/:id/why", { onRequest, schema }, async (request) => {
    const { id: taskId } = request.params;
    await tasks.mustExist(taskId);
    const found = await inspection.explain(taskId);
    if (found === null) throw new Problem(404, "task.unknown", `There is no task ${taskId}.`);
    const { workflow, processState: state, sentence, evidence, steps, turnOf } = found;
    return { taskId, workflow, state, sentence, evidence, steps, turnOf };
  });
}
