import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { parseAllDocuments, stringify } from "yaml";
import { routes } from "../../api/app.ts";
import { commands } from "../../cli/commands.ts";
import { loadConfig, settings } from "../../cli/config.ts";
import { stopDeadline } from "../../cli/stopping.ts";
import { queues } from "../../domain/queues.ts";
import { taskQueue } from "../../workflows/names.ts";
import { optionsOf } from "../support/command-options.ts";
import { folderOfTest } from "../support/of-test.ts";

const helm = inject("helm");
const kubeconform = inject("kubeconform");

const root = join(import.meta.dirname, "../..");
const chart = join(root, "deploy/helm/lectern");
const versions = ["1.33.0", "1.35.0", "1.37.0"];

/** Examples and variants. */
const names = ["bare", "eks", "gke", "least", "most"];

/** Kinds of operators, of which Kubernetes has no schema. */
const foreign = ["ScaledObject", "PodMonitor", "PrometheusRule"];

const servers = { MEILI_URL: "http://meilisearch:7700", TEMPORAL_ADDRESS: "temporal:7233" };
const scaled = { autoscaling: { enabled: true } };

/** Values beside those of the examples: the least, and everything that can be turned on. */
const variants: Readonly<Record<string, object>> = {
  least: {
    settings: { ...servers, BLOB_URL: "s3://lectern" },
    meilisearchKeys: "keys",
    api: { autoscaling: { enabled: false } },
    workers: Object.fromEntries(queues.map((queue) => [queue, { autoscaling: { enabled: false } }])),
    serviceAccount: { create: false },
    networkPolicy: { enabled: false },
    podDisruptionBudget: false,
  },
  most: {
    image: { tag: "1.2.3" },
    imagePullSecrets: [{ name: "registry" }],
    settings: { ...servers, SHUTDOWN_GRACE_SECONDS: "120", FETCH_ALLOW: "git.internal:443" },
    secretSettings: { GITHUB_API_TOKEN: { name: "lectern", key: "github" } },
    blobs: { existingClaim: "blobs" },
    certificates: { configMap: "authorities" },
    serviceAccount: { annotations: { role: "lectern" } },
    podAnnotations: { note: "x" },
    podLabels: { team: "docs" },
    nodeSelector: { pool: "docs" },
    tolerations: [{ key: "docs", operator: "Exists" }],
    affinity: { nodeAffinity: {} },
    priorityClassName: "high",
    ingress: { enabled: true, className: "nginx", host: "docs.example.com", tlsSecret: "tls", annotations: { a: "b" } },
    workers: Object.fromEntries(queues.map((queue) => [queue, scaled])),
    keda: { enabled: true, authentication: "temporal" },
    monitoring: {
      podMonitor: { enabled: true, labels: { release: "prometheus" }, key: { name: "lectern", key: "metrics" } },
      rules: { enabled: true, labels: { release: "prometheus" } },
    },
  },
};

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args: readonly string[];
  readonly env: readonly { name: string; value?: string }[];
  readonly volumeMounts: readonly { name: string; mountPath: string }[];
  readonly securityContext: object;
  readonly resources: { readonly limits: { memory: string }; readonly requests: { cpu: string; memory: string } };
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
}

interface Pod {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes: readonly { name: string; secret?: { items: readonly { key: string }[] } }[];
  readonly securityContext: object;
  readonly serviceAccountName: string;
  readonly terminationGracePeriodSeconds: number;
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly template?: { readonly metadata: { labels: Record<string, string> }; readonly spec: Pod };
    readonly scaleTargetRef?: { readonly name: string };
    readonly triggers?: readonly { metadata: Record<string, string> }[];
  };
}

function run(program: string, args: readonly string[]): Promise<{ code: number; out: string }> {
  return new Promise((resolve) => {
    execFile(program, [...args], { maxBuffer: 50_000_000 }, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, out: error ? `${stdout}${stderr}` : stdout }),
    );
  });
}

/** What the chart becomes, rendered once for values and version. */
const rendered = new Map<string, Promise<string>>();

function render(name: string, version = "1.35.0"): Promise<string> {
  const work = async (): Promise<string> => {
    const options = ["--namespace", "docs", "--kube-version", version, "--values", await valuesOf(name)];
    const { code, out } = await run(helm ?? "", ["template", "lectern", chart, ...options]);
    expect(code, out).toBe(0);
    return out;
  };
  const known = rendered.get(name + version) ?? work();
  rendered.set(name + version, known);
  return known;
}

