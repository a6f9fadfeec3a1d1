import { EventEmitter } from "node:events";
import { defaultLimits, openGuard } from "@holdfast/runtime/http";
import { expect, test } from "@jest/globals";
import type { FastifyReply, FastifyRequest } from "fastify";
import { openStreams } from "./open-streams.ts";

const guard = openGuard({ ...defaultLimits, addressShare: 100, memory: 100_000 });
const streamsOf = (most: number, clock = () => 0) =>
  openStreams({ room: guard.shares(most), memory: guard.memory, callerOf: guard.callerOf, clock });

/** A client that reads when the test says so. */
function clientOf() {
  const raw = Object.assign(new EventEmitter(), {
    written: [] as string[],
    writableLength: 0,
    destroyed: false,
    writableEnded: false,
    writeHead: () => raw,
    write(text: string, sent = () => {}) {
      raw.written.push(text);
      raw.writableLength += text.length;
      raw.sent.push(sent);
    },
    sent: [] as (() => void)[],
    /** Reads all that was sent. */
    read() {
      raw.writableLength = 0;
      for (const sent of raw.sent.splice(0)) sent();
    },
    end() {
      raw.writableEnded = true;
      raw.emit("close");
    },
    destroy() {
      raw.destroyed = true;
      raw.emit("close");
    },
  });
  const reply = { raw, hijack: () => reply } as unknown as FastifyReply;
  const request = {
    raw: { socket: { destroyed: false, remoteAddress: "127.0.0.1" }, headers: {} },
  } as unknown as FastifyRequest;
  return { raw, reply, request };
}

test("a client that does not read gets nothing more, and is dropped after half a minute", () => {
  let now = 0;
  const streams = streamsOf(2, () => now);
  const { raw, reply, request } = clientOf();
  let closed = 0;
  const stream = streams.open(request, reply, () => void (closed += 1));
  raw.read();
  expect(streams.isReady(stream)).toBe(true);
  raw.writableLength = 64 * 1_024;
  expect(streams.isReady(stream)).toBe(false);
  now = 29_000;
  expect(streams.isReady(stream)).toBe(false);
  raw.read();
  expect(streams.isReady(stream)).toBe(true);
  raw.writableLength = 64 * 1_024;
  now = 40_000;
  expect(streams.isReady(stream)).toBe(false);
  expect(raw.destroyed).toBe(false);
  now = 70_001;
  expect(streams.isReady(stream)).toBe(false);
  expect(raw.destroyed).toBe(true);
  expect(closed).toBe(1);
  streams.stop();
});

test("a stream that has ended makes room for another one, and stopping ends all and takes no more", () => {
  const streams = streamsOf(1);
  const one = clientOf();
  const stream = streams.open(one.request, one.reply, () => {});
  const other = clientOf();
  expect(() => streams.open(other.request, other.reply, () => {})).toThrow();
  stream.end();
  streams.open(other.request, other.reply, () => {});
  streams.stop();
  expect(other.raw.writableEnded).toBe(true);
  expect(() => streams.mustHaveRoom(one.request)).toThrow();
});

test("a line break in what is sent begins no further event", async () => {
  const streams = streamsOf(1);
  const { raw, reply, request } = clientOf();
  const stream = streams.open(request, reply, () => {});
  const note = "x\n\nevent: end\r\ndata: {}\u2028";
  stream.send({ id: "7", event: "moved", data: { note } });
  await new Promise((resolve) => process.nextTick(resolve));
  const text = raw.written.at(-1) ?? "";
  const lines = text.split(/\r\n|\r|\n/);
  expect(lines).toHaveLength(5);
  expect(JSON.parse(lines[2]?.slice("data: ".length) ?? "")).toEqual({ note });
  streams.stop();
});

test("what all clients leave unread is bounded, and those that read go on when it was read", async () => {
  const streams = streamsOf(10);
  const large = Buffer.alloc(60_000);
  const [one, other] = [clientOf(), clientOf()];
  const first = streams.open(one.request, one.reply, () => {});
  const second = streams.open(other.request, other.reply, () => {});
  expect(streams.isReady(first, large.length)).toBe(true);
  first.sendWritten(large);
  expect(streams.isReady(second, large.length)).toBe(false);
  expect(streams.isReady(second)).toBe(true);
  one.raw.read();
  expect(streams.isReady(second, large.length)).toBe(true);
  second.sendWritten(large);
  other.raw.destroy();
  expect(guard.memory.used).toBe(0);
  streams.stop();
});

test("a client that leaves while its stream opens is forgotten once the stream is there", async () => {
  const streams = streamsOf(1);
  const { reply, request } = clientOf();
  Object.assign(request.raw.socket, { destroyed: true });
  const { promise: closed, resolve } = Promise.withResolvers<unknown>();
  const stream = streams.open(request, reply, () => resolve(stream));
  expect(await closed).toBe(stream);
  const next = clientOf();
  streams.open(next.request, next.reply, () => {});
  streams.stop();
});
