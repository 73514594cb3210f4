import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { routes } from "../../api/app.ts";
import { auditActions, type AuditRecord } from "../../domain/audit.ts";
import { Failure } from "../../domain/failures.ts";
import { textOf } from "../support/agent.ts";
import { uidOf } from "../support/uid-of.ts";
import { start } from "./agents.ts";
import { recordsOf } from "./audit-records.ts";
import { codePassage } from "./samples.ts";
import { setup } from "./setup.ts";

const operatorAct = { key: "admin", teamspace: "default", address: "192.0.2.1", outcome: "done", error: null };

describe("the routes", () => {
  it("that change something and need a scope all have an audit action", () => {
    const changing = routes.filter(
      ({ method, scope }) => method !== "GET" && (scope === "submit" || scope === "admin"),
    );
    expect(changing.length).toBeGreaterThan(20);
    expect(changing.filter(({ audit }) => audit === undefined).map(({ about }) => about.operationId)).toEqual([]);
  });

  it("and commands cover every action", () => {
    const elsewhere = ["library.import", "backup.make", "version.index"];
    const named = new Set([...routes.flatMap(({ audit }) => audit ?? []), ...elsewhere]);
    expect([...named].toSorted()).toEqual(Object.keys(auditActions).toSorted());
  });
});

it("the audit log is documented with all its actions", () => {
  const text = readFileSync(join(import.meta.dirname, "..", "..", "docs", "guides", "read-the-audit-log.md"), "utf8");
  expect(Object.keys(auditActions).filter((action) => !text.includes(`\`${action}\``))).toEqual([]);
});

