import { seededRandom } from "@holdfast/runtime";
import { type FastifyInstance, fastify } from "fastify";
import { assessmentRoute } from "./assessment-route.ts";
import { effectRoutes } from "./effect-routes.ts";
import { type FaultSettings, openFaultSettings } from "./fault-settings.ts";
import { faultSettingsRoutes } from "./fault-settings-routes.ts";
import { openLedger } from "./ledger.ts";
import { openLedgerFile } from "./ledger-file.ts";
import { ledgerRoutes } from "./ledger-routes.ts";
import { openPerformer } from "./perform.ts";

export interface PartnersOptions {
  /** The folder in which the ledger is kept. One process at a time. */
  readonly dataFolder: string;
  /** The seed of all that is left to chance. */
  readonly seed: number;
  readonly log: {
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
  /** How badly all partners behave at first. */
  readonly faultSettings?: FaultSettings;
}

export interface Partners extends AsyncDisposable {
  readonly app: FastifyInstance;
}

/** All partners behind one HTTP server, which does not listen yet. */
export async function openPartners(options: PartnersOptions): Promise<Partners> {
  const { dataFolder, seed, log } = options;
  const file = await openLedgerFile(dataFolder, log);
  const ledger = openLedger(file);
  const faultSettings = openFaultSettings(options.faultSettings ?? {});
  const random = seededRandom(seed);

  const app = fastify({
    // A misspelt fault setting is refused, not dropped.
    ajv: { customOptions: { removeAdditional: false } },
    // Keys stand in paths, with every `:` escaped.
    routerOptions: { maxParamLength: 2_000 },
  });
  app.setErrorHandler<Error & { statusCode?: number }>((error, _request, reply) => {
    const { statusCode = 500, message } = error;
    if (statusCode >= 500) log.error({ err: error }, "request failed");
    return reply.code(statusCode).send({ code: statusCode < 500 ? "invalid" : "failed", message });
  });
  effectRoutes(app, { performer: openPerformer(ledger), faultSettings, random });
  assessmentRoute(app, { faultSettings, random });
  ledgerRoutes(app, ledger);
  faultSettingsRoutes(app, faultSettings);

  return {
    app,
    async [Symbol.asyncDispose]() {
      await app.close();
      await file[Symbol.asyncDispose]();
    },
  };
}
