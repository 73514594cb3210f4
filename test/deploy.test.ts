import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { routes } from "../api/app.ts";
import { meilisearchFlags } from "../tools/dev/meilisearch.ts";
import { testedVersions } from "../tools/dev/program.ts";
import { commands } from "../cli/commands.ts";
import { loadConfig, settings } from "../cli/config.ts";
import { compose as composeWith, schemaErrors, variablesOf } from "./support/compose.ts";
import { optionsOf } from "./support/command-options.ts";
import { textOf } from "./support/documents.ts";
import { folderOfTest } from "./support/of-test.ts";

const root = join(import.meta.dirname, "..");

const baseFile = "compose.cluster.yaml";
const privateFile = "compose.private.example.yaml";

/** Values for .env, as an operator would fill it in. */
const filledIn: Readonly<Record<string, string>> = {
  POSTGRES_PASSWORD: "of-the-superuser-0123",
  DATABASE_PASSWORD: "abcdef0123456789",
  MEILI_MASTER_KEY: "0123456789abcdef0123456789abcdef",
  AWS_ACCESS_KEY_ID: "id",
  AWS_SECRET_ACCESS_KEY: "secret",
};

/** Reads a file with these values. */
const compose = (name: string, env = filledIn) => composeWith(name, env);

const base = compose(baseFile);
const services = Object.entries(base.services);
const own = services.filter(([, { image }]) => image.startsWith("lectern"));
const ownProcesses = own.filter(([, { entrypoint }]) => entrypoint === undefined);
const longRunning = services.filter(([, { restart }]) => restart === "unless-stopped");

/** Variables of Node and the AWS and Temporal libraries. */
const standardNames = /^(?:NODE_EXTRA_CA_CERTS|AWS_[A-Z_]+|TEMPORAL_(?:API_KEY|TLS\w*|PROFILE))$/;
const settingNames = new Set(
  Object.values(settings).flatMap(({ env, secret }) => (secret ? [env, `${env}_FILE`] : [env])),
);

describe.each([baseFile, privateFile])("%s", (name) => {
  it("matches the schema of the Compose specification", () => {
    expect(schemaErrors(compose(name))).toBeNull();
  });

  it("gives our services existing settings with valid values", async () => {
    const folder = await folderOfTest();
    const fileOf = async (setting: string): Promise<string> => {
      const path = join(folder, setting);
      await writeFile(
        path,
        setting === "ENCRYPTION_KEYS_FILE" ? Buffer.alloc(32, 7).toString("base64") : "k".repeat(24),
      );
      return path;
    };
    const added = name === baseFile ? {} : compose(name).services;
    for (const [service, { environment = {} }] of ownProcesses) {
      const merged: Record<string, string> = { ...environment, ...added[service]?.environment };
      for (const [setting, value] of Object.entries(merged)) {
        if (!standardNames.test(setting)) expect(settingNames, `${service}: ${setting}`).toContain(setting);
        expect(typeof value, `${service}: ${setting}`).toBe("string");
      }
      const readable: Record<string, string> = {};
      for (const [setting, value] of Object.entries(merged))
        readable[setting] = setting.endsWith("_FILE") ? await fileOf(setting) : value;
      expect(() => loadConfig(readable)).not.toThrow();
    }
  });
});

