import { describe, expect, it } from "vitest";

import { dayOf } from "../../domain/days.ts";
import { textOf } from "../support/agent.ts";
import { uidOf } from "../support/uid-of.ts";
import { start, widgets } from "./agents.ts";
import { codePassage } from "./samples.ts";
import { setup } from "./setup.ts";

const path = "/v2/context?libraryId=/acme/widgets&query=widget";

/** A server with an indexed library. */
async function withLibrary(...settings: Parameters<typeof setup>) {
  const world = await setup(...settings);
  await world.finish(await world.submit("/acme/widgets"), [codePassage]);
  const uid = await uidOf(world.catalog, "/acme/widgets");
  return { ...world, uid };
}

describe("an answer", () => {
  it("counts for the surface of its client, else for its form", async () => {
    const {
      send,
      counts: { answers },
    } = await withLibrary();
    await send("GET", path);
    await send("GET", `${path}&type=json`);
    for (const source of ["mcp-server", "cli", "other"])
      await send("GET", path, { headers: { "x-context7-source": source } });
    await send("GET", "/v1/acme/widgets?topic=widget&type=json");
    expect(answers.map(({ surface }) => surface)).toEqual(["txt", "page", "mcp", "cli", "txt", "page"]);
  });

  it("to an agent counts once, with the agent's name", async () => {
    const {
      connect,
      counts: { answers },
    } = await start();
    for (const revision of ["2025-06-18", "2026-07-28"] as const) {
      const agent = await connect(revision, undefined, "/mcp");
      expect(textOf(await agent.callTool({ name: "query-docs", arguments: widgets }))).not.toBe("");
    }
    expect(answers.map(({ surface, client }) => [surface, client])).toEqual([
      ["mcp", expect.stringMatching(/\w/) as string],
      ["mcp", expect.stringMatching(/\w/) as string],
    ]);
  });

  it("does not count if it is a 304 or an error", async () => {
    const {
      send,
      submit,
      counts: { answers },
    } = await withLibrary();
    const { headers } = await send("GET", path);
    expect((await send("GET", path, { headers: { "if-none-match": headers["ETag"] } })).status).toBe(304);
    await submit("/acme/new");
    expect((await send("GET", "/v2/context?libraryId=/acme/new&query=x")).status).toBe(202);
    expect((await send("GET", "/v2/context?libraryId=/acme/none&query=x")).status).toBe(404);
    expect(answers).toHaveLength(1);
  });

  it("counts for the key or the address; a trusted proxy gives address and country", async () => {
    const world = await withLibrary({ trustedProxies: ["192.0.2.1"], countryHeader: "CF-IPCountry" });
    const {
      send,
      addKey,
      counts: { answers },
    } = world;
    const { key, id } = await addKey(["read"]);
    const headers = { "x-forwarded-for": "198.51.100.7", "cf-ipcountry": "nl" };
    await send("GET", path, { key, headers });
    await send("GET", path, { key: null, headers });
    await send("GET", path, { key: null, headers, address: "203.0.113.5" });
    for (const country of ["XX", "T1", "Netherlands", "<b>"])
      await send("GET", path, { key: null, headers: { ...headers, "cf-ipcountry": country } });
    expect(answers.map(({ user, country }) => [user, country])).toEqual([
      [`key:${id}`, "NL"],
      ["address:198.51.100.7", "NL"],
      ["address:203.0.113.5", undefined],
      ...Array.from({ length: 4 }, () => ["address:198.51.100.7", undefined]),
    ]);
  });

  it("has the heading of its best passage as its topic, and nothing of the question", async () => {
    const {
      send,
      counts: { answers },
    } = await withLibrary();
    const query = "widget for alice@example.com lct_secret";
    await send("GET", `/v2/context?libraryId=/acme/widgets&query=${encodeURIComponent(query)}`);
    await send("GET", "/v2/context?libraryId=/acme/widgets&query=zzzz");
    expect(answers.map(({ topic }) => topic)).toEqual([codePassage.title, undefined]);
    const client = `x${"y".repeat(200)}\n\u0007`;
    await send("GET", path, { headers: { "x-context7-source": "mcp-server", "x-context7-client-ide": client } });
    await send("GET", path, { headers: { "x-context7-source": "mcp-server" } });
    expect(answers.slice(2).map((one) => one.client)).toEqual([`x${"y".repeat(79)}`, "unknown"]);
  });
});

