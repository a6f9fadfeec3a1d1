import { asRole, startService } from "@holdfast/local-system";
import { startHoldfast } from "../start-holdfast.ts";
import { orderSteps } from "../workflow.ts";
import { makeRoomForPast } from "./fill-past.ts";
import { orderPoster } from "./post-order.ts";

interface Servers {
  readonly url: string;
  readonly brokerUrl: string;
}

/** Starts all but the Supervisor; `owner` stops them when it is disposed. */
export async function startServices(owner: AsyncDisposableStack, { url, brokerUrl }: Servers) {
  await makeRoomForPast(url);
  const { pids } = await startHoldfast(owner, {
    databaseUrl: url,
    brokerUrl,
    workflow: orderSteps.definition,
  });
  const submission = owner.use(
    await startService({
      service: "submission",
      env: {
        STATE_STORE_URL: asRole(url, "holdfast_submission"),
        BROKER_URL: brokerUrl,
        WORKFLOW: orderSteps.name,
        HTTP_HOST: "127.0.0.1",
        HTTP_PORT: "0",
      },
    }),
  );
  return {
    post: orderPoster(String(submission.ready["url"])),
    pids: {
      submission: submission.pid,
      Scheduler: pids["scheduler"] ?? 0,
      Agents: pids["agents"] ?? 0,
    },
  };
}

/** Starts what begins with the deletion at once. Resolves to its process id. */
export async function startSupervisor(
  owner: AsyncDisposableStack,
  { url, brokerUrl }: Servers,
): Promise<number> {
  const env = {
    STATE_STORE_URL: asRole(url, "holdfast_supervisor"),
    BROKER_URL: brokerUrl,
    RETENTION: "1d",
  };
  return owner.use(await startService({ service: "supervisor", env })).pid;
}
