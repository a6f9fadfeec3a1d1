import { type FieldFault, faultSentence, limits } from "@holdfast/contracts";
import {
  Fault,
  type FaultCode,
  type Json,
  printablePattern,
  readablePattern,
} from "@holdfast/domain";
import { noRoom, problemBody, problemType } from "@holdfast/runtime/http";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { challengeTo } from "./bearer.ts";

/** An answer to a request that cannot be granted: RFC 9457, with a stable `code`. */
export class Problem extends Error {
  readonly status: number;
  readonly code: Fault["code"];
  /** The errors, at most `limits.refusals`, however many there were. */
  readonly errors: readonly FieldFault[];
  /** Members of the answer beside those of every problem. */
  readonly more: Readonly<Record<string, Json>>;

  // oxlint-disable-next-line max-params
  constructor(
    status: number,
    code: Fault["code"],
    detail: string,
    errors: readonly FieldFault[] = [],
    more: Readonly<Record<string, Json>> = {},
  ) {
    super(detail);
    this.status = status;
    this.code = code;
    this.errors = errors.slice(0, limits.refusals).map(shortened);
    this.more = more;
  }
}

/** A name of a field may be as long as a body, and stand in each error below it. */
const shortened = ({ pointer, detail }: FieldFault): FieldFault => ({
  pointer: pointer.slice(0, limits.words).toWellFormed(),
  detail: detail.slice(0, limits.words).toWellFormed(),
});

/**
 * The answer to a request that does not fit its schema, or a rule beside it. `part` is what of it
 * does not.
 */
export function invalidRequest(faults: readonly FieldFault[], part?: string): Problem {
  const shown = faults.slice(0, limits.refusals).map(shortened);
  return new Problem(422, "request.invalid", faultSentence(shown, part), shown);
}

/** A part of a body that a workflow judges: the pointer to it, and what it is. */
export interface JudgedPart {
  readonly pointer: string;
  readonly is: "input" | "signal" | "form";
}

/**
 * The answer to JSON that would be changed by being read. What is wrong below the part that a
 * workflow judges is answered as what the workflow refuses; null: there is none.
 */
export function changedJson(faults: readonly FieldFault[], judged: JudgedPart | null): Problem {
  const isJudged = ({ pointer }: FieldFault): boolean =>
    judged !== null && (pointer === judged.pointer || pointer.startsWith(`${judged.pointer}/`));
  if (judged === null || !faults.every(isJudged)) return invalidRequest(faults);
  const errors = faults.map(({ pointer, detail }) => ({
    pointer: pointer.slice(judged.pointer.length),
    detail,
  }));
  const shown = errors.map(shortened);
  switch (judged.is) {
    case "input":
      return new Problem(422, "task.invalid", faultSentence(shown, "input"), errors);
    case "signal":
      return new Problem(400, "signal.invalid", faultSentence(shown, "payload"), errors);
    case "form":
      return new Problem(400, "approval.form_invalid", faultSentence(shown, "form"), errors);
  }
}

/**
 * What is said of the payload of a signal that would be changed by being read, where `payload` is
 * its pointer; of what is beside it, as of other requests.
 */
export function changedPayload(faults: readonly FieldFault[], payload: string): Problem {
  if (!faults.every(({ pointer }) => pointer.startsWith(`${payload}/`) || pointer === payload)) {
    return invalidRequest(faults);
  }
  const errors = faults.map(({ pointer, detail }) => ({
    pointer: pointer.slice(payload.length),
    detail,
  }));
  return new Problem(
    400,
    "signal.invalid",
    faultSentence(errors.map(shortened), "payload"),
    errors,
  );
}

/** The answer to a request that no route takes. */
export const noRoute = ({ method, url }: { readonly method: string; readonly url: string }) =>
  new Problem(404, "request.no_route", `There is no ${method} ${url}.`);

/** Logs that a request was answered 503, and why. */
export type LogRefusal = (err: unknown, requestId: string) => void;

/** Remembers since when requests wait for the store: those that read, and those that write. */
export interface StoreOutage {
  /** The instant of the first refusal of the outage that lasts. */
  refused(method: string): number;
  /** A request was answered: for its kind there is no outage. */
  answered(method: string): void;
}

/**
 * Opens the memory of outages. Writes may be refused while what only reads is answered, as by a
 * standby.
 */
export function storeOutage(now: () => number = Date.now): StoreOutage {
  const since: Record<"read" | "write", number | null> = { read: null, write: null };
  return {
    refused: (method) => (since[kindOf(method)] ??= now()),
    answered: (method) => void (since[kindOf(method)] = null),
  };
}

const kindOf = (method: string) => (method === "GET" || method === "HEAD" ? "read" : "write");

