import { isLoopback } from "@holdfast/runtime";
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import { refusalOf } from "../bearer.ts";
import type { OperatorGate } from "../operator-gate.ts";
import { Problem } from "../problem.ts";
import type { Principal } from "./principal.ts";

declare module "fastify" {
  interface FastifyRequest {
    /**
     * Who sends it; null: it is not known, or the route does not ask. Set by the guards of
     * `Access`.
     */
    principal: Principal | null;
  }
}

/**
 * What a stranger, a caller who shows no operators' token, is refused unless `ANONYMOUS_MAY` names
 * it. Each with the words that follow "ask for".
 */
export const anonymousPermissions = {
  urgent: "the priority urgent",
  weight: "a fairness weight above 1",
  "reply-to": "statuses in a queue (reply-to)",
  "unknown-agents": "a task whose Agents are unknown (allowUnknownAgents)",
  later: "a beginning that is more than 30 days away (notBefore)",
  "workflow-names": "names of workflows that look like an unknown one",
  "read-by-key": "a task by its business key, which can be guessed",
} as const;
export type AnonymousPermission = keyof typeof anonymousPermissions;

const everyPermission = Object.keys(anonymousPermissions) as AnonymousPermission[];

/** The reader of an answer: operators alone see who of them acted, and why. */
export type Reader = "operator" | "stranger";

/** What a refusal may say. */
export interface Learns {
  /** Whether it may name workflows that look like an unknown one. */
  readonly workflowNames: () => boolean;
  readonly reader: () => Reader;
}

type Asking = Pick<FastifyRequest, "headers">;

/** What a request may ask for and learn, by what it shows. */
export interface Access {
  readerOf(request: Asking): Reader;
  /** Asked for a refusal only. */
  learns(request: Asking): Learns;
  /** Throws a 403 that says what to do, if the request may not ask for that. */
  mustBeAllowed(request: Asking, permission: AnonymousPermission): void;
  /** Whether the request may see a task by its id. */
  mayRead(request: Asking): boolean;
  /** The guards of the routes that show one task. */
  readonly toRead: onRequestAsyncHookHandler[];
  /**
   * The guards of the routes that submit tasks and send signals: a token is that of operators or of
   * a principal, or is refused. Without an access file any other token is that of a stranger, as a
   * gateway may send one.
   */
  readonly toSubmit: onRequestAsyncHookHandler[];
  /** The guards of the routes that principals and operators alone may ask. */
  readonly toDecide: onRequestAsyncHookHandler[];
}

interface AccessRules {
  readonly gate: Omit<OperatorGate, "onRequest">;
  readonly anonymousMay: ReadonlySet<AnonymousPermission>;
  /** Who sees a task: `anyone` who knows its id, or only operators. */
  readonly readTasks: "anyone" | "operators";
}

export function openAccess({ gate, anonymousMay, readTasks }: AccessRules): Access {
  const hasToken = ({ headers }: Asking): boolean => gate.isOperator(headers);
  const mayRead: Access["mayRead"] = (request) => readTasks === "anyone" || hasToken(request);
  const may = (request: Asking, permission: AnonymousPermission): boolean =>
    anonymousMay.has(permission) || hasToken(request);
  const readerOf: Access["readerOf"] = (request) => (hasToken(request) ? "operator" : "stranger");
  return {
    readerOf,
    learns: (request) => ({
      workflowNames: () => may(request, "workflow-names"),
      reader: () => readerOf(request),
    }),
    mustBeAllowed(request, permission) {
      if (may(request, permission)) return;
      throw new Problem(
        403,
        "access.denied",
        `Only with the operators' token may a request ask for ${anonymousPermissions[permission]}: leave that out, send Authorization: Bearer …, or have ANONYMOUS_MAY of this service name ${permission}.`,
      );
    },
    mayRead,
    toRead: [
      ...(readTasks === "anyone"
        ? []
        : [async (request: FastifyRequest) => mustRead(request, mayRead(request))]),
      ...(gate.hasPrincipals ? [recognizing(gate)] : []),
    ],
    toSubmit: gate.hasPrincipals ? [identifying(gate)] : [],
    toDecide: [identifying(gate), async (request) => mustBeKnown(request, hasToken(request))],
  };
}

/** Prepares requests for what the guards find. */
export function knowPrincipals(app: FastifyInstance): void {
  app.decorateRequest("principal", null);
}

const identifying =
  ({ identify }: Pick<OperatorGate, "identify">): onRequestAsyncHookHandler =>
  async (request, reply) => {
    request.principal = await identify(request, reply);
  };

const recognizing =
  ({ recognize }: Pick<OperatorGate, "recognize">): onRequestAsyncHookHandler =>
  async (request) => {
    request.principal = await recognize(request.headers);
  };

function mustBeKnown({ principal, headers }: FastifyRequest, isOperator: boolean): void {
  if (principal !== null || isOperator) return;
  throw new Problem(
    401,
    refusalOf(headers),
    "Show who you are, with a key or a token that the file of ACCESS_FILE knows: Authorization: Bearer …",
  );
}

function mustRead({ headers }: Asking, mayRead: boolean): void {
  if (mayRead) return;
  throw new Problem(
    401,
    refusalOf(headers),
    "Only operators see tasks here: show the operator's token, Authorization: Bearer …",
  );
}

/**
 * What strangers may ask for by `ANONYMOUS_MAY`. Unset: all while only this machine can reach the
 * service, otherwise nothing.
 */
export function readAnonymousMay(
  setting: string | undefined,
  host: string,
): ReadonlySet<AnonymousPermission> {
  if (setting === undefined) return new Set(isLoopback(host) ? everyPermission : []);
  const named = setting.split(",");
  return new Set(everyPermission.filter((permission) => named.includes(permission)));
}

/** What `ANONYMOUS_MAY` can be. */
export const anonymousMayPattern = `^(none|(${everyPermission.join("|")})(,(${everyPermission.join("|")}))*)$`;
