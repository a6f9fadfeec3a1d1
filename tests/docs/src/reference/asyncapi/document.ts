import { load } from "../load.ts";
import { type Channel, findChannels } from "./channels.ts";
import { type DocumentedMessage, findMessages, type JsonSchema } from "./find-messages.ts";
import { operations } from "./operations.ts";

const traceparent = {
  type: "string",
  pattern: "^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$",
  description:
    "W3C Trace Context: where in the trace of its task the message belongs. Only with traces on.",
};
const tracestate = {
  type: "string",
  maxLength: 512,
  description: "W3C Trace Context: what vendors add.",
};

/**
 * The headers that say which trace a message belongs to. All are optional, and a reader may ignore
 * them.
 */
const traceHeaders = {
  type: "object",
  properties: {
    traceparent,
    tracestate,
    traceparents: {
      type: "string",
      maxLength: 65_536,
      description:
        "Of a message of several: the `traceparent` of each, one a line in their order, with its `tracestate` after a space. The line of one without a trace is empty.",
    },
  },
};

/** The messages that have them. */
const tracedMessages: ReadonlySet<string> = new Set([
  "step.request.v1",
  "step.reply.v1",
  "task.status.v1",
  "task.submission",
  "holdfast.task",
  "holdfast.task.alert.v1",
  "holdfast.approval",
]);

/** A message as the document has it. */
interface Message {
  readonly summary: string;
  readonly contentType: string;
  readonly payload: object;
  readonly more?: object;
}

const refTo = (section: string, name: string) => ({ $ref: `#/components/${section}/${name}` });

const { submissionHeaderSchemas } = await load("packages/contracts/src/messages/submission.ts");

/** Messages that are not JSON of a type of their own. */
const otherMessages: Readonly<Record<string, Message>> = {
  "task.submission": {
    summary:
      "A task: the body is the input of the workflow that the header `workflow` names; `message_id` is the idempotency key, `reply_to` may name a queue `status.…`.",
    contentType: "application/json",
    payload: { description: "The input of the workflow, held to its own schema." },
    more: {
      headers: {
        type: "object",
        properties: {
          workflow: { type: "string", description: "`name` or `name.v1`." },
          ...(submissionHeaderSchemas as JsonSchema),
          // An application may write anything: what is no trace is ignored.
          traceparent: traceHeaders.properties.traceparent,
          tracestate: traceHeaders.properties.tracestate,
        },
      },
    },
  },
  "holdfast.task": {
    summary: "A task moved: CloudEvents 1.0 of the type `holdfast.task.<event>`.",
    contentType: "application/cloudevents+json",
    payload: cloudEvent("task.status.v1"),
  },
  "holdfast.task.alert.v1": {
    summary: "A person must look: CloudEvents 1.0.",
    contentType: "application/cloudevents+json",
    payload: cloudEvent("task.alert.v1"),
  },
  "holdfast.approval": {
    summary:
      "A step waits for people to decide, or does no longer: CloudEvents 1.0 of the type `holdfast.approval.<event>`.",
    contentType: "application/cloudevents+json",
    payload: cloudEvent("task.approval.v1"),
  },
  "holdfast.schedule": {
    summary:
      "What became of an instant of a schedule: CloudEvents 1.0 of the type `holdfast.schedule.<event>`.",
    contentType: "application/cloudevents+json",
    payload: cloudEvent("schedule.event.v1"),
  },
  "scheduler.wake.v1": hint("Steps may be due."),
  "scheduler.wake-waits.v1": hint("Waits of steps have ended."),
  "scheduler.unrecorded.v1": hint("Some Scheduler cannot record replies."),
};

function hint(summary: string): Message {
  return {
    summary,
    contentType: "application/json",
    payload: { description: "Empty: no bytes.", maxLength: 0 },
  };
}

function cloudEvent(data: string): object {
  const text = { type: "string", minLength: 1 };
  return {
    type: "object",
    required: ["specversion", "source", "type", "id", "subject", "time", "datacontenttype", "data"],
    properties: {
      specversion: { const: "1.0" },
      source: text,
      type: { type: "string", pattern: "^holdfast\\." },
      id: text,
      subject: { type: "string" },
      time: text,
      datacontenttype: { const: "application/json" },
      data: refTo("schemas", data),
    },
  };
}

