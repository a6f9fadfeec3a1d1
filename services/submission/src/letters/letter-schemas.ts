import { Type } from "typebox";
import { ref } from "../api/describe.ts";
import { Instant, named, nullable, Text } from "../api/schema-parts.ts";

/** Dead letters and what became of them. */
export const letterSchemas: readonly Type.TSchema[] = [
  named("DeadLetter", {
    id: Text,
    queue: Type.String({ description: "Where it was found." }),
    reason: Text,
    detail: nullable(Text),
    messageId: nullable(Text),
    type: nullable(Text),
    sender: nullable(Text),
    size: Type.Integer({ description: "Bytes of the message as it came." }),
    at: Instant,
    body: nullable(
      Type.String({ description: "Its first 4 KiB as text; null: they are no text." }),
    ),
    replayable: Type.Boolean(),
    whyNot: nullable(
      Type.String({ description: "One sentence: why it cannot be sent once more." }),
    ),
  }),
  named("DeadLetterPage", { items: Type.Array(ref("DeadLetter")), next: nullable(Text) }),
  named("DeadLetterActions", {
    items: Type.Array(
      Type.Object({
        id: Text,
        queue: Text,
        messageId: nullable(Text),
        type: nullable(Text),
        sender: nullable(Text),
        action: Type.Enum(["replay", "discard"]),
        actor: Text,
        reason: Text,
        at: Instant,
      }),
    ),
  }),
];
