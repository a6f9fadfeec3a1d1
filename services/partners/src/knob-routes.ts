import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { type KnobBoard, Knobs } from "./knobs.ts";
import { type Partner, partners } from "./ledger-entry.ts";

const params = Type.Object({ partner: Type.Enum([...partners]) });

/** Lets people and tests have a partner misbehave, and behave again. */
export function knobRoutes(app: FastifyInstance, knobs: KnobBoard): void {
  app.get("/knobs", () => knobs.all());

  app.put<{ Params: { partner: Partner }; Body: Knobs }>(
    "/knobs/:partner",
    { schema: { params, body: Knobs } },
    (request) => {
      knobs.turn(request.params.partner, request.body);
      return knobs.all();
    },
  );
}