/** The file of values of an example or a variant. */
async function valuesOf(name: string): Promise<string> {
  const variant = variants[name];
  if (!variant) return join(root, `deploy/helm/examples/${name}.yaml`);
  const file = join(await folderOfTest(), `${name}.yaml`);
  await writeFile(file, stringify(variant));
  return file;
}

describe.skipIf(helm === null).each(names)("the chart with the values of %s", (name) => {
  const manifests = async () => parseAllDocuments(await render(name)).map((one) => one.toJS() as Manifest);
  const pods = async () =>
    (await manifests()).flatMap(({ kind, metadata, spec }) =>
      spec?.template ? [{ kind, name: metadata.name, ...spec.template.spec }] : [],
    );

  it("passes helm lint", async () => {
    const { code, out } = await run(helm ?? "", ["lint", "--strict", chart, "--values", await valuesOf(name)]);
    expect(code, out).toBe(0);
  });

  it("runs existing commands, with settings that the program takes", async () => {
    const known = new Set(
      Object.values(settings).flatMap(({ env, secret }) => (secret ? [env, `${env}_FILE`] : [env])),
    );
    const others = /^(?:AWS_\w+|NODE_EXTRA_CA_CERTS)$/;
    const containers = (await pods()).flatMap(({ containers, initContainers = [] }) => [
      ...initContainers,
      ...containers,
    ]);
    const own = containers.filter(({ command }) => command === undefined);
    expect(new Set(own.map(({ args }) => args[0]))).toEqual(new Set(["setup", "api", "worker"]));
    for (const {
      args: [command = "", ...options],
      env,
      volumeMounts,
    } of own) {
      expect(Object.keys(commands)).toContain(command);
      for (const option of options.filter((arg) => arg.startsWith("--"))) expect(optionsOf(command)).toContain(option);
      expect(env.filter((one) => !known.has(one.name) && !others.test(one.name))).toEqual([]);
      for (const { name: file, value = "" } of env.filter((one) => one.name.endsWith("_FILE")))
        expect(
          volumeMounts.some(({ mountPath }) => value.startsWith(`${mountPath}/`)),
          file,
        ).toBe(true);
      const given = env.filter(({ name: setting, value }) => value !== undefined && !setting.endsWith("_FILE"));
      expect(() =>
        loadConfig(Object.fromEntries(given.map(({ name: setting, value }) => [setting, value]))),
      ).not.toThrow();
    }
    const served = own.flatMap(({ env }) =>
      env.filter((one) => one.name === "WORKER_QUEUES").map(({ value }) => value),
    );
    expect(new Set(served)).toEqual(new Set(queues));
    expect(served).toHaveLength(queues.length);
  });

  it("probes existing routes, at the port that the process has", async () => {
    for (const { kind, containers } of await pods()) {
      if (kind === "Job") continue;
      for (const container of containers) {
        const { startupProbe, livenessProbe, readinessProbe, env } = container;
        const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path);
        expect(paths).toEqual(["/api/health", "/api/health", "/api/ready"]);
        for (const path of paths) expect(routes.map((route) => route.path)).toContain(path);
        const ports = env.filter((one) => ["PORT", "WORKER_PORT"].includes(one.name)).map(({ value }) => Number(value));
        expect(container).toMatchObject({ ports: [{ name: "http", containerPort: ports[0] }] });
      }
    }
  });

  it("gives processes the time to stop that they take", async () => {
    for (const { kind, containers, terminationGracePeriodSeconds: grace } of await pods()) {
      if (kind === "Job") continue;
      const value = containers[0]?.env.find((one) => one.name === "SHUTDOWN_GRACE_SECONDS")?.value;
      const isWorker = containers[0]?.args[0] === "worker";
      // A worker takes the grace of its steps and four seconds; ten pass before the API gets its signal.
      const taken = isWorker ? Math.max(stopDeadline / 1000, Number(value) + 4) : 10 + stopDeadline / 1000;
      expect(grace).toBeGreaterThan(taken + 5);
    }
  });

  it("runs everything without root, rights, a writable root and a token of Kubernetes", async () => {
    for (const pod of await pods()) {
      expect(pod).toMatchObject({
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: "RuntimeDefault" } },
      });
      for (const container of [...(pod.initContainers ?? []), ...pod.containers]) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
        expect(container.resources.limits.memory).toMatch(/^\d+[MG]i$/);
        for (const { name: mount } of container.volumeMounts)
          expect(pod.volumes.map((one) => one.name)).toContain(mount);
      }
    }
    const accounts = (await manifests()).filter(({ kind }) => kind === "ServiceAccount");
    for (const account of accounts) expect(account).toMatchObject({ automountServiceAccountToken: false });
  });

  it("gives each process only the secrets that it needs", async () => {
    for (const { kind, name: pod, volumes } of await pods()) {
      const keys = volumes.find((one) => one.name === "secrets")?.secret?.items.map(({ key }) => key);
      const more = kind === "Job" ? ["admin-key", "meili-master-key"] : pod.endsWith("-api") ? ["admin-key"] : [];
      expect(keys).toEqual(["database-url", "encryption-keys", ...more]);
    }
  });

  it("scales existing Deployments by queues that Temporal has", async () => {
    const all = await manifests();
    const names = all.filter(({ kind }) => kind === "Deployment").map(({ metadata }) => metadata.name);
    const scalers = all.filter(({ spec }) => spec?.scaleTargetRef);
    for (const { spec } of scalers) expect(names).toContain(spec.scaleTargetRef?.name);
    const asked = scalers.flatMap(
      ({ spec }) => spec.triggers?.map(({ metadata }) => metadata["taskQueue"] ?? "") ?? [],
    );
    for (const queue of asked) expect(queues.map(taskQueue)).toContain(queue);
    if (name === "most") expect(asked.toSorted()).toEqual(queues.map(taskQueue).toSorted());
  });
});