describe("metrics", () => {
  it("have the published shape, without days without answers", async () => {
    const { send, catalog, clock, uid } = await withLibrary();
    const empty = { total: { page: 0, txt: 0, mcp: 0, cli: 0 }, daily: [], mcpClients: { dailyData: [] } };
    const ask = async (more = "") => (await send("GET", `/v2/libs/metrics?libraryId=/acme/widgets${more}`)).body;
    expect(await ask()).toEqual({ ...empty, topics: [], countries: [] });
    const day = 86_400_000;
    const days = [0, 29, 30].map((ago) => dayOf(clock.now - ago * day));
    await catalog.metrics.add({
      id: "1",
      at: clock.now,
      answers: days.flatMap((one) => [
        { libraryUid: uid, day: one, surface: "mcp", count: 2 },
        { libraryUid: uid, day: one, surface: "cli", count: 1 },
      ]),
      users: days.flatMap((one) =>
        ["cursor", "vscode"].map((client) => ({ libraryUid: uid, day: one, client, user: "key:1" })),
      ),
      topics: [{ libraryUid: uid, topic: "Setup", count: 4 }],
      countries: [{ libraryUid: uid, country: "NL", count: 3 }],
    });
    const daily = { page: 0, txt: 0, mcp: 2, cli: 1, total: 3 };
    const users = { uniqueUsersByClient: { cursor: 1, vscode: 1 }, totalUniqueUsers: 1 };
    expect(await ask()).toEqual({
      total: { page: 0, txt: 0, mcp: 6, cli: 3 },
      daily: [
        { date: days[1], ...daily },
        { date: days[0], ...daily },
      ],
      mcpClients: {
        dailyData: [
          { date: days[1], ...users },
          { date: days[0], ...users },
        ],
      },
      topics: [{ topic: "Setup", count: 4 }],
      countries: [{ country: "NL", count: 3 }],
    });
    expect(((await ask("&days=31")) as { daily: object[] }).daily).toHaveLength(3);
    expect(((await ask("&days=1")) as { daily: object[] }).daily).toHaveLength(1);
    for (const wrong of ["0", "366", "-1", "x", "1.5"])
      expect((await send("GET", `/v2/libs/metrics?libraryId=/acme/widgets&days=${wrong}`)).status).toBe(400);
  });

  it("of a public library are visible to default and the submitter's teamspace, those of a private one to its own", async () => {
    const { send, addKey } = await setup();
    const [web, mobile, instance] = [
      await addKey(["submit"], { teamspace: "web" }),
      await addKey(["admin"], { teamspace: "mobile" }),
      await addKey(["read"]),
    ];
    const body = (name: string) => ({ docsRepoUrl: `https://git.example.com/acme/${name}` });
    await send("POST", "/v2/add/repo/git", { body: body("public"), key: web.key });
    await send("POST", "/v2/add/repo/git", { body: { ...body("own"), private: true }, key: web.key });
    const status = async (id: string, key: string | null) =>
      (await send("GET", `/v2/libs/metrics?libraryId=/acme/${id}`, { key })).status;
    const keys = [web.key, mobile.key, instance.key, null];
    expect(await Promise.all(keys.map(async (key) => status("public", key)))).toEqual([200, 403, 200, 401]);
    expect(await Promise.all(keys.map(async (key) => status("own", key)))).toEqual([200, 404, 404, 401]);
    expect(await Promise.all(keys.map(async (key) => status("none", key)))).toEqual([404, 404, 404, 401]);
  });
});
