import { fileURLToPath } from "node:url";

/** The services that make a whole system. */
export type ServiceName = "submission" | "scheduler" | "supervisor" | "agent";

/**
 * The main file of each service: run it with Node and the environment variables that the service
 * reads.
 */
export const serviceMains = (): Readonly<Record<ServiceName, string>> => ({
  submission: mainOf("@holdfast/submission-service"),
  scheduler: mainOf("@holdfast/scheduler-service"),
  supervisor: mainOf("@holdfast/supervisor-service"),
  agent: mainOf("@holdfast/agent-service"),
});

const mainOf = (service: string): string => fileURLToPath(import.meta.resolve(`${service}/main`));
