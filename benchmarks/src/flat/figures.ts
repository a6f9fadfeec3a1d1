import { percentile, rounded } from "@holdfast/load";
import type { Times } from "./move-orders.ts";

/** Milliseconds, or how many times as many as elsewhere. */
export interface Figures {
  readonly claimP50: number;
  readonly claimP99: number;
  readonly replyP50: number;
  readonly replyP99: number;
}

export const figureNames = ["claimP50", "claimP99", "replyP50", "replyP99"] as const;

export const figuresOf = ({ claims, replies }: Times): Figures => ({
  claimP50: percentile(claims, 0.5),
  claimP99: percentile(claims, 0.99),
  replyP50: percentile(replies, 0.5),
  replyP99: percentile(replies, 0.99),
});

export const eachFigure = (figureOf: (name: keyof Figures) => number): Figures => ({
  claimP50: rounded(figureOf("claimP50"), 3),
  claimP99: rounded(figureOf("claimP99"), 3),
  replyP50: rounded(figureOf("replyP50"), 3),
  replyP99: rounded(figureOf("replyP99"), 3),
});

export const describe = (figures: Figures): string =>
  figureNames.map((name) => `${name} ${figures[name].toFixed(2)}`).join(", ");
