import type { Unusable } from "@holdfast/state-store";
import { count } from "../print/count.ts";
import { type Finding, orFine, wrong } from "./finding.ts";

/** Whether every stored definition, and every unfinished task, can be used as it stands in the store. */
export const checkDefinitions = ({
  workflows,
  uncheckedWorkflows,
  tasks,
}: Unusable): readonly Finding[] =>
  orFine(
    [
      ...uncheckedWorkflows.map(({ name, problem }) =>
        wrong(
          "workflows.schemas",
          `a part of a schema of ${name} is not checked: ${problem}`,
          `store a new version of ${name} without it; until then the part allows everything, and the others are checked`,
        ),
      ),
      ...workflows.map(({ name, problem }) =>
        wrong(
          "workflows.definitions",
          `the definition of ${name} cannot be used: ${problem}`,
          `restore the row of ${name} in state.workflows as the workflow's author registered it; its tasks wait meanwhile and go on by themselves`,
        ),
      ),
      ...(tasks.length > 0 && workflows.length === 0
        ? [
            wrong(
              "workflows.definitions",
              `${count(tasks.length, "task")} cannot be decided about, such as ${tasks[0]?.taskId}: ${tasks[0]?.problem}`,
              "restore their rows, then POST /v1/tasks/:id/resume; see holdfast verify for all of them",
            ),
          ]
        : []),
    ],
    "workflows.definitions",
    "every stored definition can be used",
  );
