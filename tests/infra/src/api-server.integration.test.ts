import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { apiServerPrograms, kubernetesVersion } from "./api-server/programs.ts";
import { type ApiServer, startApiServer } from "./api-server/start-api-server.ts";
import { getHelm, renderChart } from "./helm.ts";
import { render, whyNotRendered } from "./kustomize.ts";
import { type Manifest, nameOf, ofKind, workloadsOf } from "./manifest.ts";
import { filesIn, pathOf } from "./repository.ts";

const programs = apiServerPrograms();
const helm = getHelm();
const why =
  whyNotRendered() ??
  ("reason" in programs ? programs.reason : null) ??
  ("reason" in helm ? helm.reason : null);
if (why !== null) process.stderr.write(`Nothing is applied to a real API server: ${why}.\n`);
const describeApplied = why === null ? describe : describe.skip;
const because = why === null ? "" : ` (skipped: ${why})`;

const run = promisify(execFile);
const namespace = "holdfast";

let server: ApiServer;
/** A copy of infra, for the next release. */
let next = "";
const stopping = new AsyncDisposableStack();

/** The kinds of others that the chart and the folders have, by what their own projects define. */
const definitions = filesIn("tests/infra/definitions").filter((file) => file.endsWith(".json"));

beforeAll(async () => {
  if ("reason" in programs || why !== null) return;
  server = stopping.use(await startApiServer(programs));
  next = mkdtempSync(join(tmpdir(), "holdfast-next-"));
  stopping.defer(() => rmSync(next, { recursive: true, force: true }));
  cpSync(pathOf("infra"), next, { recursive: true });
  for (const file of definitions)
    await server.kubectl(["apply", "--server-side", "-f", pathOf(file)]);
  await server.kubectl(["wait", "--for=condition=Established", "crd", "--all"]);
});
afterAll(async () => {
  await stopping.disposeAsync();
});

/** Applies a Kustomize folder, with fields that do not exist refused. */
const apply = (folder: string): Promise<string> =>
  server.kubectl(["apply", "--server-side", "--validate=strict", "-k", folder]);

const listed = async (kinds: string): Promise<readonly Manifest[]> => {
  const text = await server.kubectl(["get", kinds, "--namespace", namespace, "-o", "json"]);
  return (JSON.parse(text) as { readonly items: readonly Manifest[] }).items;
};

const imageOf = async (deployment: string): Promise<string> =>
  server.kubectl([
    "get",
    `deployment/${deployment}`,
    "--namespace",
    namespace,
    "-o",
    "jsonpath={.spec.template.spec.initContainers[*].image} {.spec.template.spec.containers[*].image}",
  ]);

/** Writes the next release into the copy: another image, and another setting of every service. */
function release(overlay: string): string {
  const replaced = (file: string, from: RegExp, to: string): void => {
    const text = readFileSync(join(next, file), "utf8");
    if (!from.test(text)) throw new Error(`${file} has no ${from}`);
    writeFileSync(join(next, file), text.replace(from, to));
  };
  replaced(`kubernetes/${overlay}/kustomization.yaml`, /newTag: (0\.1\.0|local)/g, "newTag: 9.9.9");
  replaced("kubernetes/base/kustomization.yaml", /LOG_LEVEL=\w+/, "LOG_LEVEL=debug");
  return join(next, "kubernetes", overlay);
}