describe("an act", () => {
  it("is recorded with its caller, action, time, address and outcome", async () => {
    const world = await setup({ trustedProxies: ["192.0.2.1"] });
    const { key, id } = await world.addKey(["submit"], { teamspace: "web" });
    const body = { docsRepoUrl: "https://git.example.com/Acme/Widgets", private: true };
    const headers = { "x-forwarded-for": "198.51.100.7" };
    const answer = await world.send("POST", "/v2/add/repo/git", { body, key, headers });
    expect(await recordsOf(world)).toEqual([
      {
        id: expect.any(String) as string,
        time: "2026-01-02T03:04:05.000Z",
        action: "library.submit",
        target: "/acme/widgets",
        outcome: "done",
        error: null,
        key: id,
        subject: null,
        teamspace: "web",
        address: "198.51.100.7",
        requestId: answer.headers["X-Request-Id"],
      },
    ]);
  });

  it("of every kind has its target", async () => {
    const world = await setup();
    const { send, submit, finish } = world;
    await finish(await submit("/acme/widgets"), [codePassage]);
    await send("POST", "/v1/refresh", { body: { libraryName: "acme/Widgets" } });
    await send("POST", "/v2/libs/cancel", { body: { libraryName: "/acme/widgets" } });
    await send("PATCH", "/v2/libs", { body: { libraryName: "/acme/widgets", title: "Other" } });
    await send("DELETE", "/v2/libs?libraryId=/acme/widgets");
    await send("POST", "/v2/preview", { body: { websiteUrl: "https://docs.example.com/guide" } });
    await send("POST", "/v2/teamspaces", { body: { id: "web" } });
    const newKey = await send("POST", "/v2/keys", { body: { name: "ci", scopes: ["read"], teamspace: "web" } });
    const key = (newKey.body as { id: string }).id;
    await send("DELETE", `/v2/keys?id=${key}`);
    const data = { kind: "git", name: "acme", host: "git.example.com", data: { token: "ghp_topsecret" } };
    const credential = ((await send("POST", "/v2/credentials", { body: data })).body as { id: string }).id;
    await send("DELETE", `/v2/credentials/${credential}`);
    await send("DELETE", "/v2/teamspaces?id=web");
    const records = await recordsOf(world);
    expect(records.map(({ action, target }) => [action, target])).toEqual([
      ["library.submit", "/acme/widgets"],
      ["library.refresh", "/acme/widgets"],
      ["run.cancel", "/acme/widgets"],
      ["library.change", "/acme/widgets"],
      ["library.delete", "/acme/widgets"],
      ["library.preview", "/websites/example_com_guide"],
      ["teamspace.create", "web"],
      ["key.create", key],
      ["key.revoke", key],
      ["credential.create", credential],
      ["credential.delete", credential],
      ["teamspace.delete", "web"],
    ]);
    for (const record of records) expect(record).toMatchObject(operatorAct);
  });

  it("is recorded as begun before it runs, and does not run if that fails", async () => {
    const recordsAtStart: unknown[] = [];
    const world = await setup();
    const { audit, keys } = world.catalog;
    const add = keys.add.bind(keys);
    Object.assign(keys, {
      add: async (key: Parameters<typeof add>[0]) => {
        recordsAtStart.push(...(await audit.list({}, { limit: 9 })).items);
        return add(key);
      },
    });
    const body = { name: "ci", scopes: ["admin"] };
    expect((await world.send("POST", "/v2/keys", { body })).status).toBe(200);
    expect(recordsAtStart).toMatchObject([{ action: "key.create", outcome: "begun", keyId: "admin" }]);
    Object.assign(audit, { add: () => Promise.reject(new Failure("search_failed", "The catalog is away.")) });
    expect(await world.send("POST", "/v2/keys", { body })).toMatchObject({
      status: 503,
      body: { error: "search_failed" },
    });
    expect(await keys.list("default")).toHaveLength(1);
    // A refusal needs no record.
    expect((await world.send("POST", "/v2/keys", { body, key: null })).status).toBe(401);
    expect(world.logged.join("")).toContain("not in the audit log");
  });

  it("succeeds even if its end cannot be recorded", async () => {
    const world = await setup();
    Object.assign(world.catalog.audit, { end: () => Promise.reject(new Error("away")) });
    expect((await world.send("POST", "/v2/teamspaces", { body: { id: "web" } })).status).toBe(200);
    expect(await recordsOf(world)).toMatchObject([{ action: "teamspace.create", target: "web", outcome: "begun" }]);
    expect(world.logged.join("")).toContain("not in the audit log");
  });

  it("is passed to onAudited once it has ended", async () => {
    const audited: AuditRecord[] = [];
    const world = await setup({}, { onAudited: async (record) => void audited.push(record) });
    await world.send("POST", "/v2/teamspaces", { body: { id: "web" } });
    await world.send("POST", "/v2/teamspaces", { body: { id: "web" }, key: null });
    expect(audited.map(({ outcome, target, code }) => [outcome, target, code])).toEqual([
      ["done", "web", null],
      ["refused", null, "invalid_api_key"],
    ]);
  });

  it("of an agent is recorded as the operation of its tool, with the agent's key", async () => {
    const world = await start();
    const submitter = await world.addKey(["submit"], { teamspace: "web" });
    const reader = await world.addKey(["read"], { teamspace: "web" });
    const call = { name: "add-library", arguments: { address: "https://github.com/acme/gears" } };
    for (const { key } of [submitter, reader]) {
      const agent = await world.connect("2025-06-18", key, "/mcp");
      expect(textOf(await agent.callTool(call))).not.toBe("");
    }
    expect(await recordsOf(world, "target=/acme/gears")).toMatchObject([{ key: submitter.id, outcome: "done" }]);
    expect(await recordsOf(world, "outcome=refused")).toMatchObject([
      { action: "library.submit", key: reader.id, error: "forbidden" },
    ]);
  });

  it("is also a question that starts the indexing of a version", async () => {
    const world = await setup();
    await world.finish(await world.submit("/acme/widgets"), [codePassage]);
    const uid = await uidOf(world.catalog, "/acme/widgets");
    await world.catalog.libraries.keepRefs(uid, [{ name: "v1.0", kind: "tag", revision: "c0ffee" } as never]);
    const ask = async () => world.send("GET", "/v2/context?libraryId=/acme/widgets@v1.0&query=widget");
    expect((await ask()).status).toBe(202);
    expect((await ask()).status).toBe(202);
    expect(await recordsOf(world, "action=version.index")).toMatchObject([
      { ...operatorAct, target: "/acme/widgets@v1.0" },
    ]);
  });

  it("does not include reading, listing or searching", async () => {
    const world = await setup();
    await world.finish(await world.submit("/acme/widgets"), [codePassage]);
    for (const path of ["/v2/context?libraryId=/acme/widgets&query=w", "/v2/libs", "/v2/keys", "/v2/audit"])
      await world.send("GET", path);
    expect(await recordsOf(world)).toHaveLength(1);
  });
});

