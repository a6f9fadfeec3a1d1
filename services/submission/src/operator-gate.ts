import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Metrics } from "@holdfast/runtime";
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from "fastify";
import { refusalOf, tokenIn } from "./bearer.ts";
import { httpMetrics } from "./http-metrics.ts";
import { Problem } from "./problem.ts";

/**
 * Wrong tokens of one address within a minute from which on further ones wait for the rest of that
 * minute.
 */
const wrongTries = 10;
const minute = 60_000;
/** Addresses that are kept apart; the oldest is dropped for the next. */
const mostAddresses = 1_000;

interface Tries {
  count: number;
  readonly until: number;
}

interface GateDependencies {
  readonly log: Pick<FastifyBaseLogger, "warn">;
  readonly metrics: Pick<Metrics, "counter">;
  readonly clock?: () => number;
}

/** Knows operators by their token. */
export interface OperatorGate {
  /** Whether a request shows the right token. */
  readonly isOperator: (headers: IncomingHttpHeaders) => boolean;
  /** Lets only operators pass. */
  readonly onRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

/**
 * Lets only operators pass. Runs before the body is read, so that strangers learn nothing of what a
 * route takes. The right token passes always, so that no stranger shuts operators out. Wrong ones
 * are counted by address, in the memory of this process. A request without a token is no try: a
 * page asks so whether it needs one.
 */
export function operatorGate(
  token: string | null,
  { log, metrics, clock = () => performance.now() }: GateDependencies,
): OperatorGate {
  const expected = digest(token ?? "");
  const tries = new Map<string, Tries>();
  const refused = metrics.counter(httpMetrics.refusedTokens);

  const isOperator = (headers: IncomingHttpHeaders): boolean => {
    const shown = tokenIn(headers);
    return token !== null && shown !== "" && timingSafeEqual(digest(shown), expected);
  };
  const triesOf = (block: string): Tries => {
    const known = tries.get(block);
    if (known !== undefined && known.until > clock()) return known;
    tries.delete(block);
    const [oldest] = tries.keys();
    if (tries.size >= mostAddresses && oldest !== undefined) tries.delete(oldest);
    const begun = { count: 0, until: clock() + minute };
    tries.set(block, begun);
    return begun;
  };
  const countWrong = (request: FastifyRequest, reply: FastifyReply): void => {
    const { address, block } = request.server.guard.callerOf(request.raw);
    const found = triesOf(block);
    found.count += 1;
    refused(1);
    // A guesser would fill the disk.
    if (found.count === 1 || found.count === wrongTries) {
      log.warn({ address, wrong: found.count, requestId: request.id }, "operator token refused");
    }
    if (found.count <= wrongTries) return;
    void reply.header("retry-after", String(Math.ceil((found.until - clock()) / 1_000)));
    throw new Problem(
      429,
      "auth.too_many_tries",
      `This address showed ${wrongTries} wrong tokens within a minute. Show the right one, or wait until the minute is over.`,
    );
  };

  return {
    isOperator,
    async onRequest(request, reply) {
      if (token === null) {
        throw new Problem(
          403,
          "auth.disabled",
          "Operator routes are disabled: OPERATOR_TOKEN is not set for the submission service.",
        );
      }
      if (isOperator(request.headers)) return;
      if (tokenIn(request.headers) !== "") countWrong(request, reply);
      throw new Problem(
        401,
        refusalOf(request.headers),
        "Show the operator's token: Authorization: Bearer …",
      );
    },
  };
}

/** A digest of the same length, whatever it is of. */
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
