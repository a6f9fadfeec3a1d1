import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Answer, refusal } from "./answer.ts";
import { type FaultSettings, latencyOf } from "./fault-settings.ts";

/**
 * Lets a partner answer as badly as its fault settings say: late, with 503, or not at all, before
 * or after the effect.
 */
export async function disturb(
  { request, reply, faultSettings, random }: Exchange,
  work: () => Promise<Answer>,
): Promise<FastifyReply> {
  if (faultSettings.down === true) return cutOff(request, reply);
  const latency = latencyOf(faultSettings, random);
  if (latency > 0) await sleep(latency);
  if (random() < (faultSettings.errorRate ?? 0)) return send(reply, unavailable);
  const answer = await work();
  const drop = random() < (faultSettings.applyThenDropRate ?? 0);
  return drop ? cutOff(request, reply) : send(reply, answer);
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly faultSettings: FaultSettings;
  readonly random: () => number;
}

const unavailable = refusal(503, "unavailable", "not now");

const send = (reply: FastifyReply, { status, body }: Answer) => reply.code(status).send(body);

function cutOff(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack();
  request.raw.socket.destroy();
  return reply;
}
