import { createRequire } from "node:module";
import { GCProfiler, getHeapStatistics } from "node:v8";
import { AgentHeartbeat } from "@holdfast/contracts";
import { counted, type ProcessCounts } from "./process-counts.ts";

/**
 * Counts, loaded before a service (`--import`), what it publishes to RabbitMQ and the bytes that it
 * allocates. On SIGUSR2 it writes what it has counted since its start to the standard output.
 */

interface Properties {
  readonly type?: string;
}

type Publish = (
  exchange: string,
  routingKey: string,
  body: Buffer,
  properties: Properties,
  ...rest: readonly unknown[]
) => boolean;

interface AmqpClient {
  readonly ConfirmChannel: { readonly prototype: { publish: Publish } };
}

let messages = 0;
let messageBytes = 0;

const { prototype } = amqpClient().ConfirmChannel;
const { publish } = prototype;
prototype.publish = function countPublish(exchange, routingKey, body, properties, ...rest) {
  // Heartbeats come by the clock, not by the order.
  if (properties.type !== AgentHeartbeat.type) {
    messages += 1;
    messageBytes += body.length;
  }
  return publish.call(this, exchange, routingKey, body, properties, ...rest);
};

/** Bytes that garbage collections have freed. */
let freedBytes = 0;
let profiler = new GCProfiler();
profiler.start();

process.on("SIGUSR2", () => {
  const counts: ProcessCounts = { messages, messageBytes, allocatedBytes: allocated() };
  process.stdout.write(`${JSON.stringify({ level: 30, msg: counted, ...counts })}\n`);
});

/** What is in the heap, and what was in it once. */
function allocated(): number {
  for (const { beforeGC, afterGC } of profiler.stop().statistics) {
    freedBytes += beforeGC.heapStatistics.usedHeapSize - afterGC.heapStatistics.usedHeapSize;
  }
  profiler = new GCProfiler();
  profiler.start();
  return freedBytes + getHeapStatistics().used_heap_size;
}

/** The client's own classes, as the messaging package loads them; it does not export them. */
function amqpClient(): AmqpClient {
  const messaging = createRequire(import.meta.resolve("@holdfast/messaging"));
  const client = createRequire(messaging.resolve("amqplib"));
  return client("./lib/channel_model.js");
}