describeApplied(`Kustomize on Kubernetes ${kubernetesVersion}${because}`, () => {
  test.each(["overlays/local", "overlays/production"])(
    "%s is accepted, then the next release is, and all of it goes away again",
    async (overlay) => {
      const folder = pathOf(`infra/kubernetes/${overlay}`);
      await apply(folder);
      await apply(folder);
      expect(await imageOf("migrate")).not.toContain("9.9.9");
      const later = release(overlay);
      await apply(later);
      expect(await imageOf("migrate")).toMatch(/holdfast:9\.9\.9 .*holdfast:9\.9\.9$/);
      expect(await imageOf("scheduler")).toMatch(/holdfast:9\.9\.9$/);
      await server.kubectl(["delete", "--wait=false", "-k", later]);
      expect(await listed("deployments,services,networkpolicies,poddisruptionbudgets")).toEqual([]);
      await emptied();
    },
  );

  test.each(["keda", "supervisor-cron", "tls", "tracing"])(
    "examples/%s is accepted",
    async (name) => {
      const folder = pathOf(`infra/kubernetes/examples/${name}`);
      await apply(pathOf("infra/kubernetes/overlays/production"));
      await apply(folder);
      await server.kubectl(["delete", "--wait=false", "--ignore-not-found", "-k", folder]);
      await emptied();
    },
  );

  test("a Job of one release refuses the next one, which is why there is none", async () => {
    await server.kubectl(["create", "namespace", "jobs"]);
    const job = (image: string): string =>
      JSON.stringify({
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name: "migrate", namespace: "jobs" },
        spec: {
          template: { spec: { restartPolicy: "Never", containers: [{ name: "service", image }] } },
        },
      });
    await server.kubectl(["apply", "--server-side", "-f", "-"], job("holdfast:1"));
    await expect(
      server.kubectl(["apply", "--server-side", "-f", "-"], job("holdfast:2")),
    ).rejects.toThrow(/field is immutable/);
  });

  test("each pod of overlays/production may run where Kubernetes enforces its strictest standard", async () => {
    const objects = render("infra/kubernetes/overlays/production");
    const [strict] = ofKind(objects, "Namespace");
    await server.kubectl(["apply", "--server-side", "-f", "-"], JSON.stringify(strict));
    const workloads = workloadsOf(objects);
    expect(workloads.length).toBeGreaterThan(8);
    for (const one of workloads) {
      const pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: nameOf(one), namespace },
        spec: one.spec.template.spec,
      };
      await server.kubectl(["create", "--dry-run=server", "-f", "-"], JSON.stringify(pod));
    }
    const bare = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "bare", namespace },
      spec: { containers: [{ name: "service", image: "holdfast" }] },
    };
    await expect(
      server.kubectl(["create", "--dry-run=server", "-f", "-"], JSON.stringify(bare)),
    ).rejects.toThrow(/violates PodSecurity/);
    await emptied();
  });
});

/**
 * Waits until the namespace is gone: its controller, of which there is none, would take the
 * finalizer away.
 */
async function emptied(): Promise<void> {
  await server.kubectl(["delete", "namespace", namespace, "--wait=false", "--ignore-not-found"]);
  for (const kind of ["secrets", "configmaps", "horizontalpodautoscalers", "cronjobs", "jobs"]) {
    await server.kubectl(["delete", kind, "--all", "--namespace", namespace, "--wait=false"]);
  }
  const found = await server.kubectl([
    "get",
    "namespace",
    namespace,
    "--ignore-not-found",
    "-o",
    "json",
  ]);
  if (found === "") return;
  const finalized = { ...(JSON.parse(found) as object), spec: { finalizers: [] } };
  await server.kubectl(
    ["replace", "--raw", `/api/v1/namespaces/${namespace}/finalize`, "-f", "-"],
    JSON.stringify(finalized),
  );
}

