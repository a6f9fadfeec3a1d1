import { createDatabase, freePort, type LocalStack } from "@holdfast/local-stack";
import { type System, type SystemOptions, startSystem } from "@holdfast/processes";

/**
 * Starts what the demonstration shows, at ports that are the same at each start where they are
 * free.
 */
export async function startDemoSystem({
  managementUrl,
  operatorToken,
  ...options
}: SystemOptions & {
  readonly managementUrl: string | null;
  readonly operatorToken: string;
}): Promise<System> {
  const submission = await freePort(3_000);
  return await startSystem({
    ...options,
    count: { operations: 1, scheduler: 2, agent: 2 },
    ports: {
      submission,
      operations: await freePort(submission + 1),
      partners: await freePort(4_000),
    },
    env: {
      // One user does everything here, and the Schedulers say each time that a task has moved.
      scheduler: { LOG_LEVEL: "debug", EVENTS: "on" },
      submission: { EVENTS: "on" },
      operations: {
        EVENTS: "on",
        CONSOLE: "on",
        OPERATOR_TOKEN: operatorToken,
        // Without it the console does not know the queues.
        ...(managementUrl === null ? {} : { BROKER_MANAGEMENT_URL: managementUrl }),
      },
      supervisor: { EVENTS: "on" },
      // Partners as they are: slow, sometimes unwell, and sometimes silent after the effect.
      partners: { LATENCY: "150ms", ERROR_RATE: "0.05", APPLY_THEN_DROP_RATE: "0.03" },
    },
  });
}

/** A database of our own on a server of our own; one that was given by its URL is used as it is. */
export async function databaseOf({ postgres }: LocalStack): Promise<string> {
  if (postgres.provider === "url") return postgres.url;
  const url = new URL(postgres.url);
  url.pathname = "/holdfast";
  await createDatabase(postgres.url, { name: "holdfast" }).catch(
    (error: { readonly code?: string }) => {
      if (error.code !== "42P04") throw error; // It is there from an earlier start.
    },
  );
  return url.href;
}
