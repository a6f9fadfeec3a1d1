import { EventEmitter } from "node:events";
import { expect, test } from "@jest/globals";
import type { FastifyReply, FastifyRequest } from "fastify";
import { openStreams } from "./open-streams.ts";

/** A client that reads when the test says so. */
function clientOf() {
  const raw = Object.assign(new EventEmitter(), {
    written: [] as string[],
    writableLength: 0,
    destroyed: false,
    writableEnded: false,
    writeHead: () => raw,
    write(text: string) {
      raw.written.push(text);
      raw.writableLength += text.length;
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
  const request = { raw: { socket: { destroyed: false } } } as unknown as FastifyRequest;
  return { raw, reply, request };
}

test("a client that does not read gets nothing more, and is dropped after half a minute", () => {
  let now = 0;
  const streams = openStreams({ most: 2, clock: () => now });
  const { raw, reply, request } = clientOf();
  let closed = 0;
  const stream = streams.open(request, reply, () => void (closed += 1));
  expect(streams.isReady(stream)).toBe(true);
  raw.writableLength = 64 * 1_024;
  expect(streams.isReady(stream)).toBe(false);
  now = 29_000;
  expect(streams.isReady(stream)).toBe(false);
  raw.writableLength = 0;
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
  const streams = openStreams({ most: 1 });
  const one = clientOf();
  const stream = streams.open(one.request, one.reply, () => {});
  const other = clientOf();
  expect(() => streams.open(other.request, other.reply, () => {})).toThrow();
  stream.end();
  streams.open(other.request, other.reply, () => {});
  streams.stop();
  expect(other.raw.writableEnded).toBe(true);
  expect(() => streams.mustHaveRoom()).toThrow();
});

test("a line break in what is sent begins no further event", async () => {
  const streams = openStreams({ most: 1 });
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
