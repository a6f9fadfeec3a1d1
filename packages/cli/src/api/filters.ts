import type { ListFilter } from "@holdfast/client";
import { own } from "./own-options.ts";
import { requestOptions } from "./request-options.ts";
import { labelsOf } from "./values.ts";
import type { Invocation } from "./verb.ts";

const request = requestOptions("listTasks", {
  state: {},
  workflow: { value: "NAME" },
  key: {},
  priority: {},
  faultCode: {},
  correlationId: {},
  awaiting: { value: "STEP" },
  fingerprint: {},
  text: {},
  createdFrom: { value: "INSTANT", isInstant: true },
  createdBefore: { value: "INSTANT", isInstant: true },
});

/** The options that say which tasks are meant. */
export const filterOptions = { ...request.options, ...own("label") };

/** What the options ask for; null: none is given. */
export async function filterOf(invocation: Invocation): Promise<ListFilter | null> {
  const labels = Object.entries(labelsOf(invocation.texts("label")));
  const asked: ListFilter = {
    ...(await request.read(invocation)),
    ...Object.fromEntries(labels.map(([name, value]) => [`label.${name}`, value])),
  };
  return Object.keys(asked).length === 0 ? null : asked;
}
