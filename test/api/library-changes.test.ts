import { describe, expect, it } from "vitest";

import { uidOf } from "../support/uid-of.ts";
import { codePassage } from "./samples.ts";
import { setup } from "./setup.ts";

describe("PATCH /v2/libs", () => {
  const patching = async () => {
    const world = await setup();
    await world.finish(await world.submit("/acme/a"), [codePassage]);
    await world.finish(await world.submit("/acme/b"), [codePassage]);
    const patch = async (fields: object, libraryName = "/acme/a", key?: string) =>
      world.send("PATCH", "/v2/libs", { body: { libraryName, ...fields }, ...(key !== undefined && { key }) });
    const record = async (id = "/acme/a") => (await world.catalog.libraries.find(["", "default"], id, ""))?.library;
    return { ...world, patch, record };
  };

  it("changes the ETag of answers with the description, which an introduction has", async () => {
    const { patch, send } = await patching();
    const ask = (headers = {}) => send("GET", "/v2/context?libraryId=/acme/a&query=zebra", { headers });
    const cached = { "if-none-match": (await ask()).headers["ETag"] };
    expect((await ask(cached)).status).toBe(304);
    await patch({ description: "Widgets for all." });
    expect(await ask(cached)).toMatchObject({
      status: 200,
      body: expect.stringContaining("Widgets for all.") as unknown,
    });
  });

  it("changes only the given fields; null resets one", async () => {
    const { patch, record } = await patching();
    const before = await record();
    const selection = { folders: ["docs"], excludeFolders: ["old"], excludeFiles: null };
    expect(
      await patch({ title: "The A", description: "Of A.", folders: ["docs"], excludeFolders: ["old"] }),
    ).toMatchObject({
      status: 200,
      body: { libraryName: "/acme/a", message: /was changed\. The new options.*next refresh/ },
    });
    const chosen = { title: "The A", description: "Of A." };
    expect(await record()).toEqual({ ...before, ...chosen, chosen, source: { ...before?.source, selection } });
    await patch({ title: null, excludeFolders: null });
    expect(await record()).toMatchObject({
      chosen: { description: "Of A." },
      source: { selection: { folders: ["docs"], excludeFolders: null } },
    });
    expect((await record())?.chosen).not.toHaveProperty("title");
    await patch({ openapi: true });
    expect(await record()).toMatchObject({ source: { selection: { folders: ["docs"], openapi: true } } });
    await patch({ openapi: false });
    expect(await record()).toMatchObject({ source: { selection: { folders: ["docs"], openapi: null } } });
  });

  it.each([
    [
      {},
      "validation_error",
      /Give one of title, description, redirect, rules, schedule, screen, trustScore, .*maxPages.*folders, excludeFolders, excludeFiles, openapi/,
    ],
    [{ title: "" }, "validation_error", /title must have 1 to 100/],
    [{ title: "x".repeat(101) }, "validation_error", /title/],
    [{ description: "x".repeat(501) }, "validation_error", /description/],
    [{ folders: "docs" }, "validation_error", /folders must be a list/],
    [{ folders: Array.from({ length: 51 }, () => "a") }, "validation_error", /at most 50/],
    [{ excludeFiles: [""] }, "validation_error", /excludeFiles/],
    [{ rules: "one" }, "validation_error", /rules must be a list/],
    [{ rules: ["x".repeat(256)] }, "validation_error", /rules\[0\] must have 1 to 255/],
    [{ rules: ["two\nlines"] }, "validation_error", /rules\[0\] must be one line/],
    [{ rules: Array.from({ length: 51 }, () => "a") }, "validation_error", /at most 50/],
    [{ schedule: 0 }, "validation_error", /schedule must be days from 1 to 365, or never/],
    [{ schedule: 366 }, "validation_error", /schedule must be days/],
    [{ schedule: 1.5 }, "validation_error", /schedule must be days/],
    [{ schedule: "7" }, "validation_error", /schedule must be days/],
    [{ trustScore: -1 }, "validation_error", /trustScore must be a whole number from 0 to 10/],
    [{ trustScore: 11 }, "validation_error", /trustScore must be/],
    [{ trustScore: 5.5 }, "validation_error", /trustScore must be/],
    [{ trustScore: "5" }, "validation_error", /trustScore must be/],
    [{ redirect: "/acme/a" }, "validation_error", /itself/],
    [{ redirect: "/acme/b@v1" }, "validation_error", /without a version/],
    [{ redirect: "/acme/none" }, "library_not_found", /acme\/none/],
    [{ redirect: "none" }, "invalid_library_id", /none/],
  ])("refuses %j", async (fields, error, message) => {
    const { patch, record } = await patching();
    const before = await record();
    expect((await patch(fields)).body).toMatchObject({ error, message: expect.stringMatching(message) as string });
    expect(await record()).toEqual(before);
  });

  it("sets the schedule of refreshes, counted from the last check of the source", async () => {
    const { patch, send, clock } = await patching();
    const scheduleNow = async () => {
      const { body } = await send("GET", "/v2/libs/status?libraryId=/acme/a");
      const { schedule, refreshAt } = body as { schedule: unknown; refreshAt: string | null };
      return [schedule, refreshAt === null ? null : Math.round((Date.parse(refreshAt) - checkedAt) / 86_400_000)];
    };
    const checkedAt = clock.now;
    clock.now += 3 * 86_400_000;
    expect(await scheduleNow()).toEqual([null, null]);
    await patch({ schedule: 20 });
    const [, days] = await scheduleNow();
    // With a jitter of up to a tenth.
    expect(Number(days)).toBeGreaterThanOrEqual(18);
    expect(Number(days)).toBeLessThanOrEqual(22);
    await patch({ schedule: "never" });
    expect(await scheduleNow()).toEqual(["never", null]);
    await patch({ schedule: 20, title: "A" });
    await patch({ schedule: null });
    expect(await scheduleNow()).toEqual([null, null]);
  });

  it("sets the trust score", async () => {
    const { patch, send } = await patching();
    const trust = async () =>
      ((await send("GET", "/v2/libs/status?libraryId=/acme/a")).body as { trustScore?: number }).trustScore;
    expect(await trust()).toBeUndefined();
    await patch({ trustScore: 9 });
    expect(await trust()).toBe(9);
    await patch({ trustScore: null });
    expect(await trust()).toBeUndefined();
  });

  it("redirects readers until it is reset, and builds no chain", async () => {
    const { patch, send, submit, finish, catalog } = await patching();
    const read = async (id: string) => (await send("GET", `/v2/context?libraryId=${id}&query=a`)).body;
    await patch({ redirect: "/ACME/b" });
    expect(await read("/acme/a")).toMatchObject({ error: "library_redirected", redirectUrl: "/acme/b" });
    expect((await patch({ redirect: "/acme/a" }, "/acme/b")).body).toMatchObject({ error: "validation_error" });
    await finish(await submit("/acme/c"), [codePassage]);
    await patch({ redirect: "/acme/c" }, "/acme/b");
    expect(await read("/acme/a")).toMatchObject({ redirectUrl: "/acme/c" });
    await patch({ redirect: null });
    expect(await read("/acme/a")).toContain("Create a widget");
    const uid = await uidOf(catalog, "/acme/a");
    await catalog.libraries.countReads([{ libraryUid: uid, day: "2026-01-02", reads: 5 }], Date.UTC(2026, 0, 2));
    await patch({ redirect: "/acme/c" });
    await patch({ redirect: null });
    expect((await catalog.libraries.versionsOf(uid))[0]?.refreshAt).toBeGreaterThan(0);
  });

  it("changes only the target of the redirect that a moved library left", async () => {
    const { patch, record, catalog, send } = await patching();
    const library = await record();
    const from = library?.source.kind === "git" ? library.source.url : "";
    await catalog.libraries.move(library?.uid ?? "", { from, to: `${from}-2`, id: "/acme/a2" }, 1);
    for (const fields of [{ title: "T" }, { redirect: null }, { redirect: "/acme/b", folders: [] }])
      expect((await patch(fields)).body).toMatchObject({ error: "validation_error" });
    expect(await patch({ redirect: "/acme/b" })).toMatchObject({ status: 200 });
    expect(await record()).toMatchObject({ redirect: "/acme/b" });
    for (const operation of ["cancel", "publish", "rollback"]) {
      const { status, body, headers } = await send("POST", `/v2/libs/${operation}`, {
        body: { libraryName: "/acme/a" },
      });
      expect([status, body]).toMatchObject([301, { error: "library_redirected", redirectUrl: "/acme/b" }]);
      expect(headers).not.toHaveProperty("Location");
    }
    expect((await send("DELETE", "/v2/libs?libraryId=/acme/a")).status).toBe(200);
    expect(await record("/acme/a2")).toMatchObject({ uid: library?.uid });
  });

  it("redirects a public library to no private one, and no key outside of its patterns", async () => {
    const { patch, submit, addKey } = await patching();
    await submit("/acme/secret", { gitToken: "token" });
    expect((await patch({ redirect: "/acme/secret" })).body).toMatchObject({ error: "validation_error" });
    const { key } = await addKey(["admin"], { libraries: ["/acme/a"] });
    expect((await patch({ redirect: "/acme/b" }, "/acme/a", key)).status).toBe(404);
    expect((await patch({ title: "T" }, "/acme/b", key)).status).toBe(404);
    const { key: submitting } = await addKey(["submit"]);
    expect((await patch({ title: "T" }, "/acme/a", submitting)).body).toMatchObject({ error: "forbidden" });
  });
});
