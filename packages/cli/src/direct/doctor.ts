import type { components } from "@holdfast/client";
import { examinationResource, examine } from "@holdfast/diagnosis";
import { BrokerManagementUrl, BrokerUrl, parseConfig, StateStoreUrl } from "@holdfast/runtime";
import { Type } from "typebox";
import type { Invocation } from "../api/verb.ts";
import { exitCodes } from "../exit-codes.ts";
import { durationOf, environmentFor } from "./settings.ts";

const Settings = Type.Object({
  STATE_STORE_URL: StateStoreUrl,
  BROKER_URL: BrokerUrl,
  BROKER_MANAGEMENT_URL: Type.Optional(BrokerManagementUrl),
});

/**
 * Looks at how everything around Holdfast is set up. An exit code says that a server did not
 * answer.
 */
export async function doctor(invocation: Pick<Invocation, "text" | "io">): Promise<{
  readonly found: components["schemas"]["Examination"];
  readonly exitCode?: number;
}> {
  const settings = parseConfig(Settings, environmentFor(invocation));
  const examination = await examine({
    name: "holdfast doctor",
    stateStoreUrl: settings.STATE_STORE_URL,
    brokerUrl: settings.BROKER_URL,
    managementUrl: settings.BROKER_MANAGEMENT_URL ?? null,
    now: () => Date.now(),
    openFor: durationOf(invocation, "open-for") ?? 60_000,
    consumerTimeout: durationOf(invocation, "consumer-timeout"),
  });
  const { findings, ...resource } = examinationResource(examination, new Date().toISOString());
  return {
    found: { ...resource, findings: [...findings] },
    ...(examination.complete ? {} : { exitCode: exitCodes.notReachable }),
  };
}
