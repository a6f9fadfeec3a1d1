import { agentOfReply, payloadFaults, StepReply, type StepRequest } from "@holdfast/contracts";
import { ContractFault } from "@holdfast/domain";
import type { Frame } from "@holdfast/messaging";

interface Context {
  readonly frame: Pick<Frame, "routingKey" | "type" | "userId" | "body">;
  readonly request: StepRequest;
  readonly identity: "required" | "trusted";
}

/** Why a Scheduler would refuse this reply to its request, whatever it says. */
export function replyFaults(
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
    return payloadFaults(outcome.output).map((fault) => `its output ${fault}`);
  if (outcome.kind === "stopped" || /^[\w-]+(\.[\w-]+)+$/.test(outcome.code)) return [];
  return [`its code is ${outcome.code}, and not of the form area.what`];
}