/** Turns whatever a route threw into an answer that says what to do. */
export const sendProblem =
  (logRefusal: LogRefusal, outage: StoreOutage) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const isOutage = isStoreFault(error);
    const problem = toProblem(error, isOutage ? outage.refused(request.method) : undefined);
    const { status } = problem;
    if (status === 503) {
      // A client that has gone is no trouble of ours.
      if (problem.code !== "request.withdrawn") logRefusal(error, request.id);
      void reply.header("retry-after", "1");
    } else if (status === 401) {
      void reply.header("www-authenticate", challengeTo(request.headers));
    } else if (status >= 500) request.log.error({ err: error }, "request failed");
    // The framework closes the connection after a body that it did not read to its end, and the
    // reset can overtake the answer. Node discards the rest instead, for as long as a request may
    // take.
    if (request.server.server.listening) void reply.removeHeader("connection");
    // Of an answer that failed before its first byte was sent.
    void reply.removeHeader("content-encoding");
    const body = problemBody(problem, request.id);
    return reply.code(status).header("content-type", problemType).send(body);
  };

/** What the framework refuses, under names that stay when the framework goes. */
const codes: Readonly<Record<string, FaultCode>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: "request.not_json",
  FST_ERR_CTP_EMPTY_JSON_BODY: "request.empty",
  FST_ERR_CTP_BODY_TOO_LARGE: "request.too_large",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "request.media_type_unsupported",
  FST_ERR_BAD_URL: "request.url_invalid",
  FST_ERR_MAX_PARAM_LENGTH: "request.url_too_long",
};

const unstorable =
  "must be text that can be stored and commands no terminal: without control characters and halves of characters";
/**
 * The patterns of texts that can be stored. Any other stands for a form that the description of its
 * field says.
 */
const storable: Readonly<Record<string, string>> = {
  [readablePattern]: unstorable,
  [printablePattern]: `${unstorable}, on one line`,
};

type SchemaFault = NonNullable<FastifyError["validation"]>[number] & {
  /** The schema of the field: validators are verbose. */
  readonly parentSchema?: { readonly pattern?: string; readonly description?: string };
};

/** What a schema says of a fault, in words for people. */
function fieldFault({ instancePath, message, keyword, params, parentSchema }: SchemaFault) {
  const { additionalProperty, allowedValues, allowedValue } = params;
  const extra = Array.isArray(allowedValues)
    ? allowedValues.join(", ")
    : (additionalProperty ?? allowedValue);
  const { pattern = "", description = "as its route says" } = parentSchema ?? {};
  const isText = keyword === "pattern" || keyword === "maxLength" || keyword === "minLength";
  const form = `must be as described: ${description}`;
  const known = keyword === "pattern" ? storable[pattern] : message;
  const detail = isText && pattern !== "" && !(pattern in storable) ? form : (known ?? "");
  const end = typeof extra === "string" ? `: ${extra}` : "";
  return { pointer: instancePath, detail: `${detail}${end}` };
}

/** What fastify calls a part of a request, in words for people. */
const parts: Readonly<Record<string, string>> = {
  body: "body",
  querystring: "query",
  params: "path",
  headers: "head",
};

const isStoreFault = (error: unknown): error is Fault =>
  error instanceof Fault && error.transient && error.code.startsWith("store.");

/**
 * What keeps the store from doing what was asked, by the class of Postgres' error. Otherwise it
 * does not answer.
 */
const storeTroubles: readonly (readonly [sqlstate: RegExp, words: string])[] = [
  [/^25006$/, "takes no writes: it is a standby, or set to read only"],
  [/^53100$/, "takes no writes: its disk is full"],
  [/^53/, "has no memory or no connection left"],
  [/^(28|3D000|42501)/, "does not let this service log in"],
  [/^57014$/, "did not do this in time"],
  [/^(40|55P03)/, "has other requests that hold what this one changes"],
];

const notAnswering = "A server that this needs does not answer";

function troubleOf({ code, details }: Fault): string {
  if (code === "store.outcome_unknown") return "was lost before it said whether this is done";
  const sqlstate = String(details["sqlstate"]);
  const [, words] = storeTroubles.find(([pattern]) => pattern.test(sqlstate)) ?? [];
  return words ?? "does not answer";
}

/**
 * What a client is answered to whatever was thrown. `since`: when requests of its kind began to
 * wait for the store.
 */
export function toProblem(error: unknown, since?: number): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Fault && error.transient) {
    const time = since === undefined ? "" : ` (since ${new Date(since).toISOString()})`;
    const what = isStoreFault(error) ? `The state store ${troubleOf(error)}` : notAnswering;
    const detail = `${what}${time}. Send the same request again, with the same Idempotency-Key.`;
    return new Problem(503, error.code, error.code === noRoom.code ? noRoom.message : detail);
  }
  const { statusCode, code, message, validation, validationContext = "" } = error as FastifyError;
  if (validation !== undefined) {
    // A text that is too long breaks its pattern, too, and is said to once.
    const faults = new Map(validation.map(fieldFault).map((one) => [JSON.stringify(one), one]));
    return invalidRequest([...faults.values()], parts[validationContext]);
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new Problem(statusCode, codes[code] ?? "request.invalid", message);
  }
  return new Problem(500, "request.failed", "Something went wrong on our side.");
}
