import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Answer, refusal } from "./answer.ts";
import { type Knobs, latencyOf } from "./knobs.ts";

/**
 * Lets a partner answer as badly as its knobs say: late, with 503, or not at all, before or after
 * the effect.
 */
export async function disturb(
  { request, reply, knobs, random }: Exchange,
  work: () => Promise<Answer>,
): Promise<FastifyReply> {
  if (knobs.down === true) return cutOff(request, reply);
  const latency = latencyOf(knobs, random);
  if (latency > 0) await sleep(latency);
  if (random() < (knobs.errorRate ?? 0)) return send(reply, unavailable);
  const answer = await work();
  const drop = random() < (knobs.applyThenDropRate ?? 0);
  return drop ? cutOff(request, reply) : send(reply, answer);
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly knobs: Knobs;
  readonly random: () => number;
}

const unavailable = refusal(503, "unavailable", "not now");

const send = (reply: FastifyReply, { status, body }: Answer) => reply.code(status).send(body);

function cutOff(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack();
  request.raw.socket.destroy();
  return reply;
}
