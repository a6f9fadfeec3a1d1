import type { Options } from "amqplib";
import { damagedBody, type HostileBody } from "./damaged-body.ts";
import { deepBody, deepHeaders } from "./deep-fields.ts";
import type { Dice } from "./dice.ts";
import { hostileHeaders } from "./hostile-headers.ts";
import { hostileProperties } from "./hostile-properties.ts";
import { largeBody, largeHeaders } from "./large-fields.ts";
import { timedBody, timedHeaders, timedProperties } from "./timed-fields.ts";

/**
 * What a message or a request is hostile by: its body, its AMQP properties and its HTTP headers.
 */
export interface InputClass {
  readonly name: "damaged" | "deep" | "large" | "times";
  body(dice: Dice, valid: () => unknown): HostileBody;
  properties(dice: Dice): Options.Publish;
  headers(dice: Dice): Readonly<Record<string, string>>;
}

const none = () => ({});

export const inputClasses: Readonly<Record<InputClass["name"], InputClass>> = {
  damaged: {
    name: "damaged",
    body: damagedBody,
    properties: (dice) => (dice.oneIn(3) ? hostileProperties(dice) : {}),
    headers: (dice) => (dice.oneIn(4) ? hostileHeaders(dice) : {}),
  },
  deep: {
    name: "deep",
    body: deepBody,
    properties: (dice) => (dice.oneIn(3) ? { headers: deepHeaders(dice) } : {}),
    headers: none,
  },
  large: {
    name: "large",
    body: largeBody,
    properties: (dice) => (dice.oneIn(5) ? { headers: largeHeaders(dice) } : {}),
    headers: none,
  },
  times: {
    name: "times",
    body: timedBody,
    properties: timedProperties,
    headers: timedHeaders,
  },
};
