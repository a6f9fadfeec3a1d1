import {
  type HostedAgent,
  host as hostAgent,
  type ResilienceOptions,
  resiliencePolicy,
  type StepContext,
} from "@holdfast/agent";
import { TransientFault } from "@holdfast/domain";
import { sleep } from "@holdfast/runtime";
import type { Host } from "@holdfast/testing/simulator";
import { callRemote, type RemoteService, type Script } from "./remote.ts";
import { agents, thisRelease } from "./workflows.ts";
import type { World } from "./world.ts";

/**
 * No retries within an attempt: the steps' own policies are what is tried. Rests are as brief as
 * all limits are.
 */
const resilience: ResilienceOptions = { retries: 0, failures: 3, openFor: 150 };

interface Options {
  readonly service: RemoteService;
  /**
   * What stands between an Agent and the service, and refuses what it is asked for, or its answer.
   */
  readonly gateway: (ask: () => object) => never;
  readonly scriptOf: (order: string, step: string) => Script;
  /** Whether the service knows the keys of an order whichever Agent sends them. */
  readonly sharesKeys: (order: string) => boolean;
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
  { service, gateway, scriptOf, sharesKeys }: Options,
): readonly HostedAgent[] {
  const sickness = instanceSickness(world, host);
  /**
   * The key as the service knows it: unless keys are shared, each Agent has an account of its own
   * there.
   */
  const keyOf = (agent: string, { order }: StepInput, key: string): string =>
    sharesKeys(order) ? key : `${agent} ${key}`;
  const performAs = (agent: string) => async (input: StepInput, context: StepContext) => {
    const { order, from } = input;
    const { taskId, step } = context;
    const key = keyOf(agent, input, context.idempotencyKey);
    const script = scriptOf(order, step);
    const declines = () => script === "declined" || world.strikes("remoteDecline");
    const isDown = script === "failing" || (script === "out" && world.healedAt === null);
    const call = { what: `do ${step}`, isDown, isLossy: script === "lossy" };
    if (sickness.isSick()) return sickness.fail(call.what);
    if (step === "long") await beatFor(host, context, 900 + world.random.below(1_500));
    const ask = () => service.perform(key, { caller: { taskId, step }, from, declines });
    return callRemote(world, host, call, () =>
      world.strikes("gatewayRefusal") ? gateway(ask) : ask(),
    );
  };
  const undoAs =
    (agent: string) =>
    ({ key, input }: StepEffect, { taskId, step: name }: StepContext) => {
      const step = name.replace(":undo", "");
      if (sickness.isSick()) return sickness.fail(`undo ${step}`);
      return callRemote(world, host, { what: `undo ${step}`, isDown: false, isLossy: false }, () =>
        service.undo(keyOf(agent, input, key), { taskId, step }),
      );
    };
  const isOtherRelease = world.strikes("otherRelease");
  // By the same contract its refusals are answers; by another, in every second schedule, others get
  // what it cannot read.
  const isOther = isOtherRelease && world.seed % 2 === 0;
  if (isOtherRelease) {
    world.otherReleases.add(host);
    world.tell(host.name, () => `is of another release${isOther ? ", by another contract" : ""}`);
  }
  const { left, right, north, south } = isOtherRelease
    ? agents(() => world.healedAt !== null, { isOther })
    : thisRelease;
  const options = () => ({ resilience: resiliencePolicy(resilience, host.clock) });
  return [
    hostAgent(
      left,
      { reserve: performAs("left"), release: undoAs("left"), tell: performAs("left") },
      options(),
    ),
    hostAgent(right, { charge: performAs("right"), refund: undoAs("right") }, options()),
    hostAgent(north, { reserve: performAs("north"), release: undoAs("north") }, options()),
    hostAgent(south, { reserve: performAs("south"), release: undoAs("south") }, options()),
  ];
}

/** Works for so long, and says so. */
async function beatFor({ clock }: Host, { heartbeat, signal }: StepContext, ms: number) {
  const until = clock.now() + ms;
  while (clock.now() < until) {
    heartbeat();
    await sleep(clock, 100, signal);
    signal.throwIfAborted();
  }
}

/**
 * The sickness of one instance, which now and then cannot reach the service for a while, when
 * others can.
 */
function instanceSickness(world: World, host: Host) {
  const { random, timeline } = world;
  let until = Number.NEGATIVE_INFINITY;
  return {
    isSick(): boolean {
      if (world.healedAt !== null) return false;
      if (timeline.now >= until && world.strikes("instanceSick")) {
        until = timeline.now + 50 + random.below(600);
        world.tell(host.name, () => `is sick until ${until.toFixed(0)}`);
      }
      return timeline.now < until;
    },
    fail(what: string): Promise<never> {
      world.tell(host.name, () => `${what}: has no way to the service`);
      return Promise.reject(new TransientFault("remote.unreachable", "No way to the service"));
    },
  };
}
