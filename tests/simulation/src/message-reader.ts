import type { OutgoingMessage } from "@holdfast/messaging";

/** Reads each body once, although it is looked at several times. */
export type MessageReader = <Body>(message: Pick<OutgoingMessage, "body">) => Body;

export function messageReader(): MessageReader {
  const bodies = new Map<Buffer, unknown>();
  return <Body>({ body }: Pick<OutgoingMessage, "body">): Body => {
    const known = bodies.get(body) ?? JSON.parse(body.toString());
    bodies.set(body, known);
    return known as Body;
  };
}

/** What requests, replies and returned requests have in common. */
export interface AttemptMessage {
  readonly taskId: string;
  readonly step: string;
  readonly attempt: number;
  readonly token: string;
}