describe("the cluster of compose.cluster.yaml", () => {
  it("runs existing commands with existing options", () => {
    const used = ownProcesses.map(([, { command = [] }]) => command);
    expect(new Set(used.map(([command]) => command))).toEqual(new Set(["setup", "api", "worker"]));
    for (const [command = "", ...args] of used) {
      expect(Object.keys(commands)).toContain(command);
      for (const arg of args.filter((text) => text.startsWith("--"))) expect(optionsOf(command)).toContain(arg);
    }
  });

  it("serves every queue", () => {
    const served = own.flatMap(([, { environment }]) => environment?.["WORKER_QUEUES"]?.split(",") ?? []);
    expect(served.toSorted().join(",")).toBe(settings.workerQueues.default.split(",").toSorted().join(","));
  });

  it("runs the servers of the tests, with tags of exact versions", () => {
    const images = Object.fromEntries(services.map(([name, { image }]) => [name, image]));
    expect(images).toMatchObject({
      temporal: `temporalio/server:${testedVersions.temporal}`,
      "temporal-ui": `temporalio/ui:${testedVersions.temporalUi}`,
      meilisearch: `getmeili/meilisearch:v${testedVersions.meilisearch}`,
    });
    expect(images["temporal-schema"]).toMatch(new RegExp(`^temporalio/admin-tools:${testedVersions.temporal}(?:-|$)`));
    expect(base.services["meilisearch"]?.command).toEqual(["meilisearch", ...meilisearchFlags]);
    const { version } = JSON.parse(textOf("package.json")) as { version: string };
    for (const [, { image, build }] of services) {
      expect(image).toMatch(/^[\w./-]+:v?\d+\.\d+(?:\.\d+)?(?:-[\w.-]+)?$/);
      expect(build !== undefined).toBe(image.endsWith(`:${version}`));
    }
  });

  it("enables the same features of Temporal as the tests: priority and fairness", () => {
    const started = textOf("tools/dev/temporal.ts");
    const file = base.services["temporal"]?.volumes?.[0]?.split(":") ?? [];
    const dynamic = parse(textOf(file[0] ?? "")) as Record<string, readonly { value: unknown }[]>;
    expect(base.services["temporal"]?.environment?.["DYNAMIC_CONFIG_FILE_PATH"]).toBe(file[1]);
    const switches = [...started.matchAll(/--dynamic-config-value=([\w.]+)=true"/g)].map(([, key = ""]) => key);
    expect(switches.length).toBeGreaterThan(0);
    expect(dynamic).toEqual(Object.fromEntries(switches.map((key) => [key, [{ value: true }]])));
  });

  it("can be reached from this machine only, by the API and the Web UI", () => {
    const published = services.flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${port}`));
    const { port, publicUrl } = settings;
    expect(publicUrl.default).toBe("");
    expect(published).toEqual(["temporal-ui 127.0.0.1:8233:8080", `api 127.0.0.1:${port.default}:${port.default}`]);
    const api = base.services["api"]?.environment;
    expect(api).toMatchObject({ PORT: port.default, PUBLIC_URL: `http://127.0.0.1:${port.default}` });
    expect(api?.["TEMPORAL_UI_ORIGINS"]?.split(",")).toContain("http://127.0.0.1:8233");
  });

  it("sets AUTH_ANONYMOUS, which .env can override", () => {
    expect(base.services["api"]?.environment?.["AUTH_ANONYMOUS"]).toBe(settings.anonymous.default);
    const closed = compose(baseFile, { ...filledIn, AUTH_ANONYMOUS: "off" });
    expect(closed.services["api"]?.environment?.["AUTH_ANONYMOUS"]).toBe("off");
  });

  it("has health checks for long-running services, ours with an existing route", () => {
    for (const [name, { healthcheck }] of longRunning) expect(healthcheck?.test[0], name).toBe("CMD");
    for (const [name, { healthcheck }] of longRunning.filter(([, { build }]) => build)) {
      const path = /\/api\/\w+/.exec(healthcheck?.test.join(" ") ?? "")?.[0];
      expect(
        routes.map((route) => route.path),
        name,
      ).toContain(path);
    }
    for (const [name, { environment }] of ownProcesses.filter(([, { command }]) => command?.[0] === "worker"))
      expect(Number(environment?.["WORKER_PORT"]), name).toBeGreaterThan(0);
  });

  it("starts each service after its dependencies", () => {
    for (const [name, { depends_on: needs = {} }] of services) {
      for (const [needed, { condition }] of Object.entries(needs)) {
        const service = base.services[needed];
        expect(service, `${name} needs ${needed}`).toBeDefined();
        expect(condition).toBe(
          service?.restart === "unless-stopped" ? "service_healthy" : "service_completed_successfully",
        );
      }
    }
    for (const [name, { command }] of ownProcesses)
      expect(Object.keys(base.services[name]?.depends_on ?? {})).toEqual(
        command?.[0] === "setup" ? ["postgres-role", "meilisearch", "temporal"] : ["setup"],
      );
  });

  it("runs nothing as root but the service that changes the owner of a volume", () => {
    for (const [name, { user, build, cap_add: added = [], cap_drop: dropped, network_mode: network }] of services) {
      expect(dropped, name).toEqual(["ALL"]);
      if (name === "meilisearch-volume") {
        expect({ user, added, network }).toEqual({ user: "0:0", added: ["CHOWN"], network: "none" });
      } else {
        expect(added, name).toEqual([]);
        // Ours run as the image's user.
        if (build) expect(user, name).toBeUndefined();
        else expect(user ?? "root", name).not.toMatch(/^(?:root|0)(?::|$)/);
      }
    }
    for (const [name, { read_only: readOnly }] of own) expect(readOnly, name).toBe(true);
  });

  it("limits memory, CPUs and processes of each service", () => {
    for (const [name, { mem_limit: memory, cpus, pids_limit: pids }] of services) {
      expect(memory, name).toMatch(/^\d+[mg]$/);
      expect(cpus, name).toBeGreaterThan(0);
      expect(pids, name).toBeGreaterThan(0);
    }
  });

  it("gives its processes a role that owns only their database", () => {
    for (const [name, { environment }] of ownProcesses)
      expect(environment?.["DATABASE_URL"], name).toContain(`lectern_app:${filledIn["DATABASE_PASSWORD"]}@`);
    const withSuperuser = services.filter(([, service]) =>
      JSON.stringify(service).includes(filledIn["POSTGRES_PASSWORD"] ?? "?"),
    );
    expect(withSuperuser.map(([name]) => name)).toEqual(["postgres", "temporal-schema", "postgres-role", "temporal"]);
  });

  it("uses existing volumes and networks, and no container names, so that services can be scaled", () => {
    const folders = Object.keys(base.volumes ?? {});
    const mounted = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(":")[0] ?? ""));
    for (const source of mounted) {
      if (source.startsWith(".")) expect(existsSync(join(root, source)), source).toBe(true);
      else expect(folders).toContain(source);
    }
    expect(new Set(mounted.filter((source) => !source.startsWith(".")))).toEqual(new Set(folders));
    for (const [name, { networks = [], container_name: container }] of services) {
      expect(container, name).toBeUndefined();
      for (const network of networks) expect(Object.keys(base.networks ?? {})).toContain(network);
    }
  });

  it("gives a stopping worker more time than it gives its steps", () => {
    const steps = ownProcesses.flatMap(([name, { environment, stop_grace_period: grace = "10s" }]) => {
      const seconds = environment?.["SHUTDOWN_GRACE_SECONDS"];
      return seconds === undefined ? [] : [{ name, left: Number.parseInt(grace, 10) - Number(seconds) }];
    });
    expect(steps.map(({ name }) => name)).toEqual(["worker", "worker-browser"]);
    for (const { name, left } of steps) expect(left, name).toBeGreaterThan(15);
  });

  it("gives each process its own Meilisearch key, and the master key to setup only", () => {
    const keys = ownProcesses.map(([name, { environment }]) => [
      name,
      environment?.["MEILI_API_KEY"] ?? environment?.["MEILI_API_KEY_FILE"],
    ]);
    expect(Object.fromEntries(keys)).toEqual({
      setup: filledIn["MEILI_MASTER_KEY"],
      api: "/run/lectern/meili-api.key",
      worker: "/run/lectern/meili-worker.key",
      "worker-browser": "/run/lectern/meili-worker.key",
    });
    expect(base.services["setup"]?.command).toEqual(["setup", "--keys", "/run/lectern"]);
  });

  it("uses the variables of .env.example, with the same defaults", () => {
    const entries = [...textOf(".env.example").matchAll(/^(#?)([A-Z_]+)=(.*)$/gm)];
    const explained = new Map(entries.map(([, mark, name = "", value]) => [name, mark === "" ? null : value]));
    const used = variablesOf(textOf(baseFile));
    // Compose itself reads which files it merges.
    expect(explained.get("COMPOSE_FILE")).toBeNull();
    explained.delete("COMPOSE_FILE");
    expect(new Set(used.map(({ name }) => name))).toEqual(new Set(explained.keys()));
    for (const { name, required, otherwise } of used)
      expect(explained.get(name), name).toBe(required ? null : otherwise);
    for (const [, mark, name, value] of entries)
      if (mark === "") expect(value, name).toBe(name === "COMPOSE_FILE" ? baseFile : "");
  });

  it("does not start without its secrets, and names the missing one", () => {
    for (const { name } of variablesOf(textOf(baseFile)).filter(({ required }) => required))
      expect(() => compose(baseFile, { ...filledIn, [name]: undefined as never })).toThrow(name);
  });
});

describe("the override for private networks", () => {
  it("changes existing services, and excludes the cluster's servers from the proxy", () => {
    const { services: changed } = compose(privateFile);
    for (const [name, { environment }] of Object.entries(changed)) {
      expect(ownProcesses.map(([service]) => service)).toContain(name);
      for (const server of ["postgres", "meilisearch", "temporal"])
        expect(environment?.["NO_PROXY"]?.split(",")).toContain(server);
    }
  });
});
