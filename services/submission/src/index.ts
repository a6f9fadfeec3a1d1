export { Problem } from "./problem.ts";
export { taskSubmitter } from "./submit-task.ts";
export { workflowDirectory } from "./workflow-directory.ts";
