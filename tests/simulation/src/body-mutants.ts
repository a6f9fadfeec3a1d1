import { StepRequest } from "@holdfast/contracts";
import type { Delivery } from "@holdfast/messaging";
import { epoch, type Host, type SimulatedBroker } from "@holdfast/testing/simulator";
import type { Mutation } from "./mutation.ts";

/** Processes that read or keep the text of a message in another way, by name. The simulation must find each of them. */
export const bodyMutants: Readonly<Record<string, Mutation>> = {
  "what no schema names is written out once more after the commit": repliesHandled(
    (handle) => async (batch) => {
      await handle(batch);
      for (const { body } of batch) JSON.stringify(parsed(body));
    },
  ),
  "fields of a reply are inherited": repliesRead((text) => {
    const { __proto__: inherited, ...own } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return JSON.stringify({ ...own, ...(inherited as object | undefined) });
  }),
  "of a key that a reply has twice the first one counts": repliesRead((text) =>
    text.replace(/("token":"[^"]*"),"token":"[^"]*"/, "$1"),
  ),
  "an Agent goes by the instant in its request": {
    brokerPort: (port, host) =>
      host.role === "agent"
        ? {
            ...port,
            consume: (queue, options, handle) =>
              port.consume(queue, options, (delivery) => handle(untilInstant(delivery, host))),
          }
        : port,
  },
};

/** A request whose time to work ends at the instant that it names, by the clock of the host that reads it. */
function untilInstant(delivery: Delivery, { clock }: Host): Delivery {
  const request = StepRequest.decode(delivery.body);
  const left = Math.ceil(Date.parse(request.completeBy) - epoch - clock.now());
  const workMs = Math.min(Math.max(1, left), 1_000_000);
  return { ...delivery, body: StepRequest.encode({ ...request, workMs }) };
}

type Handle = (batch: readonly Delivery[]) => Promise<void>;

function repliesHandled(edit: (handle: Handle) => Handle): Mutation {
  return {
    brokerPort: (port: SimulatedBroker, host: Host) =>
      host.role === "scheduler"
        ? {
            ...port,
            consumeShared: (queues, options, handle) =>
              port.consumeShared(queues, options, edit(handle)),
          }
        : port,
  };
}

/** Replies come with another text: where it cannot be edited, as it was. */
function repliesRead(edit: (text: string) => string): Mutation {
  const edited = (delivery: Delivery): Delivery => {
    try {
      return { ...delivery, body: Buffer.from(edit(delivery.body.toString())) };
    } catch {
      return delivery;
    }
  };
  return repliesHandled((handle) => (batch) => handle(batch.map(edited)));
}

/** Null: it is no JSON. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return null;
  }
}
