import { describe, expect, it } from "vitest";

import { codePassage } from "./samples.ts";
import { signingIn } from "./signing-in.ts";

/** Public libraries, a private one of `web`, and callers of `web`: members of groups, and keys. */
async function prepare() {
  const world = await signingIn();
  const { addKey, catalog, clock, finish, send, submit } = world;
  for (const group of ["staff", "design"]) await world.grant(group, "read", "web");
  await world.grant("leads", "admin", "web");
  await world.grant("authors", "submit", "web");
  for (const id of ["/acme/widgets", "/acme/gears", "/other/tool"]) await finish(await submit(id), [codePassage]);
  const { key: submitter } = await addKey(["submit"], { teamspace: "web" });
  const body = { docsRepoUrl: "https://git.example.com/web/plans", private: true };
  const added = await send("POST", "/v2/add/repo/git", { body, key: submitter });
  await finish((added.body as { runId: string }).runId, [codePassage]);
  const as = async (...groups: string[]) => world.issuer.token({ groups, sub: `u-${groups.join("-")}` });
  const lead = await as("leads");
  const change = async (set: object[], more: object = {}, key = lead) =>
    send("PATCH", "/v2/access", { key, body: { set, ...more } });
  const libraries = async (key: string | null) => {
    const { body: listed } = await send("GET", "/v2/libs", { key });
    return (listed as { libraries: { libraryId: string }[] }).libraries.map(({ libraryId }) => libraryId);
  };
  const searched = async (key: string | null) => {
    const { body: answer } = await send("GET", "/v2/libs/search?libraryName=acme&query=acme", { key });
    const { results, searchFilterApplied } = answer as { results: { id: string }[]; searchFilterApplied: boolean };
    return { ids: results.map(({ id }) => id).sort(), searchFilterApplied };
  };
  const reads = async (id: string, key: string | null, headers = {}) =>
    (await send("GET", `/v2/context?libraryId=${id}&query=widget`, { key, headers })).status;
  return { ...world, as, change, libraries, searched, reads, lead, submitter, catalog, clock };
}

