import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import { disturb } from "./disturb.ts";
import type { FaultSettingsBoard } from "./fault-settings.ts";

const Body = Type.Object({
  customerId: Type.String(),
  paymentMethod: Type.String(),
  shipTo: Type.Object({ country: Type.String() }),
  amount: Type.Integer({ minimum: 0 }),
  currency: Type.String(),
});
type Body = Static<typeof Body>;

/** How risky an order is. Leaves no trace, so it needs no key and no undo. */
export function assessmentRoute(
  app: FastifyInstance,
  {
    faultSettings,
    random,
  }: { readonly faultSettings: FaultSettingsBoard; readonly random: () => number },
): void {
  app.post<{ Body: Body }>("/payments/assessments", { schema: { body: Body } }, (request, reply) =>
    disturb({ request, reply, faultSettings: faultSettings.of("payments"), random }, async () => ({
      status: 200,
      body: assess(request.body),
    })),
  );
}

function assess({ paymentMethod, amount }: Body) {
  if (paymentMethod.startsWith("card-stolen")) return { score: 97, verdict: "reject" };
  return amount > 1_000_000 ? { score: 60, verdict: "review" } : { score: 10, verdict: "accept" };
}
