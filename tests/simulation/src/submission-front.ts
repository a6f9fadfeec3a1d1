import { compileTaskInput } from "@holdfast/contracts";
import { Fault, type WorkflowDefinition } from "@holdfast/domain";
import { wakeHint } from "@holdfast/messaging";
import { Problem, taskSubmitter, workflowDirectory } from "@holdfast/submission-service";
import type { Host } from "@holdfast/testing/simulator";
import type { PortsOf } from "./ports.ts";
import type { Order } from "./scenario.ts";
import type { World } from "./world.ts";

/** What a submitter learns of one request. `unknown`: the task may have been taken or not. */
export type Answer =
  | { readonly kind: "accepted"; readonly taskId: string }
  | { readonly kind: "refused"; readonly code: string }
  | { readonly kind: "unknown" };

type Take = (order: Order) => Promise<Answer>;

/** The processes that take submissions, and the way of submitters to them. */
export interface SubmissionFront {
  /** Takes submissions in this process until `stop` aborts. */
  serve(host: Host, ports: ReturnType<PortsOf>, stop: AbortSignal): Promise<void>;
  submit(client: Host, order: Order): Promise<Answer>;
}

/** Milliseconds that a submitter waits for an answer. */
const timeout = 1_500;

export function submissionFront(world: World): SubmissionFront {
  const { random, timeline } = world;
  const open = new Map<Host, Take>();
  return {
    async serve(host, ports, stop) {
      open.set(host, taking(host, ports));
      host.onDeath(() => open.delete(host));
      const { promise: stopped, resolve } = Promise.withResolvers<void>();
      stop.addEventListener("abort", () => resolve(), { once: true });
      await stopped;
    },
    submit(client, order) {
      const { promise, resolve } = Promise.withResolvers<Answer>();
      const giveUp = client.clock.after(timeout, () => resolve({ kind: "unknown" }));
      const answer = (said: Answer): void =>
        timeline.after(world.latency(), () =>
          client.act(() => {
            giveUp();
            resolve(said);
          }),
        );
      timeline.after(world.latency(), () => {
        if (open.size === 0) return answer({ kind: "unknown" });
        const [host, take] = random.pick([...open]);
        host.actAtRisk(() => void take(order).then((said) => host.act(() => answer(said))));
      });
      return promise;
    },
  };
}

const learns = { workflowNames: () => true, reader: () => "stranger" as const };

/** The real directory, reading and taking of tasks, as one process has them. */
function taking({ name: actor, failpoint }: Host, ports: ReturnType<PortsOf>): Take {
  const { store, broker, clock } = ports;
  const directory = workflowDirectory(store, { clock, compile: compiled });
  const hint = wakeHint(broker);
  const submitter = taskSubmitter({ store, directory, hint, failpoint, actor, clock });
  return async (order) => {
    const asked = {
      submission: submissionOf(order),
      submittedBy: null,
      allowsUnknownAgents: false,
    };
    try {
      const { taskId } = await submitter.submit({ ...asked, learns }, waiting);
      return { kind: "accepted", taskId };
    } catch (error) {
      if (error instanceof Fault && error.transient) return { kind: "unknown" };
      const isKnown = error instanceof Problem || error instanceof Fault;
      return { kind: "refused", code: isKnown ? error.code : String(error) };
    }
  };
}

/** What a caller is that waits until it is answered. */
const waiting = { bodyBytes: 100, onGone: () => {} };

function submissionOf({ name, wanted, priority, asked, definition }: Order) {
  const { workflow = definition.name, hasCoupon = false } = asked ?? {};
  const input = { order: name, wanted, ...(hasCoupon ? { coupon: "ten" } : {}) };
  return { workflow, input, priority, idempotencyKey: name.replace(" ", "-") };
}

const checks = new WeakMap<WorkflowDefinition, ReturnType<typeof compileTaskInput>>();

/** Compiled once for each definition, and not for each of thousands of processes. */
function compiled(definition: WorkflowDefinition): ReturnType<typeof compileTaskInput> {
  const check = checks.get(definition) ?? compileTaskInput(definition);
  checks.set(definition, check);
  return check;
}
