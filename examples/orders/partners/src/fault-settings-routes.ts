import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { FaultSettings, type FaultSettingsBoard } from "./fault-settings.ts";
import { type Partner, partners } from "./ledger-entry.ts";

const params = Type.Object({ partner: Type.Enum([...partners]) });

/** Lets people and tests have a partner misbehave, and behave again. */
export function faultSettingsRoutes(app: FastifyInstance, faultSettings: FaultSettingsBoard): void {
  app.get("/fault-settings", () => faultSettings.all());

  app.put<{ Params: { partner: Partner }; Body: FaultSettings }>(
    "/fault-settings/:partner",
    { schema: { params, body: FaultSettings } },
    (request) => {
      faultSettings.turn(request.params.partner, request.body);
      return faultSettings.all();
    },
  );
}
