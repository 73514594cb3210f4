import { describe, expect, it } from "vitest";

import { codePassage, prosePassage } from "./samples.ts";
import { setup } from "./setup.ts";

describe("GET /v2/libs", () => {
  it("lists libraries paged, and by a part of the ID", async () => {
    const { send, submit } = await setup();
    for (const name of ["b", "a", "c"]) await submit(`/acme/${name}`);
    const first = await send("GET", "/v2/libs?limit=2");
    type Listed = { libraries: { libraryId: string }[]; total: number; next: string };
    const { libraries, total, next } = first.body as Listed;
    expect(libraries.map(({ libraryId }) => libraryId)).toEqual(["/acme/a", "/acme/b"]);
    expect(total).toBe(3);
    expect((await send("GET", `/v2/libs?limit=2&cursor=${encodeURIComponent(next)}`)).body).toMatchObject({
      libraries: [{ libraryId: "/acme/c" }],
      next: null,
    });
    expect((await send("GET", "/v2/libs?search=acme/c")).body).toMatchObject({ libraries: [{ libraryId: "/acme/c" }] });
    expect((await send("GET", "/v2/libs?limit=101")).status).toBe(400);
    expect((await send("GET", "/v2/libs", { key: null })).status).toBe(401);
  });
});

describe("GET /v2/libs/status", () => {
  it("has each state of a library", async () => {
    const { send, submit, finish, fail } = await setup();
    const state = async () => (await send("GET", "/v2/libs/status?libraryId=/acme/widgets")).body;
    const runId = await submit("/acme/widgets");
    expect(await state()).toMatchObject({ state: "initial", phase: "queued", openRun: { id: runId }, live: null });
    await fail(runId, "no_code_found", "Nothing in it.");
    expect(await state()).toMatchObject({
      state: "error",
      openRun: null,
      runs: [{ outcome: "failed", failure: { error: "no_code_found", message: "Nothing in it." } }],
    });
    await finish(await submit("/acme/widgets"), [codePassage, prosePassage]);
    expect(await state()).toMatchObject({ state: "finalized" });
  });

  it("has runs, counts and the held generation", async () => {
    const { send, submit, finish, engine } = await setup();
    await finish(await submit("/acme/widgets"), [codePassage, prosePassage]);
    await send("POST", "/v1/refresh", { body: { libraryName: "/acme/widgets" } });
    await finish(engine.started.at(-1)?.runId ?? "", [codePassage], true);
    const { body } = await send("GET", "/v2/libs/status?libraryId=acme/widgets");
    expect(body).toMatchInlineSnapshot(`
      {
        "checkedAt": "2026-01-02T03:04:05.000Z",
        "createdAt": "2026-01-02T03:04:05.000Z",
        "description": "",
        "held": {
          "counts": {
            "bytes": 2048,
            "code": 1,
            "duplicates": 0,
            "info": 1,
            "pages": 3,
            "pagesFailed": 1,
            "pagesSkipped": 1,
            "passages": 1,
            "quarantined": 0,
            "tokens": 12,
          },
          "createdAt": "2026-01-02T03:04:05.000Z",
          "damage": null,
          "id": "id-000005",
          "notes": [],
          "ref": "main",
          "revision": "c0ffee",
          "unindexedSince": null,
        },
        "lastAskedAt": null,
        "libraryId": "/acme/widgets",
        "linked": [],
        "live": {
          "counts": {
            "bytes": 2048,
            "code": 1,
            "duplicates": 0,
            "info": 2,
            "pages": 3,
            "pagesFailed": 1,
            "pagesSkipped": 1,
            "passages": 2,
            "quarantined": 0,
            "tokens": 17,
          },
          "createdAt": "2026-01-02T03:04:05.000Z",
          "damage": null,
          "id": "id-000003",
          "ref": "main",
          "revision": "c0ffee",
          "unindexedSince": null,
        },
        "missedQuestions": [],
        "notes": [],
        "openRun": null,
        "permitted": [
          "refresh",
          "metrics",
          "note",
          "change",
        ],
        "phase": null,
        "private": false,
        "progress": null,
        "redirectUrl": null,
        "refreshAt": null,
        "refsLeftOut": 0,
        "removedAt": null,
        "repository": null,
        "retryAt": null,
        "rules": [],
        "runs": [
          {
            "attempt": 1,
            "closedAt": "2026-01-02T03:04:05.000Z",
            "createdAt": "2026-01-02T03:04:05.000Z",
            "failure": null,
            "id": "id-000005",
            "lastFailure": null,
            "outcome": "held",
            "phase": "queued",
            "progress": {},
            "progressAt": null,
            "reason": "refresh",
            "startedAt": null,
            "state": "closed",
          },
          {
            "attempt": 1,
            "closedAt": "2026-01-02T03:04:05.000Z",
            "createdAt": "2026-01-02T03:04:05.000Z",
            "failure": null,
            "id": "id-000003",
            "lastFailure": null,
            "outcome": "published",
            "phase": "queued",
            "progress": {},
            "progressAt": null,
            "reason": "submit",
            "startedAt": null,
            "state": "closed",
          },
        ],
        "schedule": null,
        "source": "https://git.example.com/acme/widgets",
        "state": "finalized",
        "title": "widgets",
        "trust": {
          "caps": [],
          "checkedAt": null,
          "factors": [],
          "isSet": false,
          "isVerifiedSet": false,
          "problem": null,
          "score": null,
          "stars": null,
          "verified": null,
        },
        "unread": null,
        "version": "",
        "versions": [],
      }
    `);
  });

  it("is 404 for a version that is not indexed, and for a key that is limited to others", async () => {
    const { send, submit, addKey } = await setup();
    await submit("/acme/widgets");
    expect((await send("GET", "/v2/libs/status?libraryId=/acme/widgets@9")).body).toMatchObject({
      error: "tag_not_found",
    });
    const { key } = await addKey(["read"], { libraries: ["/other/*"] });
    for (const id of ["/acme/widgets", "/acme/missing"]) {
      expect((await send("GET", `/v2/libs/status?libraryId=${id}`, { key })).body).toMatchObject({
        error: "library_not_found",
      });
    }
  });
});