describe.skipIf(helm === null)("the chart", () => {
  it.skipIf(kubeconform === null).each(versions)("is right by the schemas of Kubernetes %s", async (version) => {
    const folder = await folderOfTest();
    for (const name of names) await writeFile(join(folder, `${name}.yaml`), await render(name, version));
    const template = "{{.NormalizedKubernetesVersion}}-local-strict/{{.ResourceKind}}{{.KindSuffix}}.json";
    const schemas = ["-schema-location", join(kubeconform?.schemas ?? "", template), "-kubernetes-version", version];
    const args = ["-strict", "-skip", foreign.join(","), ...schemas, folder];
    // One that is wrong, which has to be the only one that is found.
    const broken = (await render("bare", version)).replaceAll("replicas:", "replicaz:");
    await writeFile(join(folder, "broken.yaml"), broken);
    const { out } = await run(kubeconform?.path ?? "", args);
    const problems = out.trim().split("\n");
    expect(problems.filter((line) => !line.startsWith(join(folder, "broken.yaml")))).toEqual([]);
    expect(problems.join("\n")).toContain("'replicaz' not allowed");
  });

  it.each([
    [
      "a setting that is misspelt",
      { settings: { ...servers, BLOB_URL: "s3://b", MEILLI_PREFIX: "x" } },
      "MEILLI_PREFIX",
    ],
    ["no place for blobs", { settings: servers }, "BLOB_URL"],
    [
      "a secret among the settings",
      { settings: { ...servers, BLOB_URL: "s3://b", SCREEN_TOKEN: "x" } },
      "SCREEN_TOKEN",
    ],
    ["an ingress without a host", { ...variants["most"], ingress: { enabled: true } }, "host"],
  ])("refuses %s", async (_, values, word) => {
    const file = join(await folderOfTest(), "values.yaml");
    await writeFile(file, stringify(values));
    const { code, out } = await run(helm ?? "", ["template", "lectern", chart, "--values", file]);
    expect({ code, named: out.includes(word) }).toEqual({ code: 1, named: true });
  });

  it("prepares everything before the rest, in this order", async () => {
    const hooks = parseAllDocuments(await render("bare"))
      .map((one) => one.toJS() as Manifest)
      .flatMap(({ kind, metadata: { annotations = {} } }) =>
        "helm.sh/hook" in annotations ? [{ kind, weight: Number(annotations["helm.sh/hook-weight"]) }] : [],
      )
      .toSorted((a, b) => a.weight - b.weight);
    expect(hooks.map(({ kind }) => kind)).toEqual(["ServiceAccount", "Role", "RoleBinding", "Job"]);
  });
});
