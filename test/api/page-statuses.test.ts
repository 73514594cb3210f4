import { describe, expect, it } from "vitest";
import { Failure } from "../../domain/failures.ts";
import { passagesIn, proseOf } from "../support/outlined.ts";
import { passagesOf, reading, texts } from "./page-world.ts";
import type { setup } from "./setup.ts";

describe.each(["pages?", "page?page=guide.md&", "page?page=guide.md&type=json&"])("GET /v2/%s", (path) => {
  const ask = (world: Pick<Awaited<ReturnType<typeof setup>>, "send">, libraryId: string, request = {}) =>
    world.send("GET", `/v2/${path}libraryId=${libraryId}`, { key: null, ...request });

  it("answers as a question to a library that is not there, moved, being indexed, failed or not allowed", async () => {
    const world = await reading();
    const { send, submit, finish, fail, addKey } = world;
    const message = expect.any(String) as string;
    await submit("/acme/new");
    await fail(await submit("/acme/failed"), "source_not_found", "It is gone.");
    await finish(await submit("/acme/old"), passagesOf(texts));
    await send("PATCH", "/v2/libs", { body: { libraryName: "/acme/old", redirect: "/acme/widgets" } });
    const { key } = await addKey(["read"], { libraries: ["/other/*"] });
    const question = (libraryId: string, request: object) =>
      send(
        "GET",
        `/v2/context?libraryId=${libraryId}&query=x${path.includes("json") || path.startsWith("pages") ? "&type=json" : ""}`,
        { key: null, ...request },
      );
    for (const [libraryId, status, request] of [
      ["/acme/new", 202, {}],
      ["/acme/old", 301, {}],
      ["widgets", 400, {}],
      ["/acme/widgets", 401, { key: "wrong" }],
      ["/acme/widgets", 404, { key }],
      ["/acme/nothing", 404, {}],
      ["/acme/widgets/v9", 404, {}],
      ["/acme/failed", 404, {}],
    ] as const) {
      const answer = await ask(world, libraryId, request);
      expect(answer.status, libraryId).toBe(status);
      const expected = await question(libraryId, request);
      expect({ ...answer, headers: 0 }).toEqual({ ...expected, headers: 0 });
      if (status >= 400) expect(answer.body).toMatchObject({ error: message, message });
    }
  });

  it("answers 403 to a caller without the rights, as a question does", async () => {
    const world = await reading(passagesOf(texts), { publicUrl: "https://docs.example.com" });
    const request = { headers: { host: "elsewhere.example", origin: "https://elsewhere.example" } };
    const expected = await world.send("GET", "/v2/context?libraryId=/acme/widgets&query=x", { key: null, ...request });
    expect(expected.status).toBe(403);
    expect(await ask(world, "/acme/widgets", request)).toMatchObject({ status: 403, body: expected.body });
  });

  it("answers 503 while the pages are not listed yet, and has them listed once", async () => {
    const world = await reading();
    world.loaded.clear();
    const expected = { status: 503, body: { error: "index_rebuilding" } };
    expect(await ask(world, "/acme/widgets")).toMatchObject(expected);
    const again = await ask(world, "/acme/widgets");
    expect(again).toMatchObject(expected);
    expect(Number(again.headers["Retry-After"])).toBeGreaterThan(0);
    expect(world.lost).toEqual([world.run]);
    expect(world.counts.reads).toEqual([]);
  });

  it("answers 503 while the BlobStore is away", async () => {
    const away = () =>
      Promise.reject(new Failure("service_unavailable", "The bucket is out of reach.", { retryAfter: 5 }));
    const world = await reading();
    Object.assign(world.options.ports.pages, { outline: away });
    expect(await ask(world, "/acme/widgets")).toMatchObject({ status: 503, body: { error: "service_unavailable" } });
    expect(world.lost).toEqual([]);
  });

  it("confirms a cached answer with 304 until something changes, without reading the outline", async () => {
    const world = await reading();
    const { send, refresh, addKey } = world;
    const { headers } = await ask(world, "/acme/widgets");
    const tag = headers["ETag"] ?? "";
    expect(tag).toMatch(/^W\/"[\w-]{27}"$/);
    const cached = { headers: { "if-none-match": tag } };
    const { pages } = world.options.ports;
    const { outline } = pages;
    Object.assign(pages, { outline: () => Promise.reject(new Error("It must not be read.")) });
    expect(await ask(world, "/acme/widgets", cached)).toMatchObject({
      status: 304,
      body: null,
      headers: { ETag: tag },
    });
    Object.assign(pages, { outline });
    const { key } = await addKey(["read"], { libraries: ["/other/*"] });
    expect((await ask(world, "/acme/widgets", { ...cached, key })).status).toBe(404);
    for (const more of path.startsWith("pages")
      ? ["limit=2", "word=guide"]
      : ["tokens=300", "section=proxy", "from=1", path.includes("json") ? "type=txt" : "type=json"]) {
      if (more.startsWith("type")) continue;
      expect(
        (await send("GET", `/v2/${path}libraryId=/acme/widgets&${more}`, { key: null, ...cached })).status,
        more,
      ).toBe(200);
    }
    await refresh(passagesOf(texts));
    expect((await ask(world, "/acme/widgets", cached)).status).toBe(200);
  });

  it("counts as a read, also if it is cached, but not if the page is not there", async () => {
    const world = await reading();
    const { counts, send } = world;
    const { headers } = await ask(world, "/acme/widgets");
    expect(counts.reads).toHaveLength(1);
    await ask(world, "/acme/widgets", { headers: { "if-none-match": headers["ETag"] ?? "" } });
    expect(counts.reads).toHaveLength(2);
    expect(counts.answered).toBe(0);
    if (path.startsWith("page?")) {
      await send("GET", `/v2/${path.replace("guide.md", "none.md")}libraryId=/acme/widgets`);
      expect(counts.reads).toHaveLength(2);
      expect(counts.answers).toMatchObject([{ surface: path.includes("json") ? "page" : "txt", topic: "Guide" }]);
    } else expect(counts.answers).toEqual([]);
  });

  it("counts for the limit of reads", async () => {
    const world = await reading(passagesOf(texts), { rateLimitAnonymous: 2 });
    const statuses: number[] = [];
    for (let at = 0; at < 3; at += 1) statuses.push((await ask(world, "/acme/widgets")).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it("reads a version, and one that a range stands for", async () => {
    const world = await reading();
    const { send, catalog, finish, engine } = world;
    const view = await catalog.libraries.find([""], "/acme/widgets", "");
    await catalog.libraries.keepRefs(view?.library.uid ?? "", [{ name: "v1.2.0", kind: "tag", revision: "abc" }]);
    expect((await ask(world, "/acme/widgets/v1.2.0")).status).toBe(404);
    expect((await send("GET", "/v2/context?libraryId=/acme/widgets/v1.2.0&query=a")).status).toBe(202);
    await finish(
      engine.started.at(-1)?.runId ?? "",
      passagesIn("docs/guide.md", `# Old guide\n\n${proseOf("the old one")}\n`),
    );
    for (const version of ["/v1.2.0", "@v1.2.0", "@1.x", "@^1.0.0"]) {
      const { status, headers, body } = await ask(world, `/acme/widgets${encodeURIComponent(version)}`);
      expect([status, headers["X-Lectern-Library"]]).toEqual([200, "/acme/widgets@v1.2.0"]);
      expect(JSON.stringify(body)).toContain("Old guide");
      const isRange = version.includes("1.x") || version.includes("^");
      if (path.startsWith("page?"))
        expect(JSON.stringify(body).includes('which \\"') || JSON.stringify(body).includes('"version":')).toBe(isRange);
    }
  });
});