describe("GET /v2/libs/status/pages", () => {
  it("lists the outcome of every page, filtered and paged", async () => {
    const { send, submit, finish } = await setup();
    const runId = await submit("/acme/widgets");
    const pages = async (more = "") =>
      (await send("GET", `/v2/libs/status/pages?libraryId=/acme/widgets${more}`)).body as Record<string, unknown>;
    expect(await pages()).toMatchObject({ generation: null, pages: [], total: 0, next: null });
    await finish(runId, [codePassage]);
    expect(await pages("&outcome=failed")).toMatchInlineSnapshot(`
      {
        "generation": "id-000003",
        "libraryId": "/acme/widgets",
        "next": null,
        "outcomes": {
          "failed": 1,
          "indexed": 1,
          "skipped": 1,
        },
        "pages": [
          {
            "code": "timeout",
            "outcome": "failed",
            "path": "bad.md",
            "reason": "Too slow.",
            "url": "https://git.example.com/bad.md",
          },
        ],
        "revision": "c0ffee",
        "total": 1,
        "version": "",
      }
    `);
    const first = await pages("&limit=2");
    expect(first["pages"]).toHaveLength(2);
    const next = encodeURIComponent(String(first["next"]));
    expect(await pages(`&limit=2&cursor=${next}`)).toMatchObject({ pages: [{ path: "bad.md" }], next: null });
    expect(await pages("&cursor=2.other")).toMatchObject({ error: "validation_error" });
    expect(await pages("&outcome=lost")).toMatchObject({ error: "validation_error" });
  });
});

describe("GET /v2/libs/status/stream", () => {
  it("sends the status at once, then each change and the deletion", async () => {
    const { send, submit, finish } = await setup();
    const runId = await submit("/acme/widgets");
    const { status, headers, body } = await send("GET", "/v2/libs/status/stream?libraryId=/acme/widgets");
    expect([status, headers["Content-Type"], headers["Cache-Control"]]).toEqual([200, "text/event-stream", "no-store"]);
    const events = (body as AsyncIterable<string>)[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatch(/^event: status\ndata: \{.*"state":"initial".*\}\n\n$/);
    await finish(runId, [codePassage]);
    expect((await events.next()).value).toContain('"state":"finalized"');
    await send("DELETE", "/v2/libs?libraryId=/acme/widgets");
    expect((await events.next()).value).toMatch(/^event: failure\ndata: \{"error":"library_not_found"/);
    expect((await events.next()).done).toBe(true);
  });

  it("ends when its key is revoked or expires", async () => {
    const { send, submit, addKey, clock } = await setup();
    await submit("/acme/widgets");
    const open = async (key: string) => {
      const { body } = await send("GET", "/v2/libs/status/stream?libraryId=/acme/widgets", { key });
      const events = (body as AsyncIterable<string>)[Symbol.asyncIterator]();
      await events.next();
      return events;
    };
    const revoked = await addKey(["read"]);
    const events = await open(revoked.key);
    await send("DELETE", `/v2/keys?id=${revoked.id}`);
    expect((await events.next()).value).toMatch(/^event: failure\ndata: \{"error":"invalid_api_key"/);
    expect((await events.next()).done).toBe(true);

    const expiring = await open((await addKey(["read"], { expiresAt: clock.now + 1000 })).key);
    clock.now += 1000;
    expect((await expiring.next()).value).toContain("The API key has expired.");
  });

  it("ends when the client leaves", async () => {
    const { send, submit } = await setup();
    await submit("/acme/widgets");
    const client = new AbortController();
    const { body } = await send("GET", "/v2/libs/status/stream?libraryId=/acme/widgets", { signal: client.signal });
    const events = (body as AsyncIterable<string>)[Symbol.asyncIterator]();
    await events.next();
    client.abort();
    expect((await events.next()).done).toBe(true);
  });
});

describe("operators", () => {
  it("delete by query or body: readers get 404 at once, the open run is cancelled", async () => {
    const { send, submit, finish, engine } = await setup();
    await finish(await submit("/acme/a"), [codePassage]);
    const open = await submit("/acme/b");
    expect(await send("DELETE", "/v2/libs?libraryId=/acme/a")).toMatchObject({
      status: 200,
      body: { libraryName: "/acme/a", message: "/acme/a was deleted." },
    });
    expect((await send("GET", "/v2/context?libraryId=/acme/a&query=a")).status).toBe(404);
    expect((await send("DELETE", "/v2/libs", { body: { libraryName: "/acme/b" } })).status).toBe(200);
    expect(engine.cancelled).toEqual([open]);
    expect((await send("DELETE", "/v2/libs")).body).toMatchObject({ error: "validation_error" });
    expect((await send("DELETE", "/v2/libs?libraryId=/acme/a")).status).toBe(404);
  });

  it("cancel the open run, with an error if there is none", async () => {
    const { send, submit, engine, finish } = await setup();
    const runId = await submit("/acme/a");
    const cancel = () => send("POST", "/v2/libs/cancel", { body: { libraryName: "/acme/a" } });
    expect((await cancel()).body).toMatchObject({ libraryName: "/acme/a", runId });
    expect(engine.cancelled).toEqual([runId]);
    await finish(runId, [codePassage]);
    expect((await cancel()).status).toBe(400);
  });
});
