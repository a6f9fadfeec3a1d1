import type { ChannelModel, Connection, ConsumeMessage } from "amqplib";

/**
 * What the client keeps of a connection, and how it takes the next frame from it: false, if there
 * is no whole one.
 */
interface FrameReader {
  rest: Buffer;
  recvFrame(): unknown;
}

/** The header that stands for all those of a message that could not be read. */
const unreadableHeaders = "holdfast-unreadable-headers";

/** Whether a message had headers that could not be read. They are gone. */
export function hasUnreadableHeaders({ properties }: Pick<ConsumeMessage, "properties">): boolean {
  const headers: object | undefined = properties.headers;
  return headers !== undefined && Object.hasOwn(headers, unreadableHeaders);
}

/**
 * Has a connection read messages whose headers the client cannot. The client reads a table by
 * recursion, so some 20,000 tables or lists in each other, for which a frame has room, exhaust the
 * stack, and with it goes the connection; the broker then delivers the message to the next one. A
 * frame has room for 60,000 values, too, which keep the event loop for some tenths of a second.
 * Here such a message, and one with more than 32 KiB of headers, arrives with `unreadableHeaders`
 * as its only header, and with its body and all other properties.
 */
export function boundHeaders({ connection }: Pick<ChannelModel, "connection">): void {
  const reader = connection as Connection & FrameReader;
  const receive = reader.recvFrame.bind(reader);
  reader.recvFrame = () => {
    boundNext(reader);
    const { rest } = reader;
    try {
      return receive();
    } catch (error) {
      const frame = rest.subarray(0, rest.length - reader.rest.length);
      const readable = withoutHeaders(frame);
      if (readable === null) throw error;
      reader.rest = Buffer.concat([readable, reader.rest]);
      return receive();
    }
  };
}

/**
 * Bytes of a content header that is read: properties are texts of 255 bytes, and headers that
 * Holdfast reads are short.
 */
const mostBytes = 32 * 1024;

/** Takes the headers away from the next frame if there are too many. */
function boundNext(reader: FrameReader): void {
  const { rest } = reader;
  if (rest.length < frameHead || rest[0] !== headerFrame) return;
  const size = rest.readUInt32BE(sizeAt);
  const end = frameHead + size + 1;
  if (size <= mostBytes || rest.length < end) return;
  const readable = withoutHeaders(rest.subarray(0, end));
  if (readable !== null) reader.rest = Buffer.concat([readable, rest.subarray(end)]);
}

/** Bytes of a frame before its payload: its type, channel and size. */
const frameHead = 7;
const sizeAt = 3;
const headerFrame = 2;
/** Bytes of a content header before its flags: class, weight and the size of the body. */
const contentHead = 12;
const flag = { contentType: 0x8000, contentEncoding: 0x4000, headers: 0x2000 } as const;

/** A table with one entry, which is true. */
const marker = ((): Buffer => {
  const name = Buffer.from(unreadableHeaders);
  const entry = Buffer.concat([Buffer.from([name.length]), name, Buffer.from("t\u0001")]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(entry.length);
  return Buffer.concat([size, entry]);
})();

/**
 * A content header as AMQP 0-9-1 frames it, with the marker for its headers; null: the frame is
 * none, or has no headers, so that they are not what could not be read.
 */
function withoutHeaders(frame: Buffer): Buffer | null {
  if (frame[0] !== headerFrame || frame.length < frameHead + contentHead + 2) return null;
  let at = frameHead + contentHead;
  const flags = frame.readUInt16BE(at);
  at += 2;
  // Properties stand in the order of their flags; these two are texts with a byte for their length.
  for (const text of [flag.contentType, flag.contentEncoding]) {
    if ((flags & text) !== 0) at += 1 + (frame[at] ?? 0);
  }
  if ((flags & flag.headers) === 0 || frame.length < at + 4) return null;
  const end = at + 4 + frame.readUInt32BE(at);
  const readable = Buffer.concat([frame.subarray(0, at), marker, frame.subarray(end)]);
  readable.writeUInt32BE(readable.length - frameHead - 1, sizeAt);
  return readable;
}
