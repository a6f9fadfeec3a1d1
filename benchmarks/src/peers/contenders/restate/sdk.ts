import type { Order } from "../../../order.ts";

/** What we use of `@restatedev/restate-sdk`. */
export interface RestateSdk {
  readonly service: (options: {
    readonly name: string;
    readonly handlers: Readonly<Record<string, Handler>>;
  }) => Service;
  /** Resolves to the port that it listens at. */
  readonly serve: (options: {
    readonly port: number;
    readonly services: readonly Service[];
  }) => Promise<number>;
}

interface Context {
  run(name: string, act: () => Promise<unknown>): Promise<unknown>;
  serviceClient(service: { readonly name: string }): {
    act(order: Order): Promise<unknown>;
  };
}

export type Handler = (context: Context, order: Order) => Promise<unknown>;

interface Service {
  readonly name: string;
}

export const sdkName = "@restatedev/restate-sdk";

/** The steps, where each of them is a service of its own. */
export const stepServices = ["First", "Second", "Third"] as const;
