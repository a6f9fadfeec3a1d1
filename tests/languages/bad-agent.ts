import { randomUUID } from "node:crypto";
import {
  AgentHeartbeat,
  agentQueue,
  heartbeatExchange,
  heartbeatRoute,
  replyExchange,
  replyRoute,
  StepReply,
  StepRequest,
} from "@holdfast/contracts";
import { userOf } from "@holdfast/messaging";
import { type ConsumeMessage, connect } from "amqplib";

/** How an Agent breaks the protocol. */
export type Badness =
  | "none"
  | "replies twice"
  | "replies late"
  | "forgets the key"
  | "names no user"
  | "has a wrong token"
  | "is nearly right"
  | "acknowledges first"
  | "carries out everything"
  | "is silent";

const slowMs = 1_000;

const heartbeatOf = (agent: string): Buffer =>
  AgentHeartbeat.encode({
    agent,
    instance: "bad",
    capacity: 1,
    inFlight: 0,
    breaker: "closed",
    openForMs: 0,
    operations: ["work"],
  });

/** An Agent by hand, with one fault. Disposing stops it as SIGTERM would. */
export async function startBadAgent(url: string, agent: string, badness: Badness) {
  const connection = await connect(url, { noDelay: true });
  connection.on("error", () => {});
  const channel = await connection.createConfirmChannel();
  const userId = badness === "names no user" ? undefined : userOf(url);
  const publish = (exchange: string, route: string, type: string, body: Buffer) =>
    channel.publish(exchange, route, body, { type, ...(userId && { userId }) });
  const beat = () =>
    publish(heartbeatExchange, heartbeatRoute(agent), AgentHeartbeat.type, heartbeatOf(agent));
  const timer = setInterval(beat, 500);
  const reply = ({ taskId, step, attempt, token }: StepRequest, outcome: StepReply["outcome"]) =>
    publish(
      replyExchange,
      replyRoute(agent, taskId),
      StepReply.type,
      StepReply.encode({
        taskId,
        step,
        attempt,
        token: badness === "has a wrong token" ? randomUUID() : token,
        outcome: badness === "is nearly right" ? ({ ...outcome, kind: "done" } as never) : outcome,
      }),
    );
  const perform = (request: StepRequest): StepReply["outcome"] => {
    if (request.operation !== "work" && badness !== "carries out everything") {
      const code = "agent.unknown_operation";
      return { kind: "failed", code, message: code, transient: false };
    }
    const output = badness === "forgets the key" ? randomUUID() : request.idempotencyKey;
    return { kind: "completed", output };
  };
  const handle = async (message: ConsumeMessage): Promise<void> => {
    if (message.content.length > 1_048_576) return channel.reject(message, false);
    const request = StepRequest.decode(message.content);
    if (badness === "acknowledges first") channel.ack(message);
    const { slow } = (request.input ?? {}) as { readonly slow?: boolean };
    const takes = slow === true ? slowMs : 0;
    await new Promise((resolve) => setTimeout(resolve, takes));
    const outcome = perform(request);
    const isLate = takes > request.workMs && badness !== "replies late";
    if (badness !== "is silent" && !isLate) reply(request, outcome);
    if (badness === "replies twice")
      reply(request, { kind: "completed", output: "something else" });
    if (badness !== "acknowledges first") channel.ack(message);
  };
  await channel.consume(agentQueue(agent), (message) => {
    if (message === null) return;
    handle(message).catch(() => channel.reject(message, false));
  });
  beat();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await connection.close().catch(() => {});
    },
  };
}
