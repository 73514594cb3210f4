import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

const root = join(import.meta.dirname, "../..");
const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  dependencies: { kysely: string };
};
const version = dependencies.kysely;
const kysely = {
  name: "kysely",
  "dist-tags": { latest: version },
  versions: { [version]: { name: "kysely", version } },
};

/** Runs the audit against a registry with one package and this answer to the audit. */
async function auditAgainst(status: number, body: string): Promise<{ code: number; printed: string }> {
  const registry = createServer((request, response) => {
    const [code, text] = request.method === "GET" ? [200, JSON.stringify(kysely)] : [status, body];
    request.resume().on("end", () => response.writeHead(code, { "content-type": "application/json" }).end(text));
  });
  await once(registry.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void registry.close());
  const { port } = registry.address() as AddressInfo;
  const env = { ...process.env, npm_config_registry: `http://127.0.0.1:${port}/`, npm_config_fetch_retries: "0" };
  return new Promise((resolve) => {
    execFile(process.execPath, ["tools/dev/audit.ts"], { cwd: root, env }, (error, stdout) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, printed: stdout });
    });
  });
}

it("fails with the names of vulnerable packages", async () => {
  const advisory = {
    id: 1,
    url: "https://example.com/1",
    title: "It leaks.",
    severity: "high",
    vulnerable_versions: "*",
  };
  const { code, printed } = await auditAgainst(200, JSON.stringify({ kysely: [advisory] }));
  expect(printed).toContain("high: kysely *");
  expect(code).toBe(1);
});

it("passes if no vulnerability is known", async () => {
  const { code, printed } = await auditAgainst(200, "{}");
  expect(printed).toBe("The audit found no known vulnerability.\n");
  expect(code).toBe(0);
});

it("warns loudly if the registry offers no audit", async () => {
  const { code, printed } = await auditAgainst(405, "");
  expect(printed).toMatch(/^THE DEPENDENCIES WERE NOT AUDITED: the registry offers no audit \(405 /);
  expect(code).toBe(0);
});
