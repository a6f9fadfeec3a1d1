import type { IConfigMap } from "kubernetes-models/v1/ConfigMap";
import type { IContainer } from "kubernetes-models/v1/Container";
import type { IPodTemplateSpec } from "kubernetes-models/v1/PodTemplateSpec";
import type { ISecret } from "kubernetes-models/v1/Secret";

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: unknown;
}

export interface Workload extends Manifest {
  readonly spec: { readonly replicas?: number; readonly template: IPodTemplateSpec };
}

const named = (objects: readonly Manifest[], kind: string, name: string) =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);

export const nameOf = ({ metadata }: Manifest): string => metadata.name;

export const ofKind = (objects: readonly Manifest[], kind: string): readonly Manifest[] =>
  objects.filter((object) => object.kind === kind);

/** Everything that makes pods of our image. A CronJob stands for the Job that it makes. */
export const workloadsOf = (objects: readonly Manifest[]): readonly Workload[] =>
  (objects as readonly (Workload | CronJob)[])
    .filter(({ kind }) => ["Deployment", "StatefulSet", "Job", "CronJob"].includes(kind))
    .map(jobOf)
    .filter((workload) => containerOf(workload).name === "service");

interface CronJob extends Manifest {
  readonly spec: { readonly jobTemplate: Pick<Workload, "spec"> };
}

const jobOf = (object: Workload | CronJob): Workload =>
  "jobTemplate" in object.spec ? { ...object, ...object.spec.jobTemplate } : (object as Workload);

/** The container of our program, which in a migration comes before the others. */
export function containerOf({ spec, metadata }: Workload): IContainer {
  const { containers = [], initContainers = [] } = spec.template.spec ?? {};
  const [first] = containers;
  const container =
    [...initContainers, ...containers].find(({ name }) => name === "service") ?? first;
  if (container === undefined) throw new Error(`${metadata.name} has no container`);
  return container;
}

/** Whether it is a service, and not what runs before one. */
export const isService = ({ kind, spec }: Workload): boolean =>
  kind === "Deployment" &&
  (spec.template.spec?.containers ?? []).some(({ name }) => name === "service");

/** The environment of a workload's container; secrets that are not there are made up. */
export function environmentOf(
  workload: Workload,
  objects: readonly Manifest[],
): Readonly<Record<string, string>> {
  const { env = [], envFrom = [] } = containerOf(workload);
  const fromMaps = envFrom.flatMap(({ configMapRef }) => {
    const map = named(objects, "ConfigMap", configMapRef?.name ?? "") as IConfigMap | undefined;
    if (map === undefined) throw new Error(`ConfigMap ${configMapRef?.name} is not there`);
    return Object.entries(map.data ?? {});
  });
  const given = env.map(({ name, value, valueFrom }) => {
    const reference = valueFrom?.secretKeyRef;
    return [name, reference === undefined ? (value ?? "") : secretOf(objects, reference)] as const;
  });
  return Object.fromEntries([...fromMaps, ...given]);
}

const madeUp: Readonly<Record<string, string>> = {
  STATE_STORE_URL: "postgres://login:password@host/holdfast",
  OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20x",
  BROKER_URL: "amqp://user:password@host/holdfast",
};

function secretOf(
  objects: readonly Manifest[],
  { name = "", key }: { readonly name?: string; readonly key: string },
): string {
  const secret = named(objects, "Secret", name) as ISecret | undefined;
  if (secret === undefined) return madeUp[key] ?? "";
  return Buffer.from(secret.data?.[key] ?? "", "base64").toString();
}