describe("a refusal", () => {
  it("is recorded for a missing, wrong, expired or insufficient key, and for invalid requests", async () => {
    const world = await setup();
    const { send, addKey, clock } = world;
    const expired = await addKey(["admin"], { teamspace: "web", expiresAt: clock.now - 1 });
    const reader = await addKey(["read"], { teamspace: "web" });
    const limited = await addKey(["submit"], { libraries: ["/other/*"] });
    const body = { docsRepoUrl: "https://git.example.com/acme/widgets" };
    const add = "/v2/add/repo/git";
    const keys = [null, "lct_wrong", expired.key, reader.key, limited.key];
    for (const key of keys) await send("POST", add, { body, key, address: "198.51.100.9" });
    await send("POST", add, { body: { docsRepoUrl: 7 } });
    await send("POST", add, { body });
    await send("POST", add, { body });
    await send("POST", "/v2/libs/publish", { body: { libraryName: "/acme/none" } });
    await send("DELETE", "/v2/keys?id=k-none");
    const records = await recordsOf(world);
    expect(
      records.map(({ key, teamspace, target, outcome, error }) => [key, teamspace, target, outcome, error]),
    ).toEqual([
      [null, null, null, "refused", "invalid_api_key"],
      [null, null, null, "refused", "invalid_api_key"],
      [expired.id, "web", null, "refused", "invalid_api_key"],
      [reader.id, "web", null, "refused", "forbidden"],
      [limited.id, "default", "/acme/widgets", "refused", "access_denied"],
      ["admin", "default", null, "refused", "validation_error"],
      ["admin", "default", "/acme/widgets", "done", null],
      ["admin", "default", "/acme/widgets", "refused", "duplicate_repo"],
      ["admin", "default", "/acme/none", "refused", "library_not_found"],
      ["admin", "default", "k-none", "refused", "validation_error"],
    ]);
    expect(records.slice(0, 5).every(({ address }) => address === "198.51.100.9")).toBe(true);
  });

  it("of a web page of another origin is recorded", async () => {
    const world = await setup({ loopback: true });
    const headers = { host: "localhost", origin: "https://evil.example.com" };
    expect((await world.send("POST", "/v2/keys", { body: { name: "x", scopes: ["admin"] }, headers })).status).toBe(
      403,
    );
    const { items } = await world.catalog.audit.list({}, { limit: 9 });
    expect(items).toMatchObject([{ action: "key.create", outcome: "refused", code: "forbidden", keyId: null }]);
  });

  it("is recorded up to a limit per caller, and the log has the number of the others", async () => {
    const world = await setup();
    const { send, clock, catalog } = world;
    const count = async () => (await catalog.audit.list({}, { limit: 1000 })).items.length;
    const flood = async (address: string, times: number) => {
      for (let at = 0; at < times; at += 1) await send("DELETE", "/v2/keys?id=x", { key: null, address });
    };
    await flood("192.0.2.9", 100);
    expect(await count()).toBe(60);
    await flood("2001:db8::1", 40);
    await flood("2001:db8::2", 40);
    expect(await count()).toBe(120);
    for (let host = 0; host < 20; host += 1) await flood(`198.51.100.${host}`, 60);
    expect(await count()).toBe(600);
    // Other callers are not affected.
    const reader = await world.addKey(["read"]);
    await send("DELETE", "/v2/keys?id=x", { key: reader.key });
    expect(await count()).toBe(601);
    clock.now += 60_000;
    await flood("192.0.2.9", 1);
    expect(await count()).toBe(602);
    expect(world.logged.join("")).toContain('"refusals":780');
  });
});
