import type { StoreWatcher } from "@holdfast/testing/simulator";
import type { Facts } from "./facts.ts";
import { judgeBreakers } from "./judge-breakers.ts";
import { type EffectJudge, judgeEffects } from "./judge-effects.ts";
import { judgeMessages, type MessageJudge } from "./judge-messages.ts";
import { judgeMoves, type MoveOptions } from "./judge-moves.ts";
import { judgeOperators, type OperatorJudge } from "./judge-operators.ts";
import { judgeOrder } from "./judge-order.ts";
import { judgeVersions, type VersionJudge } from "./judge-versions.ts";
import type { Order } from "./scenario.ts";
import type { World } from "./world.ts";

/**
 * Knows what really happened, and the rules. It sees every move, message and effect, decides nothing
 * and believes nobody: each rule is held against what it saw itself.
 */
export interface Referee {
  readonly facts: Facts;
  readonly moves: StoreWatcher;
  readonly order: StoreWatcher;
  readonly breakers: StoreWatcher;
  readonly operators: OperatorJudge;
  readonly versions: VersionJudge;
  readonly messages: MessageJudge;
  readonly effects: EffectJudge;
}

interface RefereeOptions extends MoveOptions {
  readonly orders: readonly Order[];
}

export function referee(world: World, options: RefereeOptions): Referee {
  const facts: Facts = { tasks: new Map(), attempts: new Map(), needs: [] };
  return {
    facts,
    moves: judgeMoves(world, facts, options),
    order: judgeOrder(world),
    breakers: judgeBreakers(world),
    operators: judgeOperators(world),
    versions: judgeVersions(world, options.orders),
    messages: judgeMessages(world, facts),
    effects: judgeEffects(world, facts),
  };
}
