import type { OperationsStore } from "@holdfast/state-store";
import type { onRequestAsyncHookHandler } from "fastify";
import type { WorkflowDirectory } from "../workflow-directory.ts";

/** What the routes of bulk operations need. */
export interface BulkDependencies {
  readonly store: OperationsStore;
  readonly directory: WorkflowDirectory;
  readonly onRequest: onRequestAsyncHookHandler;
}
