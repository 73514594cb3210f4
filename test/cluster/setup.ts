import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestProject } from "vitest/node";
import { findChromium } from "../../sources/lib/browser/chromium.ts";
import { hasMeilisearch, startMeilisearch } from "../../tools/dev/meilisearch.ts";
import { hasPostgres, startPostgres } from "../../tools/dev/postgres.ts";
import { canBuildImages } from "../../tools/dev/image.ts";
import { findProgram, type Program } from "../../tools/dev/program.ts";
import { hasTemporal, startTemporal } from "../../tools/dev/temporal.ts";
import { hasBucketServer, startBucketServer } from "./support/bucket-server.ts";

/** What the tests on real servers are given; null where a server is missing, and its tests are skipped. */
export interface Servers {
  /** A superuser's URL. */
  readonly postgres: string | null;
  /** host:port. */
  readonly temporal: string | null;
  /** `key` is the master key. */
  readonly meilisearch: { readonly url: string; readonly key: string } | null;
  /** An S3-compatible server that takes any credentials. */
  readonly s3: { readonly url: string } | null;
  /** Path of the program. */
  readonly chromium: string | null;
  /** Path of the program. */
  readonly nginx: string | null;
  /** Path of the program. */
  readonly caddy: string | null;
  /** Path of the program. */
  readonly helm: string | null;
  /** Path of the program, and of a folder with the schemas of `kubernetesVersions`. */
  readonly kubeconform: { readonly path: string; readonly schemas: string } | null;
  /** Path of the program. */
  readonly promtool: string | null;
  /** Whether npm reaches a registry. */
  readonly registry: true | null;
  /** Whether the steps of the Dockerfile can be run: as root of a Debian with mmdebstrap. */
  readonly image: true | null;
}

declare module "vitest" {
  // Vitest's own way of typing what `inject` gives.
  interface ProvidedContext extends Servers {}
}

const masterKey = "a-master-key-for-tests-only";

/**
 * Takes each server by URL (TEST_DATABASE_URL, TEST_TEMPORAL_ADDRESS, TEST_MEILI_URL with TEST_MEILI_MASTER_KEY,
 * TEST_S3_URL), or starts it from a program of this machine; Chromium by CHROMIUM_PATH or the PATH. What is missing is named and its tests are skipped;
 * REQUIRE=temporal,postgres,chromium,nginx,caddy,helm,kubeconform,promtool,registry,image makes that a failure.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "lectern-cluster-"));
  const started: Program[] = [];
  const keep = <T extends Program>(program: T): T => {
    started.push(program);
    return program;
  };
  const { env } = process;
  const rows: { [Name in keyof Servers]: () => Promise<Servers[Name]> } = {
    postgres: async () => {
      const given = env["TEST_DATABASE_URL"];
      if (given !== undefined) return given;
      if (!hasPostgres()) return null;
      // A folder that the server's own user can reach.
      const own = await mkdtemp(join(tmpdir(), "lectern-postgres-"));
      const { url, stop, ...rest } = await startPostgres({ folder: own, password: "lectern", durable: false });
      keep({ ...rest, stop: () => stop().then(() => rm(own, { recursive: true, force: true })) });
      return url;
    },
    temporal: async () => {
      const given = env["TEST_TEMPORAL_ADDRESS"];
      if (given !== undefined) return given;
      if (!hasTemporal()) return null;
      return keep(await startTemporal({ folder: join(folder, "temporal"), ui: false })).address;
    },
    meilisearch: async () => {
      const url = env["TEST_MEILI_URL"];
      if (url !== undefined) return { url, key: env["TEST_MEILI_MASTER_KEY"] ?? "" };
      if (!hasMeilisearch()) return null;
      const { url: own } = keep(await startMeilisearch({ folder: join(folder, "meilisearch"), key: masterKey }));
      return { url: own, key: masterKey };
    },
    s3: async () => {
      const url = env["TEST_S3_URL"];
      if (url !== undefined) return { url };
      if (!hasBucketServer()) return null;
      return { url: keep(await startBucketServer({ folder })).url };
    },
    chromium: async () => findChromium(env["CHROMIUM_PATH"] ?? null),
    // Debian keeps nginx off the PATH of users.
    nginx: async () => findProgram("nginx", ["/usr/sbin"]) ?? null,
    caddy: async () => findProgram("caddy") ?? null,
    helm: async () => findProgram("helm") ?? null,
    kubeconform: async () => {
      const path = findProgram("kubeconform");
      const schemas = path && join(dirname(path), "schemas");
      return path && schemas && existsSync(schemas) ? { path, schemas } : null;
    },
    promtool: async () => findProgram("promtool") ?? null,
    registry: () =>
      new Promise((resolve) => {
        execFile("npm", ["view", "zod", "version"], { timeout: 30_000 }, (error) => resolve(error ? null : true));
      }),
    image: async () => (await canBuildImages()) || null,
  };
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((program) => program.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const names = Object.keys(rows) as (keyof Servers)[];
    const found = await Promise.all(names.map(async (name) => [name, await rows[name]()] as const));
    const required = (env["REQUIRE"] ?? "").split(",").map((name) => name.trim());
    const missing = found.filter(([, server]) => server === null).map(([name]) => name);
    const refused = missing.filter((name) => required.includes(name));
    if (refused.length > 0) throw new Error(`REQUIRE names what is not on this machine: ${refused.join(", ")}.`);
    for (const name of missing)
      process.stdout.write(`skipped: the tests that need ${name}, which is not on this machine\n`);
    for (const [name, server] of found) project.provide(name, server);
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}
