import { readFileSync } from "node:fs";
import { callsOf } from "@holdfast/domain";
import { askBroker } from "@holdfast/local-stack";
import { bodiesOf, declareTopology, type Frame, openTap, topologyOf } from "@holdfast/messaging";
import { fulfilOrder } from "@holdfast/orders";
import { Ajv, type ValidateFunction } from "ajv";

/** What a tap has seen. */
export interface Wire extends AsyncDisposable {
  /** How many messages of each type, those in bundles counted one by one. */
  readonly seen: ReadonlyMap<string, number>;
  /** Messages that do not fit what docs/reference/asyncapi.json says of their exchange. */
  readonly misfits: readonly string[];
}

interface TapOptions {
  readonly forging?: boolean;
}

interface AsyncApi {
  readonly channels: Readonly<
    Record<string, { readonly messages: Readonly<Record<string, unknown>> }>
  >;
  readonly components: {
    readonly messages: Readonly<Record<string, { readonly headers?: object }>>;
  };
}

const agents = [...new Set(callsOf(fulfilOrder.definition).map(({ agent }) => agent))];
/** The queue to which a test may have statuses sent that are to be seen here, too. */
export const tappedStatus = "status.tapped";

const bindings = [
  ...agents.map((agent) => ({ exchange: "holdfast.requests", routingKey: agent })),
  ...["holdfast.replies", "holdfast.heartbeats", "holdfast.events"].map((exchange) => ({
    exchange,
    routingKey: "#",
  })),
  ...["holdfast.cancel", "holdfast.wake", "holdfast.unrecorded"].map((exchange) => ({
    exchange,
    routingKey: "",
  })),
  { exchange: "holdfast.submissions", routingKey: "task.submissions" },
  { exchange: "holdfast.signals", routingKey: "task.signals" },
  { exchange: "holdfast.status", routingKey: tappedStatus },
];

/**
 * Listens beside the services, and ends a test whose messages do not fit. Without a URL it hears
 * nothing.
 */
export async function tapWire(url: string | null, { forging = false }: TapOptions): Promise<Wire> {
  const seen = new Map<string, number>();
  const misfits: string[] = [];
  if (url === null) return { seen, misfits, [Symbol.asyncDispose]: async () => {} };
  const judge = frameJudge();
  await askBroker(url, (channel) => declareTopology(channel, topologyOf(agents)));
  const onFrame = (frame: Frame): void => {
    for (const { type, fault } of judge(frame)) {
      seen.set(type, (seen.get(type) ?? 0) + 1);
      if (fault !== null && misfits.length < 20)
        misfits.push(`${frame.exchange} ${type}: ${fault}`);
    }
  };
  const tap = await openTap({ url, name: "wire", bindings, onFrame });
  return {
    seen,
    misfits,
    async [Symbol.asyncDispose]() {
      await tap[Symbol.asyncDispose]();
      if (forging || misfits.length === 0) return;
      throw new Error(`Messages do not fit docs/reference/asyncapi.json:\n${misfits.join("\n")}`);
    },
  };
}

interface Judged {
  readonly type: string;
  readonly fault: string | null;
}

/**
 * Exchanges to which services always name their user and a type: what names neither is of a test
 * itself.
 */
const signed: ReadonlySet<string> = new Set([
  "holdfast.requests",
  "holdfast.replies",
  "holdfast.heartbeats",
]);

/**
 * Finds the message of the document by exchange and type, and holds each body against its schema.
 */
function frameJudge(): (frame: Frame) => readonly Judged[] {
  const file = new URL("../../docs/reference/asyncapi.json", import.meta.url);
  const document = JSON.parse(readFileSync(file, "utf8")) as AsyncApi;
  const ajv = new Ajv({ strict: false }).addSchema({ $id: "asyncapi", ...document });
  const checks = new Map<string, ValidateFunction>();
  const checkOf = (name: string): ValidateFunction => {
    const reference = { $ref: `asyncapi#/components/messages/${name}` };
    const check = checks.get(name) ?? ajv.compile(reference);
    checks.set(name, check);
    return check;
  };
  const headerFaultOf = (name: string, headers: Frame["headers"]): string | null => {
    if (Object.keys(headers).length === 0) return null;
    if (document.components.messages[name]?.headers === undefined) return "it has headers";
    return faultOf(Buffer.from(JSON.stringify(headers)), checkOf(`${name}/headers`));
  };
  return ({ exchange, type = "task.submission", userId, contentType, headers, body }) => {
    if (signed.has(exchange) && type === "task.submission" && userId === undefined) return [];
    const names = Object.keys(document.channels[exchange]?.messages ?? {});
    const name = names.find((one) => one === type) ?? names.find((one) => type.startsWith(one));
    if (name === undefined) return [{ type, fault: "the exchange carries no such message" }];
    if (name.startsWith("scheduler.")) {
      return [{ type: name, fault: body.length === 0 ? null : "it is not empty" }];
    }
    return bodiesOf(body, contentType).map((one) => ({
      type: name,
      fault: faultOf(one, checkOf(`${name}/payload`)) ?? headerFaultOf(name, headers),
    }));
  };
}

function faultOf(body: Buffer, check: ValidateFunction): string | null {
  try {
    if (check(JSON.parse(body.toString()))) return null;
    const [error] = check.errors ?? [];
    return `${error?.instancePath || "/"} ${error?.message}`;
  } catch {
    return "not JSON";
  }
}
