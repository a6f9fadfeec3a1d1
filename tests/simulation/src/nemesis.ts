import {
  heartbeatQueue,
  replyExchange,
  replyQueues,
  replyRoute,
  StepReply,
} from "@holdfast/contracts";
import { agentOf, isFinished, type ProcessingStep, stepsOf } from "@holdfast/domain";
import type { OutgoingMessage } from "@holdfast/messaging";
import {
  type MemoryBroker,
  type MemoryStore,
  replaceStep,
  type StoredTask,
  type StoreWatcher,
} from "@holdfast/testing/simulator";
import { type Facts, nameOf } from "./facts.ts";
import type { World } from "./world.ts";

interface Options {
  readonly store: MemoryStore;
  readonly broker: MemoryBroker;
  readonly facts: Facts;
}

/** Queues that give nothing out at the same time. */
const heldTogether = [replyQueues, [heartbeatQueue]];

/** Milliseconds between two of its rounds. */
const rest = 120;

/** Milliseconds since which what is forgotten was forgotten: the sweep lets younger tasks be. */
const longAgo = 55_000;

/** Does by itself what needs no process to go wrong: until the healing. */
export function unleashNemesis(world: World, { store, broker, facts }: Options): void {
  const { random, timeline } = world;
  const unfinished = (): readonly StoredTask[] =>
    [...store.tasks.values()].filter(({ task }) => !isFinished(task));

  /**
   * Has the store forget a plan where nothing else is left to wait for: otherwise the next move
   * would plan it again.
   */
  const forgetPlan = (): void => {
    for (const stored of unfinished()) {
      const moving = stepsOf(stored.task).filter(({ processState }) =>
        ["pending", "processing", "error"].includes(processState),
      );
      const [step] = moving;
      if (moving.length !== 1 || step?.processState !== "pending" || step.attempt > 0) continue;
      const { notBefore: _due, ...rested } = step;
      const { name } = step.plan;
      replaceStep(stored, { ...rested, processState: "waiting" });
      stored.ranks.delete(name);
      stored.updatedAt -= longAgo;
      const known = facts.tasks.get(stored.task.taskId)?.steps.get(name);
      if (known !== undefined) known.state = "waiting";
      return world.tell("nemesis", () => `forgets that ${nameOf(stored.task.taskId, name)} is due`);
    }
  };

  const forge = (): void => {
    const inHand = unfinished().flatMap(({ task }) =>
      stepsOf(task).flatMap((step) =>
        step.processState === "processing" ? [{ taskId: task.taskId, step }] : [],
      ),
    );
    if (inHand.length === 0) return;
    const { taskId, step } = random.pick(inHand);
    const { what, ...message } = forgery(random.below(6), taskId, step);
    world.tell("nemesis", () => `forges a reply for ${nameOf(taskId, step.plan.name)}: ${what}`);
    broker.store(message);
  };

  const round = (): void => {
    if (world.healedAt !== null) return;
    const filled = broker.filledQueues();
    if (filled.length > 0 && world.strikes("queuePurged")) broker.purge(random.pick(filled));
    if (world.strikes("queuesHeld")) {
      broker.hold(random.pick(heldTogether), 500 + random.below(8_000));
    }
    if (world.strikes("brokerInNeed")) {
      const ms = 300 + random.below(3_000);
      broker.beInNeed(ms);
      facts.needs.push({ from: timeline.now, to: timeline.now + ms });
    }
    if (world.strikes("forgedReply")) forge();
    if (world.strikes("planForgotten")) forgetPlan();
    timeline.aside(rest, round);
  };
  timeline.aside(rest, round);
}

/** Milliseconds after what comes for a step within which a Scheduler dies by it. */
const soon = 200;

/**
 * Kills Schedulers when a signal has come, or people have decided, and none of them has seen it
 * yet.
 */
export function killAtArrivals(world: World): StoreWatcher {
  const { random, timeline } = world;
  const killBy = (kind: "signalCrash" | "decisionCrash") => (): void => {
    const living = [...world.schedulers];
    if (living.length === 0 || !world.strikes(kind)) return;
    const { kill } = random.pick(living);
    timeline.after(random.below(soon), kill);
  };
  return {
    submitted() {},
    claimed() {},
    confirmed() {},
    resent() {},
    decided() {},
    signalled: killBy("signalCrash"),
    counted: killBy("decisionCrash"),
  };
}

const stranger = "00000000-0000-4000-8000-0000ffffffff";

/**
 * A reply to a processing step that no Agent gave: in one thing it is wrong, and must be refused
 * for it.
 */
function forgery(
  kind: number,
  taskId: string,
  step: ProcessingStep,
): OutgoingMessage & { readonly what: string } {
  const { plan, attempt, token } = step;
  const mine = agentOf(step);
  const outcome = { kind: "completed", output: { id: "forged" } } as const;
  const right = { taskId, step: plan.name, attempt, token, outcome };
  const other =
    plan.pool?.agents.find((agent) => agent !== mine) ?? (mine === "left" ? "right" : "left");
  const message = (
    what: string,
    reply: StepReply,
    { agent = mine, ...user }: { agent?: string; userId?: string } = { userId: mine },
  ) => ({
    what,
    exchange: replyExchange,
    routingKey: replyRoute(agent, taskId),
    type: StepReply.type,
    messageId: `forged:${taskId}:${plan.name}:${attempt}`,
    body: StepReply.encode(reply),
    ...user,
  });
  switch (kind) {
    case 0:
      return message("a wrong token", { ...right, token: stranger });
    case 1:
      return message("a wrong attempt", { ...right, attempt: attempt + 1 });
    case 2:
      return message("from another Agent", right, { agent: other, userId: other });
    case 3:
      return message("from no user", right, {});
    case 4:
      return message("for another step", { ...right, step: plan.name === "a" ? "b" : "a" });
    default:
      return { ...message("unreadable", right), body: Buffer.from("{") };
  }
}
