import {
  AgentHeartbeat,
  agentOfReply,
  payloadFaultsAt,
  payloadWords,
  replyExchange,
  StepReply,
  type StepRequest,
} from "@holdfast/contracts";
import { ContractFault } from "@holdfast/domain";
import { bodiesOf, type Frame, userOf } from "@holdfast/messaging";
import type { AgentDriver, Answer, DriverOptions } from "./agent-driver.ts";

type Inbox = Pick<
  AgentDriver,
  "heartbeats" | "heartbeatFaults" | "answers" | "until" | "agentUser"
> & {
  readonly add: (frame: Frame) => void;
  readonly published: (taskId: string) => void;
  readonly expect: (request: StepRequest) => void;
};

/** What the Agent has said, by the task that it said it of. */
export function openInbox({ identity, brokerUrl }: DriverOptions): Inbox {
  let user: string | null = null;
  const answers = new Map<string, Answer[]>();
  const sentAt = new Map<string, number>();
  const requests = new Map<string, StepRequest>();
  const heartbeats: AgentHeartbeat[] = [];
  const heartbeatFaults: string[] = [];
  const { until, lookAgain } = lookouts();

  const addReply = (frame: Frame): void => {
    const [, , taskId = ""] = frame.routingKey.split(".");
    const request = requests.get(taskId);
    if (request === undefined || agentOfReply(frame.routingKey) === null) return;
    const afterMs = performance.now() - (sentAt.get(taskId) ?? 0);
    for (const body of bodiesOf(frame.body, frame.contentType)) {
      const read = decode(body);
      const faults = replyFaults(read, { frame, request, identity });
      const reply = read instanceof ContractFault ? null : read;
      answers.set(taskId, [...(answers.get(taskId) ?? []), { reply, afterMs, faults }]);
    }
  };
  const addHeartbeat = ({ body, userId }: Frame): void => {
    try {
      heartbeats.push(AgentHeartbeat.decode(body));
      if (identity === "required" && userId === undefined)
        heartbeatFaults.push("it has no user_id");
    } catch (error) {
      heartbeatFaults.push((error as Error).message);
    }
  };
  return {
    heartbeats,
    heartbeatFaults,
    until,
    agentUser: () => (user === userOf(brokerUrl) ? null : user),
    published: (taskId) => void sentAt.set(taskId, performance.now()),
    expect: (request) => void requests.set(request.taskId, request),
    add(frame) {
      user = frame.userId ?? user;
      if (frame.exchange === replyExchange) addReply(frame);
      else addHeartbeat(frame);
      lookAgain();
    },
    async answers(taskId, wanted, withinMs) {
      const found = () => answers.get(taskId) ?? [];
      await until(() => (found().length >= wanted ? true : null), withinMs);
      return found();
    },
  };
}

/** Waits for conditions, each of which is looked at again when a message has come. */
function lookouts(): Pick<AgentDriver, "until"> & { readonly lookAgain: () => void } {
  const looking = new Set<() => void>();
  return {
    lookAgain() {
      for (const look of looking) look();
    },
    until(find, withinMs) {
      const { promise, resolve } = Promise.withResolvers<ReturnType<typeof find>>();
      const look = (): void => {
        const found = find();
        if (found !== null) resolve(found);
      };
      const timer = setTimeout(() => resolve(find()), withinMs);
      looking.add(look);
      look();
      return promise.finally(() => {
        clearTimeout(timer);
        looking.delete(look);
      });
    },
  };
}

function decode(body: Buffer): StepReply | ContractFault {
  try {
    return StepReply.decode(body);
  } catch (error) {
    if (error instanceof ContractFault) return error;
    throw error;
  }
}

interface Context {
  readonly frame: Pick<Frame, "routingKey" | "type" | "userId" | "body">;
  readonly request: StepRequest;
  readonly identity: "required" | "trusted";
}

/** Why a Scheduler would refuse this reply to its request, whatever it says. */
function replyFaults(
  reply: StepReply | ContractFault,
  { frame, request, identity }: Context,
): readonly string[] {
  if (reply instanceof ContractFault)
    return [`${reply.message}; it begins with ${frame.body.toString().slice(0, 100)}`];
  const echoed = (["taskId", "step", "attempt", "token"] as const).filter(
    (name) => reply[name] !== request[name],
  );
  return [
    ...echoed.map((name) => `${name} is not that of the request`),
    ...(agentOfReply(frame.routingKey) === request.agent
      ? []
      : [`its routing key is ${frame.routingKey}`]),
    ...(identity === "required" && frame.userId === undefined ? ["it has no user_id"] : []),
    ...(frame.type === undefined || frame.type === StepReply.type
      ? []
      : [`its type is ${frame.type}`]),
    ...outcomeFaults(reply.outcome),
  ];
}

function outcomeFaults(outcome: StepReply["outcome"]): readonly string[] {
  if (outcome.kind === "completed")
    return payloadFaultsAt(outcome.output).map((fault) => `its output ${payloadWords([fault])}`);
  if (outcome.kind === "stopped" || /^[\w-]+(\.[\w-]+)+$/.test(outcome.code)) return [];
  return [`its code is ${outcome.code}, and not of the form area.what`];
}
