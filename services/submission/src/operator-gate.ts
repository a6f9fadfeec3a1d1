import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "./problem.ts";

/** So many wrong tokens of one address within a minute, and it waits for the rest of that minute. */
const wrongTries = 10;
const minute = 60_000;
/** So many addresses are kept apart; the oldest is dropped for the next. */
const mostAddresses = 1_000;

interface Tries {
  count: number;
  readonly until: number;
}

/**
 * Lets only operators pass. Runs before the body is read, so that strangers learn nothing of what a
 * route takes. Counts wrong tokens by address, in the memory of this process.
 */
export function operatorGate(token: string | null, clock: () => number = () => performance.now()) {
  const expected = digest(token ?? "");
  const tries = new Map<string, Tries>();

  const mustNotBeBlocked = (address: string, reply: FastifyReply): void => {
    const known = tries.get(address);
    if (known === undefined) return;
    const left = known.until - clock();
    if (left <= 0) return void tries.delete(address);
    if (known.count < wrongTries) return;
    void reply.header("retry-after", String(Math.ceil(left / 1_000)));
    throw new Problem(
      429,
      "operator.too_many_tries",
      `This address showed ${wrongTries} wrong tokens within a minute. Wait until the minute is over.`,
    );
  };

  const countWrong = (address: string): void => {
    const known = tries.get(address);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    const [oldest] = tries.keys();
    if (tries.size >= mostAddresses && oldest !== undefined) tries.delete(oldest);
    tries.set(address, { count: 1, until: clock() + minute });
  };

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (token === null) {
      throw new Problem(
        403,
        "operator.disabled",
        "Operator routes are disabled: OPERATOR_TOKEN is not set for the submission service.",
      );
    }
    mustNotBeBlocked(request.ip, reply);
    const shown = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
    if (timingSafeEqual(digest(shown), expected)) return;
    countWrong(request.ip);
    throw new Problem(
      401,
      "operator.unknown",
      "Show the operator's token: Authorization: Bearer …",
    );
  };
}

/** Of the same length, whatever it is of. */
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** From so many characters on a token may be used beyond this host. */
const safeLength = 16;
const loopback: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "localhost"]);

/** What is wrong with a token for a service that listens at `host`; null: nothing. */
export function tokenFault(token: string | null, host: string): string | null {
  if (token === null || token.length >= safeLength || loopback.has(host)) return null;
  return `OPERATOR_TOKEN has ${token.length} characters: it must have at least ${safeLength}, because HTTP_HOST is ${host} and not only this host can reach it`;
}
