import { expect, test } from "@jest/globals";
import { openLive } from "./open-live.ts";

/** A stream of the service that a test writes to. */
function connection() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const say = (event: string, data: object) =>
    writer.write(new TextEncoder().encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
  return { response: new Response(readable), say, cut: () => writer.abort(new Error("cut")) };
}

test("each connection begins with its first event, before what that event says is passed on", async () => {
  const connections = [connection(), connection()] as const;
  const [first, second] = connections;
  const waiting = connections.map(({ response }) => response);
  const live = openLive({ open: async () => waiting.shift() ?? Promise.race([]) });
  const calls: string[] = [];
  let waiter = Promise.withResolvers<void>();
  live.listen({
    onBegun: () => calls.push("begun"),
    onOverview: () => calls.push("overview"),
    onChanged: (_, more) => {
      calls.push(`changed, ${more} more`);
      waiter.resolve();
    },
  });
  const stop = live.start();
  await first.say("tick", { overview: {} });
  await first.say("changed", { tasks: [], more: 1 });
  await waiter.promise;
  expect(calls).toEqual(["begun", "overview", "changed, 1 more"]);
  waiter = Promise.withResolvers();
  await first.cut();
  await second.say("changed", { tasks: [], more: 2 });
  await waiter.promise;
  expect(calls.slice(3)).toEqual(["begun", "changed, 2 more"]);
  stop();
  await second.cut();
});
