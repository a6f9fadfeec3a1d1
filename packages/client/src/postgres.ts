/** Submits tasks in a transaction of one's own, by the inbox of the state store. For Node only, with @holdfast/state-store installed. */
export {
  type SubmittedTask,
  type SubmittedTaskId,
  submitTasks,
  type TransactionClient,
} from "@holdfast/state-store";
