import { expect, test } from "@jest/globals";
import { agentOfReply, ownReplyQueues, replyQueue, replyRoute } from "./topology.ts";

test("a reply's Agent is read from the route under which the broker let it through", () => {
  const routes = [undefined, ...ownReplyQueues].map((queue) =>
    replyRoute("payments", "t-1", queue),
  );
  expect(routes.map(agentOfReply)).toEqual(routes.map(() => "payments"));
});

test.each([
  ["the name of the common queue, by the default exchange", replyQueue],
  ["the name of another queue of replies", ownReplyQueues[0] ?? ""],
  ["another first word", "replies.payments.t-1"],
  ["no task", "reply.payments"],
  ["no Agent", "reply..t-1"],
  ["more words", "reply.payments.t-1.more"],
  ["nothing", ""],
])("a routing key that is %s names no Agent", (_, routingKey) => {
  expect(agentOfReply(routingKey)).toBeNull();
});
