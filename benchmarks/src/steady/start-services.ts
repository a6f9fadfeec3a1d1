import { type ServiceProcess, type System } from "@holdfast/processes";
import { startHoldfast } from "../start-holdfast.ts";
import { orderSteps } from "../workflow.ts";
import { makeRoomForPast } from "./fill-past.ts";

interface Options {
  readonly url: string;
  readonly brokerUrl: string;
  readonly without: readonly string[];
}

/** Starts all but the Supervisor; `owner` stops them when it is disposed. */
export async function startServices(
  owner: AsyncDisposableStack,
  { url, brokerUrl, without }: Options,
) {
  await makeRoomForPast(url);
  const { system, pids } = await startHoldfast(owner, {
    databaseUrl: url,
    brokerUrl,
    workflow: orderSteps.definition,
    submissions: 1,
    without,
  });
  return {
    system,
    pids: {
      submission: system.running("submission")[0]?.pid ?? 0,
      Scheduler: pids["scheduler"] ?? 0,
      Agents: pids["agents"] ?? 0,
    },
  };
}

/** Starts what begins with the deletion at once. */
export const startSupervisor = (system: System): Promise<ServiceProcess> =>
  system.start("supervisor", { RETENTION: "1d" });
