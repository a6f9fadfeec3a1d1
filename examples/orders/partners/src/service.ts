import { defineService } from "@holdfast/runtime";
import { listenAsSet } from "@holdfast/runtime/http";
import { PartnersConfig } from "./config.ts";
import { openPartners } from "./partners.ts";

/** The simulated remote services of the shop, until its signal to stop. */
export const partnersService = defineService("partners", PartnersConfig, async (service) => {
  const { config, log, stopped, health } = service;
  await using partners = await openPartners({
    dataFolder: config.DATA_FOLDER,
    seed: config.SEED,
    log,
    faultSettings: {
      errorRate: config.ERROR_RATE,
      applyThenDropRate: config.APPLY_THEN_DROP_RATE,
      latencyMs: config.LATENCY,
      holdMs: config.HOLD,
    },
  });

  const url = await listenAsSet(partners.app, config);
  health.check("ledger", () => true);
  service.ready({ url });
  await stopped;
});
