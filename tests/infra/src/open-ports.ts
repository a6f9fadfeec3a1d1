import type { INetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { type Manifest, ofKind } from "./manifest.ts";

type Labels = Readonly<Record<string, string>>;
type Selector = NonNullable<NonNullable<INetworkPolicy["spec"]>["podSelector"]>;

/** The ports to which a pod with these labels may connect, by all policies together. */
export function openPorts(
  objects: readonly Manifest[],
  labels: Labels,
): readonly (string | number | undefined)[] {
  const policies = (ofKind(objects, "NetworkPolicy") as readonly INetworkPolicy[]).filter(
    ({ spec }) => spec?.policyTypes?.includes("Egress") && selects(spec.podSelector ?? {}, labels),
  );
  return policies.flatMap(({ spec }) =>
    (spec?.egress ?? []).flatMap(({ ports = [] }) => ports.map(({ port }) => port)),
  );
}

function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const isListed = values.includes(labels[key] ?? "");
      return operator === "In" ? isListed : !isListed;
    })
  );
}
