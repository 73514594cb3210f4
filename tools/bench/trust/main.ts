/**
 * Prints the trust scores of many sorts of repositories and packages, with the reasons: `npm run bench:trust`. Answers of hosts are invented
 * by their published schemas and marked `made`; metadata of packages comes from the public registries.
 */
import { parseArgs } from "node:util";
import { loadConfig } from "../../../cli/config.ts";
import { Failure } from "../../../domain/failures.ts";
import { registries } from "../../../domain/packages.ts";
import { unknown } from "../../../domain/trust.ts";
import type { Reputation } from "../../../domain/trust.ts";
import { createFetchClient } from "../../../sources/lib/fetch/client.ts";
import { createGuard } from "../../../sources/lib/fetch/guard.ts";
import { askRegistry } from "../../../sources/reputation/registries.ts";
import { userAgent } from "../../../cli/own-package.ts";
import { createThreadPool } from "../../../sources/lib/threads/thread-pool.ts";
import { packages } from "./packages.ts";
import type { Package } from "./packages.ts";
import { repositories } from "./repositories.ts";
import { madeFacts, rowOf, scorePackage, scoreRepository } from "./rows.ts";

const { values } = parseArgs({ options: { offline: { type: "boolean", default: false } } });
const now = Date.now();

console.log("| repository | what it is | score | reasons |\n|---|---|---|---|");
for (const one of repositories) {
  const { score, reputation } = await scoreRepository(one, now);
  const origin = one.isPrivate === true ? "nobody asked" : "made";
  console.log(rowOf(`${one.host}: ${one.name}`, one.what, score, reputation, origin));
}

const client = createFetchClient({ guard: createGuard({ allow: loadConfig(process.env).fetchAllow }), userAgent });
const pool = createThreadPool({ maxThreads: 1 });
console.log("\n| package | what it is | score | reasons |\n|---|---|---|---|");
for (const one of packages) {
  if (one.made === undefined && values.offline) continue;
  const reputation = await judge(one);
  const registry = one.made === undefined ? "registry asked" : "made";
  const origin = one.made === undefined && one.repository !== undefined ? `${registry}, host made` : registry;
  console.log(rowOf(`${one.registry}: ${one.name}`, one.what, reputation.score, reputation, origin));
}
await pool.close();
await client.close();

async function judge(one: Package): Promise<Reputation> {
  const { registry, name, made } = one;
  const { url } = registries[registry];
  const spec = { kind: "package", registry, url, name, version: null, restricted: false } as const;
  try {
    return await scorePackage(one, made ? madeFacts(made, now) : await askRegistry({ client, pool }, spec), now);
  } catch (error) {
    if (error instanceof Failure) return unknown(undefined, error.message, now);
    throw error;
  }
}