describe("an access rule", () => {
  it("limits a namespace or a library to groups and users; the longest match decides", async () => {
    const { as, change, reads, issuer, lead } = await prepare();
    const [staff, design] = [await as("staff"), await as("design")];
    const ann = await issuer.token({ groups: ["design"], sub: "ann" });
    await change([
      { library: "/acme", groups: ["staff"] },
      { library: "/Acme/Gears", groups: ["design"], users: ["ann"] },
      { library: "/web/plans", users: ["ann"] },
    ]);
    const statuses = async (id: string) => Promise.all([staff, design, ann, lead].map(async (key) => reads(id, key)));
    expect(await statuses("/acme/widgets")).toEqual([200, 404, 404, 200]);
    expect(await statuses("/acme/gears")).toEqual([404, 200, 200, 200]);
    expect(await statuses("/web/plans")).toEqual([404, 404, 200, 200]);
    expect(await statuses("/other/tool")).toEqual([200, 200, 200, 200]);
    await change([], { remove: ["/acme/gears"] });
    expect(await statuses("/acme/gears")).toEqual([200, 404, 404, 200]);
  });

  it("applies at once, also to cached answers, and to keys by their groups or user", async () => {
    const { change, reads, send, lead } = await prepare();
    const make = async (more: object) => {
      const { body } = await send("POST", "/v2/keys", { key: lead, body: { name: "ci", scopes: ["read"], ...more } });
      return (body as { key: string }).key;
    };
    const [plain, grouped, personal] = [await make({}), await make({ groups: ["staff"] }), await make({ user: "ann" })];
    const first = await send("GET", "/v2/context?libraryId=/acme/widgets&query=widget", { key: plain });
    const held = { "if-none-match": first.headers["ETag"] };
    expect(await reads("/acme/widgets", plain, held)).toBe(304);
    await change([{ library: "/acme", groups: ["staff"], users: ["ann"] }]);
    const statuses = await Promise.all(
      [plain, grouped, personal].map(async (key) => reads("/acme/widgets", key, held)),
    );
    expect(statuses).toEqual([404, 304, 304]);
    expect((await send("GET", "/v2/keys", { key: lead })).body).toMatchObject({
      keys: expect.arrayContaining([
        expect.objectContaining({ groups: ["staff"] }),
        expect.objectContaining({ user: "ann", groups: [] }),
      ]) as unknown,
    });
  });

  it("makes a library look as if it did not exist, everywhere", async () => {
    const { as, change, libraries, searched, send, logged } = await prepare();
    const [design, author] = [await as("design"), await as("authors")];
    expect(await searched(design)).toEqual({ ids: ["/acme/gears", "/acme/widgets"], searchFilterApplied: false });
    await change([
      { library: "/acme/gears", groups: ["staff"] },
      { library: "/acme/new", groups: ["staff"] },
    ]);
    expect(await libraries(design)).toEqual(["/acme/widgets", "/other/tool", "/web/plans"]);
    expect(await searched(design)).toEqual({ ids: ["/acme/widgets"], searchFilterApplied: true });
    expect((await send("GET", "/v2/libs?limit=1", { key: design })).body).toMatchObject({ total: 3 });
    const answersFor = async (id: string): Promise<string[]> => {
      const texts: string[] = [];
      const mcp = {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "query-docs", arguments: { libraryId: id, query: "widget" } },
      };
      for (const [method, target, key, body] of [
        ["GET", `/v2/context?libraryId=${id}&query=widget`, design],
        ["GET", `/v2/context?libraryId=${id}&query=widget&type=json`, design],
        ["GET", `/v1${id}?topic=widget`, design],
        ["GET", `/v2/libs/status?libraryId=${id}`, design],
        ["GET", `/v2/libs/status/pages?libraryId=${id}`, design],
        ["GET", `/v2/libs/status/stream?libraryId=${id}`, design],
        ["POST", "/v1/refresh", author, { libraryName: id }],
        ["POST", "/mcp", design, mcp],
      ] as const) {
        const answer = await send(method, target, { key, ...(body && { body }) });
        texts.push(
          `${target.split("?")[0]?.replace(id, "")} ${answer.status} ${JSON.stringify(answer.body)}`.replaceAll(
            id,
            "ID",
          ),
        );
      }
      return texts;
    };
    const closed = await answersFor("/acme/gears");
    expect(closed).toEqual(await answersFor("/acme/nothere"));
    expect(closed.filter((text) => text.includes(" 404 "))).toHaveLength(7);
    expect(closed.at(-1)).toContain("was not found");
    // Only the log has the reason.
    const refusals = logged.filter((line) => line.includes("an access rule refused a request"));
    expect(refusals.length).toBeGreaterThanOrEqual(8);
    // Submitting the ID gives the same answer whether the library exists.
    const submitted = await Promise.all(
      ["/acme/gears", "/acme/new"].map(async (id) => {
        const body = { docsRepoUrl: `https://git.example.com${id}` };
        const answer = await send("POST", "/v2/add/repo/git", { key: author, body });
        return `${answer.status} ${JSON.stringify(answer.body)}`.replaceAll(id, "ID");
      }),
    );
    expect(submitted[0]).toMatch(/^403 .*access_denied/);
    expect(submitted[1]).toBe(submitted[0]);
  });

  it("ends the status streams of callers that it excludes", async () => {
    const { as, change, send } = await prepare();
    const design = await as("design");
    const { body } = await send("GET", "/v2/libs/status/stream?libraryId=/acme/gears", { key: design });
    const events: string[] = [];
    for await (const event of body as AsyncIterable<string>) {
      if (events.length === 0) await change([{ library: "/acme", groups: ["staff"] }]);
      events.push(event);
    }
    expect(events).toHaveLength(2);
    expect(events[1]).toMatch(/^event: failure\ndata: .*library_not_found/);
  });
});

