import { Type } from "typebox";
import { ref } from "../api/describe.ts";
import { count, flag, instant, named, nullable, page, text } from "../api/schema-parts.ts";

/** What is known of a message, whatever became of it. */
const deadLetter = {
  id: text("Its number."),
  queue: text("Where it was found."),
  messageId: nullable(text("As its sender named it.")),
  type: nullable(text("Of the message, such as `step.reply.v1`.")),
  sender: nullable(text("Its broker user, as RabbitMQ vouches for it.")),
};

/** Dead letters and what became of them. */
export const deadLetterSchemas: readonly Type.TSchema[] = [
  named("DeadLetter", "A message that no service could use.", {
    ...deadLetter,
    reason: text("Why no service could use it, as the broker or its reader said."),
    detail: nullable(text("What was wrong.")),
    size: count("Bytes of the message as it came."),
    at: instant("When it was stored."),
    body: nullable(text("Its first 4 KiB as text; null: they are no text.")),
    replayable: flag("Whether it can be sent once more."),
    whyNot: nullable(text("One sentence: why it cannot be sent once more.")),
  }),
  page("DeadLetterPage", ref("DeadLetter"), "The latest first."),
  page(
    "DeadLetterActions",
    Type.Object({
      ...deadLetter,
      action: Type.Enum(["replay", "discard"], { description: "What was done to it." }),
      actor: text("Who did it."),
      reason: text("Why."),
      at: instant("When."),
    }),
    "The latest first.",
  ),
];