/** All that travels through the broker, as an Agent or an application sees it: AsyncAPI 3. */
export async function asyncApiDocument(): Promise<object> {
  const [messages, channels] = await Promise.all([findMessages(), findChannels()]);
  mustBeCarried(messages, channels);
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Holdfast",
      version: "1.0.0",
      description:
        "The messages between Schedulers, Agents and applications, and the exchanges and queues of RabbitMQ that carry them. Written by `npm run reference`. docs/guides/agents-in-any-language.md says how to write an Agent.",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    defaultContentType: "application/json",
    servers: {
      broker: {
        host: "localhost:5672",
        pathname: "/holdfast",
        protocol: "amqp",
        protocolVersion: "0.9.1",
        description: "RabbitMQ 3.10 or newer.",
      },
    },
    channels: Object.fromEntries(channels.map((channel) => [channel.id, channelOf(channel)])),
    operations,
    components: {
      messages: {
        ...Object.fromEntries(messages.map((message) => [message.type, messageOf(message)])),
        ...Object.fromEntries(
          Object.entries(otherMessages).map(([name, { more, ...message }]) => [
            name,
            { name, ...message, ...headersOf(name), ...more },
          ]),
        ),
      },
      schemas: {
        ...Object.fromEntries(messages.map(({ type, schema }) => [type, schema])),
        "trace-headers": traceHeaders,
      },
    },
  };
}

const headersOf = (name: string) =>
  tracedMessages.has(name) ? { headers: refTo("schemas", "trace-headers") } : {};

function mustBeCarried(messages: readonly DocumentedMessage[], channels: readonly Channel[]): void {
  const carried = new Set([
    ...channels.flatMap((channel) => channel.messages),
    // In the envelopes of events.
    "task.alert.v1",
    "task.approval.v1",
    "schedule.event.v1",
  ]);
  const lost = messages.filter(({ type }) => !carried.has(type)).map(({ type }) => type);
  if (lost.length === 0) return;
  throw new Error(`Say in asyncapi/channels.ts which channel carries ${lost.join(", ")}.`);
}

const messageOf = ({ type, summary }: DocumentedMessage) => ({
  name: type,
  title: type,
  summary,
  contentType: "application/json",
  payload: refTo("schemas", type),
  ...headersOf(type),
  bindings: { amqp: { messageType: type, bindingVersion: "0.3.0" } },
});

function channelOf({ address, description, messages, binding, details }: Channel) {
  const names = [...address.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return {
    address,
    description,
    messages: Object.fromEntries(messages.map((name) => [name, refTo("messages", name)])),
    ...(names.length === 0
      ? {}
      : { parameters: Object.fromEntries(names.map((name) => [name, parameterOf(name)])) }),
    bindings: { amqp: binding },
    ...details,
  };
}

const meanings: Readonly<Record<string, string>> = {
  agent: "The name of the Agent.",
  word: "`reply`, or `reply-1` to `reply-8`.",
  taskId: "The task.",
  submitter: "A name that the submitter chose.",
  event: "`task.<event>.<workflow>`, `approval.<event>.<workflow>` or `alert.<kind>`.",
};

const parameterOf = (name: string) => ({ description: meanings[name] ?? name });

/** One JSON Schema a message, for validators that read no AsyncAPI. By file name. */
export async function schemaFiles(): Promise<ReadonlyMap<string, JsonSchema>> {
  const messages = await findMessages();
  const headers = {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "trace-headers",
    description: "The headers of AMQP messages that say which trace a message belongs to.",
    ...traceHeaders,
    // Of a message that belongs to a trace at all.
    minProperties: 1,
  };
  return new Map<string, JsonSchema>([
    ["trace-headers.json", headers],
    ...messages.map(({ type, summary, schema }): [string, JsonSchema] => [
      `${type}.json`,
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        title: type,
        description: summary,
        ...schema,
      },
    ]),
  ]);
}
