import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { inPipe, jsonLines, onTerminal } from "../support/command-line.ts";
import { files, startServers } from "../e2e/setup.ts";

const { git, server, folder } = await startServers((_, data) => ({ AUDIT_LOG: join(data, "audit.ndjson") }));
const env = { PUBLIC_URL: server.url };

async function records(...options: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  const { code, stdout, stderr } = await inPipe(["audit", ...options], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return jsonLines(stdout);
}

it("records actions by command and by HTTP, in the log, its file and on a terminal", async () => {
  const { url } = await git.repository("acme/gears.git", files);
  const made = jsonLines((await inPipe(["keys", "create", "ci", "--scope", "submit"], { env })).stdout)[0];
  await server.call("POST", "/v2/add/repo/git", { docsRepoUrl: url, libraryName: "/acme/gears" });
  await server.settled("/acme/gears");
  const wrong = { env: { ...env, LECTERN_ADMIN_KEY: "wrong-key-of-a-stranger" } };
  expect((await inPipe(["delete", "/acme/gears", "--yes"], wrong)).code).toBe(1);

  const listed = await records();
  const mine = { key: "admin", teamspace: "default", address: "127.0.0.1", outcome: "done" };
  expect(listed.slice(0, 3)).toMatchObject([
    { action: "library.delete", target: "/acme/gears", outcome: "refused", error: "invalid_api_key", key: null },
    { action: "library.submit", target: "/acme/gears", ...mine },
    { action: "key.create", target: made?.["id"], ...mine },
  ]);
  expect(listed.at(-1)).toMatchObject({ action: "key.create", key: "serve", address: "local", outcome: "done" });
  const inFile = jsonLines(await readFile(join(folder, "audit.ndjson"), "utf8"));
  expect(inFile.toReversed()).toEqual(listed.filter(({ address }) => address !== "local"));
  expect(JSON.stringify([inFile, listed])).not.toContain(made?.["key"]);

  expect(await records("--outcome", "refused", "--target", "/acme/gears")).toHaveLength(1);
  expect(await records("--limit", "1", "--action", "key.create")).toMatchObject([{ target: made?.["id"] }]);
  expect(await records("--since", "2999-01-01")).toEqual([]);
  const shown = (await onTerminal(["audit", "--limit", "2"], { env })).stdout.trimEnd().split("\n");
  expect(shown).toHaveLength(2);
  expect(shown[0]).toMatch(
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +refused +library\.delete +\/acme\/gears +no key +127\.0\.0\.1/,
  );
  expect((await onTerminal(["audit", "--since", "2999-01-01"], { env })).stdout).toContain("No matching records.");
  for (const wrong of [
    ["--since", "soon"],
    ["--limit", "0"],
    ["--action", "all"],
  ])
    expect((await inPipe(["audit", ...wrong], { env })).code).toBe(2);
});

it("records imports, which do not use HTTP, but not failed ones", async () => {
  const file = join(folder, "gears.ndjson");
  const data = { DATA_DIR: folder };
  expect((await inPipe(["export", "/acme/gears", "--out", file], { env: data })).code).toBe(0);
  const broken = join(folder, "broken.ndjson");
  await writeFile(broken, "{}\n");
  await server.kill("SIGTERM");
  expect((await inPipe(["import", file], { env: data })).code).toBe(0);
  expect((await inPipe(["import", broken], { env: data })).code).not.toBe(0);
  const catalog = await (
    await import("../../stores/catalog/sqlite.ts")
  ).openSqliteCatalog({ file: join(folder, "catalog.sqlite") });
  const { items } = await catalog.audit.list({ action: "library.import" }, { limit: 9 });
  await catalog.close();
  expect(items).toMatchObject([{ target: "/acme/gears", keyId: "import", address: "local", outcome: "done" }]);
});
