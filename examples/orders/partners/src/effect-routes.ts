import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { disturb } from "./disturb.ts";
import type { FaultSettingsBoard } from "./fault-settings.ts";
import { type Offer, offers } from "./offers.ts";
import type { Performer } from "./perform.ts";

interface Dependencies {
  readonly performer: Performer;
  readonly faultSettings: FaultSettingsBoard;
  readonly random: () => number;
}

const Key = Type.String({ minLength: 1, maxLength: 400 });
const headers = Type.Object({ "idempotency-key": Key });

/** Adds routes for every offer: to have it done and to have it undone, by idempotency key. */
export function effectRoutes(app: FastifyInstance, dependencies: Dependencies): void {
  for (const offer of offers) {
    offerRoute(app, offer, dependencies);
    if (offer.undoable) undoRoute(app, offer, dependencies);
  }
}

function offerRoute(
  app: FastifyInstance,
  offer: Offer,
  { performer, faultSettings, random }: Dependencies,
) {
  const schema = { headers, body: offer.body };
  app.post<{ Headers: { "idempotency-key": string } }>(
    pathOf(offer),
    { schema },
    (request, reply) => {
      const { holdMs = 0, ...rest } = faultSettings.of(offer.partner);
      const { body } = request;
      return disturb({ request, reply, faultSettings: rest, random }, () =>
        performer.perform(offer, { key: request.headers["idempotency-key"], body, holdMs }),
      );
    },
  );
}

function undoRoute(
  app: FastifyInstance,
  offer: Offer,
  { performer, faultSettings, random }: Dependencies,
) {
  const schema = { params: Type.Object({ key: Key }) };
  const path = `${pathOf(offer)}/by-key/:key`;
  app.delete<{ Params: { key: string } }>(path, { schema }, (request, reply) => {
    const { partner, resource } = offer;
    const { key } = request.params;
    return disturb({ request, reply, faultSettings: faultSettings.of(partner), random }, () =>
      performer.undo({ partner, resource, key }),
    );
  });
}

const pathOf = ({ partner, resource }: Offer): string => `/${partner}/${resource}`;
