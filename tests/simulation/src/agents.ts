import {
  type HostedAgent,
  host as hostAgent,
  type ResiliencePolicy,
  type StepContext,
} from "@holdfast/agent";
import type { Host } from "@holdfast/testing/simulator";
import { callRemote, type RemoteService, type Script } from "./remote.ts";
import { agents, thisRelease } from "./workflows.ts";
import type { World } from "./world.ts";

/** No retries within an attempt and no circuit breaker: the steps' own policies are what is tried. */
const unprotected: ResiliencePolicy = {
  call: (work) => work(),
  health: () => ({ breaker: "closed", openForMs: 0 }),
};

interface Options {
  readonly service: RemoteService;
  /** What stands between an Agent and the service, and refuses what it is asked for, or its answer. */
  readonly gateway: (ask: () => object) => never;
  readonly scriptOf: (order: string, step: string) => Script;
}

interface StepInput {
  readonly order: string;
  readonly from: string | null;
}
interface StepEffect {
  readonly input: StepInput;
  readonly output: { readonly id: string } | undefined;
  readonly key: string;
}

/** The Agents of one process, with the handlers of the simulation. */
export function simulatedAgents(
  world: World,
  host: Host,
  { service, gateway, scriptOf }: Options,
): readonly HostedAgent[] {
  const perform = ({ order, from }: StepInput, context: StepContext) => {
    const { taskId, step, idempotencyKey } = context;
    const script = scriptOf(order, step);
    const declines = () => script === "declined" || world.strikes("remoteDecline");
    const isDown = script === "failing" || (script === "out" && world.healedAt === null);
    const call = { what: `do ${step}`, isDown, isLossy: script === "lossy" };
    const ask = () => service.perform(idempotencyKey, { caller: { taskId, step }, from, declines });
    return callRemote(world, host, call, () =>
      world.strikes("gatewayRefusal") ? gateway(ask) : ask(),
    );
  };
  const undo = ({ key }: StepEffect, { taskId, step: name }: StepContext) => {
    const step = name.replace(":undo", "");
    return callRemote(world, host, { what: `undo ${step}`, isDown: false, isLossy: false }, () =>
      service.undo(key, { taskId, step }),
    );
  };
  const isOtherRelease = world.strikes("otherRelease");
  if (isOtherRelease) {
    world.otherReleases.add(host);
    world.tell(host.name, () => "is of another release");
  }
  const { left, right } = isOtherRelease ? agents(() => world.healedAt !== null) : thisRelease;
  const options = { resilience: unprotected };
  return [
    hostAgent(left, { reserve: perform, release: undo, tell: perform }, options),
    hostAgent(right, { charge: perform, refund: undo }, options),
  ];
}
