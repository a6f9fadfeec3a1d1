import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Fault } from "@holdfast/domain";
import type { Metrics } from "@holdfast/runtime";
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "./access/principal.ts";
import type { Principals } from "./access/principals.ts";
import { tokenIn } from "./bearer.ts";
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
  /** Who is who; null or absent: there are no principals. */
  readonly principals?: Pick<Principals, "read"> | null;
  readonly log: Pick<FastifyBaseLogger, "warn">;
  readonly metrics: Pick<Metrics, "counter">;
  readonly clock?: () => number;
}

/** Knows operators by their token, and others by what the access file says that they show. */
export interface OperatorGate {
  /** Whether a request shows the right token. */
  readonly isOperator: (headers: IncomingHttpHeaders) => boolean;
  /** Lets only operators pass. */
  readonly onRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /**
   * Who sends a request; null: it shows no token, or that of operators. Throws a 401 for a token
   * that is neither, which is counted, and a 403 for a valid one that no rule gives any right.
   * Throws `auth.issuer_unavailable` where that cannot be known now.
   */
  readonly identify: Identify;
  /** Who sends a request, for what others may see without a token: null for all that is unknown. */
  readonly recognize: (headers: IncomingHttpHeaders) => Promise<Principal | null>;
  /** Whether there is an access file. */
  readonly hasPrincipals: boolean;
}

type Identify = (request: FastifyRequest, reply: FastifyReply) => Promise<Principal | null>;

/**
 * Knows who sends a request. Runs before the body is read, so that strangers learn nothing of what
 * a route takes. The right token passes always, so that no stranger shuts operators out. Wrong ones
 * are counted by address, in the memory of this process. A request without a token is no try: a
 * page asks so whether it needs one.
 */
export function operatorGate(
  token: string | null,
  { principals = null, log, metrics, clock = () => performance.now() }: GateDependencies,
): OperatorGate {
  const expected = digest(token ?? "");

  const isOperator = (headers: IncomingHttpHeaders): boolean => {
    const shown = tokenIn(headers);
    return token !== null && shown !== "" && timingSafeEqual(digest(shown), expected);
  };
  const countWrong = wrongTokens({ log, metrics, clock });

  const identifyOr = async (
    words: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Principal | null> => {
    const shown = tokenIn(request.headers);
    if (shown === "" || isOperator(request.headers)) return null;
    const found = (await principals?.read(shown)) ?? "wrong";
    if (found === "unassigned") throw unassigned();
    if (found !== "wrong") return found;
    countWrong(request, reply);
    throw new Problem(401, "auth.token_wrong", words);
  };

  return {
    isOperator,
    identify: (request, reply) => identifyOr(wrongWords, request, reply),
    hasPrincipals: principals !== null,
    async recognize(headers) {
      const shown = tokenIn(headers);
      if (principals === null || shown === "" || isOperator(headers)) return null;
      const found = await principals.read(shown).catch(unknownMeanwhile);
      return typeof found === "string" ? null : found;
    },
    async onRequest(request, reply) {
      if (token === null) {
        throw new Problem(
          403,
          "auth.disabled",
          "Operator routes are disabled: OPERATOR_TOKEN is not set for the submission service.",
        );
      }
      if (isOperator(request.headers)) return;
      const principal = await identifyOr(operatorWords, request, reply);
      if (principal !== null) throw operatorsOnly(principal);
      throw new Problem(401, "auth.token_missing", operatorWords);
    },
  };
}

/** Takes the tokens of an issuer for unknown while that does not answer. */
function unknownMeanwhile(error: unknown): null {
  if (error instanceof Fault && error.transient) return null;
  throw error;
}

const operatorWords = "Show the operator's token: Authorization: Bearer …";
const wrongWords =
  "The token of the request is neither that of operators nor of a principal: show Authorization: Bearer … with another one.";

const unassigned = () =>
  new Problem(
    403,
    "access.denied",
    "The token is valid, and no rule in the file that ACCESS_FILE names gives its bearer any right.",
  );

const operatorsOnly = ({ id }: Principal) =>
  new Problem(403, "access.denied", `Only operators may do this, with their token, and not ${id}.`);

/**
 * Counts wrong tokens by address. Throws a 429 once there were too many of one within a minute.
 */
function wrongTokens({
  log,
  metrics,
  clock,
}: Pick<Required<GateDependencies>, "log" | "metrics" | "clock">) {
  const tries = new Map<string, Tries>();
  const refused = metrics.counter(httpMetrics.refusedTokens);
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
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const { address, block } = request.server.guard.callerOf(request.raw);
    const found = triesOf(block);
    found.count += 1;
    refused(1);
    // A guesser would fill the disk.
    if (found.count === 1 || found.count === wrongTries) {
      log.warn({ address, wrong: found.count, requestId: request.id }, "token refused");
    }
    if (found.count <= wrongTries) return;
    void reply.header("retry-after", String(Math.ceil((found.until - clock()) / 1_000)));
    throw new Problem(
      429,
      "auth.too_many_tries",
      `This address showed ${wrongTries} wrong tokens within a minute. Show the right one, or wait until the minute is over.`,
    );
  };
}

/** A digest of the same length, whatever it is of. */
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