describe("a teamspace with the default deny", () => {
  it("shows its callers only what a rule allows, and limits submissions to that", async () => {
    const { as, change, libraries, searched, send } = await prepare();
    await change([{ library: "/acme", groups: ["staff"] }, { library: "/acme/gears" }], { default: "deny" });
    const [staff, design] = [await as("staff"), await as("design")];
    expect(await libraries(staff)).toEqual(["/acme/widgets"]);
    expect(await libraries(design)).toEqual([]);
    expect((await searched(staff)).ids).toEqual(["/acme/widgets"]);
    expect(await searched(design)).toEqual({ ids: [], searchFilterApplied: true });
    const body = { docsRepoUrl: "https://git.example.com/acme/more" };
    expect((await send("POST", "/v2/add/repo/git", { key: await as("authors"), body })).status).toBe(403);
    expect((await send("POST", "/v2/add/repo/git", { key: await as("authors", "staff"), body })).status).toBe(200);
  });

  it("affects only its own callers; callers without a key follow the rules of the default teamspace", async () => {
    const { as, addKey, change, reads, send } = await prepare();
    await change([], { default: "deny" });
    const { key: mobile } = await addKey(["read"], { teamspace: "mobile" });
    expect(await reads("/acme/widgets", await as("staff"))).toBe(404);
    expect(await reads("/acme/widgets", mobile)).toBe(200);
    expect(await reads("/acme/widgets", null)).toBe(200);
    await send("PATCH", "/v2/access", {
      body: { set: [{ library: "/acme/gears", groups: ["staff"] }], default: "allow" },
    });
    expect([await reads("/acme/gears", null), await reads("/acme/widgets", null)]).toEqual([404, 200]);
    expect(await reads("/acme/gears", mobile)).toBe(200);
  });
});

describe("the rules of a teamspace", () => {
  it("are set by its administrators, to whom they do not apply", async () => {
    const { as, change, send, reads, lead, addKey } = await prepare();
    await change([{ library: "/acme" }], { default: "deny" });
    expect(await reads("/acme/widgets", lead)).toBe(200);
    expect((await send("GET", "/v2/access", { key: lead })).body).toEqual({
      teamspace: "web",
      default: "deny",
      rules: [{ library: "/acme", users: [], groups: [] }],
    });
    expect((await change([{ library: "/acme", groups: ["staff"] }], {}, await as("staff"))).status).toBe(403);
    expect((await change([{ library: "/acme" }], { teamspace: "default" })).status).toBe(403);
    const { key: limited } = await addKey(["admin"], { teamspace: "web", libraries: ["/acme/*"] });
    expect((await change([{ library: "/acme" }], {}, limited)).status).toBe(403);
    expect((await send("GET", "/v2/access?teamspace=web")).status).toBe(200);
    expect((await send("GET", "/v2/access?teamspace=nobody")).body).toMatchObject({ error: "validation_error" });
  });

  it("are for libraries and namespaces only", async () => {
    const { change } = await prepare();
    for (const library of ["acme", "/acme/*", "/acme/widgets@v1", "/acme/widgets/v1", "/", "/npm/@a/b/c", "/a b"])
      expect([library, (await change([{ library }])).status]).toEqual([library, 400]);
    for (const library of ["/acme", "/acme/widgets", "/npm/@scope", "/npm/@scope/name", "/websites/a_b.c"])
      expect([library, (await change([{ library }])).status]).toEqual([library, 200]);
    expect((await change([])).body).toMatchObject({ error: "validation_error" });
  });

  it("grant groups rights in existing teamspaces", async () => {
    const { send } = await prepare();
    const give = async (body: object) => (await send("POST", "/v2/access/groups", { body })).status;
    expect(await give({ group: "new", scope: "read", teamspace: "web" })).toBe(200);
    expect(await give({ group: "new", scope: "submit", teamspace: "web" })).toBe(200);
    expect(await give({ group: "new", scope: "read", teamspace: "nobody" })).toBe(400);
    expect(await give({ group: "new", scope: "all" })).toBe(400);
    const { body } = await send("GET", "/v2/access/groups");
    expect(
      (body as { groups: { group: string; scope: string }[] }).groups.filter(({ group }) => group === "new"),
    ).toMatchObject([{ scope: "submit", teamspace: "web" }]);
    const withdraw = async () => (await send("DELETE", "/v2/access/groups?group=new&teamspace=web")).status;
    expect([await withdraw(), await withdraw()]).toEqual([200, 400]);
  });
});