describeApplied(`the chart on Kubernetes ${kubernetesVersion}${because}`, () => {
  const chart = async (...args: readonly string[]): Promise<string> => {
    if ("reason" in helm) throw new Error(helm.reason);
    const [verb = "", ...others] = args;
    const all = [verb, namespace, ...others, "--namespace", namespace];
    const { stdout } = await run(helm.command, all, { env: server.env });
    return stdout;
  };
  const folder = pathOf("infra/helm/holdfast");
  const shop = ["--values", pathOf("infra/helm/example.yaml")];
  const bent = [
    "imagePullSecrets[0].name=registry",
    "tolerations[0].key=only,tolerations[0].operator=Exists",
    "openshift=true",
    "extraEnv[0].name=LOG_LEVEL,extraEnv[0].value=debug",
    "scheduler.resources.requests.cpu=1",
    "ca.secret=servers-ca",
    "serviceAccount.create=true",
    "submission.ingress.enabled=true,submission.ingress.hosts[0]=orders.example",
    "supervisorSchedule=* * * * *",
    "submission.httpRoute.enabled=true,submission.httpRoute.hostnames[0]=orders.example",
    "submission.httpRoute.parentRefs[0].name=gateway",
    "metrics.podMonitor.enabled=true,metrics.podMonitor.labels.release=prometheus",
    "keda.enabled=true,keda.serverAddress=http://prometheus:9090",
    "keda.authenticationRef.name=prometheus",
    "commonLabels.team=shop",
    "service.ipFamilyPolicy=SingleStack",
  ].flatMap((value) => ["--set", value]);

  /** Completes each Job, as the node and the controller would that are not there. */
  async function completeJobs(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const jobs = (await listed("jobs")) as readonly (Manifest & { readonly status?: object })[];
      for (const job of jobs.filter(({ status }) => !("completionTime" in (status ?? {})))) {
        const at = new Date(Date.now() - 1_000).toISOString().replace(/\.\d+Z$/, "Z");
        const condition = (type: string) => ({
          type,
          status: "True",
          lastProbeTime: at,
          lastTransitionTime: at,
          reason: "CompletionsReached",
        });
        const status = {
          startTime: at,
          completionTime: at,
          succeeded: 1,
          conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
        };
        const patch = JSON.stringify({ status });
        const where = ["--namespace", namespace, "--subresource=status", "--type=merge"];
        await server
          .kubectl(["patch", "job", nameOf(job), ...where, "--patch", patch])
          .catch(() => {});
      }
      await sleep(200, undefined, { signal }).catch(() => {});
    }
  }

  test("no object has a field that its definition does not know, also of the kinds of others", async () => {
    await server.kubectl(["create", "namespace", namespace]);
    const objects = renderChart(helm, [...shop, ...bent]);
    const kinds = objects.map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(["ScaledObject", "PodMonitor", "HTTPRoute"]));
    const options = ["--server-side", "--dry-run=server", "--validate=strict"];
    const dryRun = (items: readonly unknown[]): Promise<string> =>
      server.kubectl(
        ["apply", ...options, "--namespace", namespace, "-f", "-"],
        JSON.stringify({ apiVersion: "v1", kind: "List", items }),
      );
    await dryRun(objects);
    for (const kind of ["ScaledObject", "PodMonitor", "HTTPRoute"]) {
      const [one] = ofKind(objects, kind);
      const misspelt = { ...one, spec: { ...(one?.spec as object), poolingInterval: 15 } };
      await expect(dryRun([misspelt])).rejects.toThrow(/poolingInterval/);
    }
    await emptied();
  });

  const deployments = async (): Promise<readonly string[]> =>
    (await listed("deployments")).map(nameOf).toSorted();

  test("it is installed, upgraded with all that bends it, rolled back and uninstalled", async () => {
    await server.kubectl(["create", "namespace", namespace]);
    const done = new AbortController();
    const completing = completeJobs(done.signal);
    try {
      const said = await chart("install", folder, ...shop, "--timeout", "60s");
      expect(said).toContain("Network policies cut off what is not listed here");
      const first = await deployments();
      expect(first).toContain("supervisor");
      expect(await imageOf("scheduler")).toMatch(/holdfast:0\.1\.0$/);

      await chart(
        "upgrade",
        folder,
        ...shop,
        ...bent,
        "--set",
        "image.tag=9.9.9",
        "--timeout",
        "60s",
      );
      expect(await imageOf("scheduler")).toMatch(/holdfast:9\.9\.9$/);
      expect(await deployments()).toEqual(first.filter((name) => name !== "supervisor"));
      expect((await listed("scaledobjects")).length).toBeGreaterThan(0);
      expect((await listed("cronjobs")).map(nameOf)).toEqual(["supervisor"]);

      await chart("rollback", "1", "--timeout", "60s");
      expect(await imageOf("scheduler")).toMatch(/holdfast:0\.1\.0$/);
      expect(await deployments()).toEqual(first);
      expect(await listed("scaledobjects")).toEqual([]);

      await chart("uninstall", "--timeout", "60s");
      expect(
        await listed("deployments,services,networkpolicies,ingresses,horizontalpodautoscalers"),
      ).toEqual([]);
    } finally {
      done.abort();
      await completing;
    }
    await emptied();
  });
});
