import { describe, expect, it } from "vitest";

import { uidOf } from "../support/uid-of.ts";
import { codePassage } from "./samples.ts";
import { live } from "./live.ts";
import { setup } from "./setup.ts";

describe("a library without an answer", () => {
  it("is 404 with the same message whether it is missing or private", async () => {
    const { send, submit } = await setup();
    await submit("/acme/secret", { gitToken: "token" });
    const missing = await send("GET", "/v2/context?libraryId=/acme/missing&query=a", { key: null });
    const hidden = await send("GET", "/v2/context?libraryId=/acme/secret&query=a", { key: null });
    expect(missing.body).toMatchInlineSnapshot(`
      {
        "error": "library_not_found",
        "message": "Library "/acme/missing" was not found. Check the ID, or whether your key may read it.",
      }
    `);
    expect(hidden.status).toBe(404);
    expect(JSON.stringify(hidden.body).replace("secret", "missing")).toBe(JSON.stringify(missing.body));
  });

  it("is 202 during its first run: a sentence as text, empty arrays as JSON", async () => {
    const { send, submit } = await setup();
    await submit("/acme/widgets");
    const text = await send("GET", "/v2/context?libraryId=/acme/widgets&query=a");
    expect(text).toMatchObject({
      status: 202,
      headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store", "Retry-After": "2" },
    });
    expect(text.body).toMatchInlineSnapshot(
      `"/acme/widgets is being indexed and not finished yet. Try again in a moment."`,
    );
    const json = await send("GET", "/v2/context?libraryId=/acme/widgets&query=a&type=json");
    expect(json).toMatchObject({ status: 202, headers: { "Content-Type": "application/json" } });
    expect(json.body).toMatchInlineSnapshot(`
      {
        "codeSnippets": [],
        "error": "library_not_finalized",
        "infoSnippets": [],
        "message": "/acme/widgets is being indexed and not finished yet. Try again in a moment.",
      }
    `);
  });

  it.each([
    ["no_code_found", 422],
    ["library_too_large", 422],
    ["no_snippets_found", 404],
    ["source_unreachable", 504],
  ] as const)("answers the failure %s of its run with %i", async (code, status) => {
    const { send, submit, fail } = await setup();
    await fail(await submit("/acme/widgets"), code, "What went wrong, and what to do.");
    const answer = await send("GET", "/v2/context?libraryId=/acme/widgets&query=a&type=json");
    expect(answer).toMatchObject({
      status,
      body: { error: code, message: expect.stringContaining("What went wrong, and what to do.") as string },
    });
    expect(answer.headers["Cache-Control"]).toBe("no-store");
  });

  it("replaces the least recently read of 20 versions, but none in use", async () => {
    const { ask, send, catalog, engine, finish, clock, counts } = await live();
    const uid = await uidOf(catalog, "/acme/widgets");
    const tag = (number: number) => ({ kind: "tag" as const, name: `v${number}.0.0`, revision: `r${number}` });
    await catalog.libraries.keepRefs(
      uid,
      Array.from({ length: 30 }, (_, index) => tag(index + 1)),
    );
    const read = (number: number) => send("GET", `/v2/context?libraryId=/acme/widgets@v${number}&query=a`);
    for (let number = 1; number <= 20; number += 1) {
      clock.now += 1000;
      expect((await read(number)).status).toBe(202);
      await finish(engine.started.at(-1)?.runId ?? "", [codePassage]);
    }
    expect((await read(21)).body).toMatchObject({ error: "run_open", message: /20 versions, all of them/ });
    expect((await send("GET", "/v2/context?libraryId=/acme/widgets@>=1&query=a")).status).toBe(200);

    clock.now += 2 * 3_600_000;
    expect((await read(1)).status).toBe(200);
    expect(counts.reads.at(-1)).toBe(`${uid}@v1.0.0`);
    await catalog.libraries.countReads(
      [{ libraryUid: uid, day: "2026-01-02", reads: 1, version: "v1.0.0" }],
      clock.now,
    );
    expect((await read(21)).status).toBe(202);
    const names = (await catalog.libraries.versionsOf(uid)).map(({ version }) => version);
    expect(names).toHaveLength(21);
    expect(names).toContain("v1.0.0");
    expect(names).not.toContain("v2.0.0");
    // The removed version stays readable for a while.
    expect(await catalog.generations.removable(clock.now)).toEqual([]);
    expect(await catalog.generations.removable(clock.now + 300_000)).toHaveLength(1);
    expect((await ask("query=a")).status).toBe(200);
  });

  it("is 404 for an unknown version, naming releases before branches", async () => {
    const { send, catalog } = await live();
    const uid = await uidOf(catalog, "/acme/widgets");
    const refs = [
      ...["v9-next", "9.9-fixes", "v9"].map((name) => ({ kind: "branch" as const, name, revision: name })),
      ...["v1.0.0", "v1.1.0", "nightly"].map((name) => ({ kind: "tag" as const, name, revision: name })),
    ];
    await catalog.libraries.keepRefs(uid, refs);
    for (const wanted of ["v9.9.9", "nosuch"])
      for (const [method, path, body] of [
        ["GET", `/v2/context?libraryId=/acme/widgets@${wanted}&query=a`, undefined],
        ["POST", "/v1/refresh", { libraryName: "/acme/widgets", branch: wanted }],
      ] as const) {
        const { status, body: answer } = await send(method, path, body && { body });
        expect([status, (answer as { message: string }).message]).toEqual([
          404,
          expect.stringMatching(/Nearest known(?: versions)?: v1\.1\.0, v1\.0\.0, /),
        ]);
      }
  });

  it("answers with an indexed version while the engine is down, and is 503 if none fits", async () => {
    const { send, catalog, engine, finish } = await live();
    const uid = await uidOf(catalog, "/acme/widgets");
    const tags = ["v1.0.0", "v1.1.0", "v2.0.0"].map((name) => ({ kind: "tag" as const, name, revision: name }));
    await catalog.libraries.keepRefs(uid, tags);
    const read = (version: string) => send("GET", `/v2/context?libraryId=/acme/widgets@${version}&query=a`);
    await read("v1.0.0");
    await finish(engine.started.at(-1)?.runId ?? "", [codePassage]);
    engine.down = true;
    expect((await read("^1")).headers["X-Lectern-Library"]).toBe("/acme/widgets@v1.0.0");
    expect((await read("^2")).status).toBe(503);
    engine.down = false;
    expect((await read("^1")).status).toBe(202);
    expect((await send("GET", "/v2/context?libraryId=/acme/widgets@^1&query=a", { key: null })).status).toBe(200);
    expect((await read("1.1.0")).status).toBe(202);
    // Another tag of the same version is not indexed again.
    await catalog.libraries.keepRefs(uid, [...tags, { kind: "tag", name: "widgets@1.0.0", revision: "v1.0.0" }]);
    expect((await read("1.0.0")).headers["X-Lectern-Library"]).toBe("/acme/widgets@v1.0.0");
    expect((await send("GET", "/v2/libs/status?libraryId=/acme/widgets@1.0")).body).toMatchObject({
      version: "v1.0.0",
    });
  });

  it("is 503 with Retry-After when the index does not have the library", async () => {
    const { ask, loaded } = await live();
    loaded.clear();
    const answer = await ask("query=a");
    expect(answer).toMatchObject({ status: 503, body: { error: "index_rebuilding" } });
    expect(Number(answer.headers["Retry-After"])).toBeGreaterThanOrEqual(1);
  });

  it("is 301 with redirectUrl and, unless disabled, Location", async () => {
    for (const sendLocation of [true, false]) {
      const { send, submit, catalog } = await setup({ sendLocation });
      const run = await catalog.runs.get(await submit("/acme/old"));
      await catalog.libraries.update(run?.libraryUid ?? "", { redirect: "/acme/new" });
      const answer = await send("GET", "/v2/context?libraryId=/acme/old&query=a%20b", { key: null });
      expect(answer).toMatchObject({
        status: 301,
        headers: { "Cache-Control": "no-store" },
        body: { error: "library_redirected", redirectUrl: "/acme/new" },
      });
      const location = answer.headers["Location"];
      expect(location).toBe(sendLocation ? "context?libraryId=%2Facme%2Fnew&query=a+b" : undefined);
      // The address is relative to the requested path.
      const slashed = await send("GET", "/v2/context/?libraryId=/acme/old&query=a%20b", { key: null });
      expect(slashed.headers["Location"]).toBe(location && `../${location}`);
    }
  });
});
