import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { startNpmRegistry } from "../support/npm-registry.ts";
import { startServers } from "./setup.ts";

const [open, closed] = [await startNpmRegistry(), await startNpmRegistry("npm-secret-token")];
const folder = await mkdtemp(join(tmpdir(), "lectern-npmrc-"));
const npmrc = join(folder, ".npmrc");
await writeFile(npmrc, `@corp:registry=${closed.url}\n//${closed.host}/:_authToken=npm-secret-token\n`);
const { server } = await startServers(() => ({ NPM_CONFIG_REGISTRY: open.url, NPM_CONFIG_USERCONFIG: npmrc }));
afterAll(() => Promise.all([open.close(), closed.close()]));

const files = (call: string) => ({ "README.md": `# Vault\n\nOpen it so:\n\n\`\`\`js\n${call};\n\`\`\`\n` });

it("reads packages of a registry that needs credentials for administrators only, and never makes them public", async () => {
  closed.publish("@corp/vault", { "1.0.0": { files: files("openVault()") } });
  // The package of this name in the public registry is never used.
  open.publish("@corp/vault", { "9.0.0": { files: files("stealVault()") } });
  expect(await server.call("POST", "/v2/add/package", { name: "@corp/vault", private: false })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining("never public") as string },
  });
  const { body: key } = await server.call("POST", "/v2/keys", { name: "submitter", scopes: ["submit"] });
  const asSubmitter = { Authorization: `Bearer ${(key as { key: string }).key}`, "Content-Type": "application/json" };
  const refused = await fetch(`${server.url}/api/v2/add/package`, {
    method: "POST",
    headers: asSubmitter,
    body: JSON.stringify({ name: "@corp/vault" }),
  });
  expect(refused.status).toBe(403);
  expect(await server.call("POST", "/v2/add/package", { name: "@corp/vault" })).toMatchObject({ status: 200 });
  const status = await server.settled("/npm/@corp/vault");
  expect(status).toMatchObject({ state: "finalized", private: true, source: `${closed.url}@corp/vault` });
  const ask = "/api/v2/context?libraryId=/npm/@corp/vault&query=open";
  expect((await fetch(`${server.url}${ask}`)).status).toBe(404);
  expect(JSON.stringify((await server.call("GET", ask.slice(4))).body)).toContain("openVault();");
  expect(open.requests).toEqual([]);
  expect(JSON.stringify(status)).not.toContain("npm-secret-token");
});
