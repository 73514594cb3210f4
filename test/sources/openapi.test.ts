import { describe, expect, it } from "vitest";
import type { SourceItem } from "../../domain/ports.ts";
import { extractPage, formatOf } from "../../extract/index.ts";
import type { SitePage } from "../support/site.ts";
import { description } from "./openapi-description.ts";
import { setup } from "./openapi-setup.ts";

const reference = (ref: string): string =>
  description({ "/a": "A" }, { components: { schemas: { X: { $ref: ref } } } });

/** The notes of the overview's page. */
async function notesOf([overview]: readonly SourceItem[]): Promise<string> {
  if (overview?.type !== "page") throw new Error("There is no page.");
  const { page, bytes } = overview;
  const result = extractPage({ path: page.key, mediaType: page.mediaType, bytes }, await formatOf(page.mediaType));
  return result.notes?.join("\n") ?? "";
}

describe("a description at an address", () => {
  it("is read as a page for each operation, and says what the API is", async () => {
    const { read, site } = await setup({ "/openapi.json": description({ "/a": "Read A", "/b": "Read B" }) });
    const result = await read();
    expect(result.read).toEqual(["#/info", "#/servers", "#/paths/~1a/get", "#/paths/~1b/get"]);
    const url = `${site.origin}/openapi.json`;
    expect(result.items[2]).toMatchObject({
      page: {
        url: `${url}#/paths/~1a/get`,
        resource: url,
        fingerprint: expect.stringMatching(/^[0-9a-f]{40}$/) as unknown,
      },
      revision: expect.stringMatching(/^sha256-[0-9a-f]{40}$/) as unknown,
    });
    expect(result.account).toMatchObject({
      revision: expect.stringMatching(/^sha256-[0-9a-f]{40}$/) as unknown,
      settings: { title: "Acme API", description: "Everything about anvils." },
    });
  });

  it("is unchanged by its ETag or its content, with the same result", async () => {
    for (const etags of [true, false]) {
      const { read } = await setup({ "/openapi.json": description({ "/a": "Read A" }) }, { etags });
      const first = await read();
      const second = await read();
      expect(second.requests).toEqual([`/openapi.json ${etags ? 304 : 200}`]);
      expect(second.known).toEqual(first.read);
      expect(second.read).toEqual([]);
      expect(second.account).toEqual(first.account);
    }
  });

  it("is read again only in operations that changed", async () => {
    const { read, site } = await setup(
      { "/openapi.json": description({ "/a": "Read A", "/b": "Read B" }) },
      { etags: true },
    );
    await read();
    site.pages.set("/openapi.json", description({ "/new": "New", "/b": "Read B", "/a": "Read another A" }));
    const { read: again, known } = await read();
    expect(again).toEqual(["#/paths/~1new/get", "#/paths/~1a/get"]);
    expect(known).toEqual(["#/info", "#/servers", "#/paths/~1b/get"]);
  });

  it("says what is wrong with it, and is read all the same", async () => {
    const { read } = await setup({ "/openapi.json": description({ "/a": "A" }, { servers: "none", tags: [{}] }) });
    const { items } = await read();
    const notes = await notesOf(items);
    expect(notes).toMatch(/\/openapi\.json is not valid OpenAPI 3\.1 at #\/servers: must be array\./);
    expect(notes).toMatch(
      /\/openapi\.json is not valid OpenAPI 3\.1 at #\/tags\/0: must have required property 'name'\./,
    );
  });

  it("is read with the files of its origin that it refers to, and with those that they refer to", async () => {
    const { read, site } = await setup(
      {
        "/api/openapi.json": description(
          { "/a": "A" },
          { components: { schemas: { X: { $ref: "../shared/x.yaml#/X" } } } },
        ),
        "/shared/x.yaml": "X:\n  type: object\n  properties:\n    y: { $ref: 'y.json' }\n",
        "/shared/y.json": '{"type":"integer","$ref":"../api/openapi.json#/components/schemas/X"}',
      },
      { etags: true },
    );
    const first = await read("/api/openapi.json");
    expect(first.requests).toEqual(["/api/openapi.json 200", "/shared/x.yaml 200", "/shared/y.json 200"]);
    const same = await read("/api/openapi.json");
    expect(same.requests).toEqual(["/api/openapi.json 304", "/shared/x.yaml 304", "/shared/y.json 304"]);
    expect(same.known).toEqual(first.read);
    expect(same.account).toEqual(first.account);

    site.pages.set("/shared/y.json", '{"type":"string"}');
    const changed = await read("/api/openapi.json");
    expect(changed.requests.slice(2)).toEqual([
      "/shared/y.json 200",
      "/api/openapi.json 200",
      "/shared/x.yaml 200",
      "/shared/y.json 200",
    ]);
    expect(changed.account.revision).not.toBe(first.account.revision);
    expect(changed.known).toEqual(first.read);

    site.pages.set("/shared/x.yaml", "X: { type: object }\n");
    site.pages.set("/shared/y.json", { status: 404 });
    const fewer = await read("/api/openapi.json");
    expect(fewer.requests.slice(1)).toEqual(["/shared/x.yaml 200", "/api/openapi.json 200", "/shared/x.yaml 200"]);
    expect(Object.keys(fewer.account.validators ?? {})).toHaveLength(2);
  });

  it("of several files without validators is compared by the content of all", async () => {
    const { read } = await setup({ "/openapi.json": reference("x.json"), "/x.json": '{"type":"string"}' });
    const first = await read();
    const second = await read();
    expect(second.requests).toEqual(["/openapi.json 200", "/x.json 200"]);
    expect(second.known).toEqual(first.read);
    expect(second.account).toEqual(first.account);
  });

  it("that redirects resolves references at its new address", async () => {
    const { read, site } = await setup({
      "/openapi.json": { status: 302, headers: { location: "/v2/api.json" } },
      "/v2/api.json": reference("x.json"),
      "/v2/x.json": '{"$ref":"api.json#/info"}',
    });
    const { requests, items } = await read();
    expect(requests).toEqual(["/openapi.json 302", "/v2/api.json 200", "/v2/x.json 200"]);
    expect(items[0]?.page.url).toBe(`${site.origin}/openapi.json#/info`);
  });
});

describe("an uploaded description", () => {
  it("is read under its file's name, and nothing is fetched", async () => {
    const { read } = await setup({}, { upload: "openapi: 3.0.0\ninfo: { title: Acme }\npaths: { /a: { get: {} } }\n" });
    const { items, requests } = await read("/my api.yaml");
    expect(items.map(({ page }) => page.url)).toEqual(["my%20api.yaml#/info", "my%20api.yaml#/paths/~1a/get"]);
    expect(requests).toEqual([]);
  });

  it.each(["other.yaml", "http://127.0.0.1/x.json", "https://example.com/x.json", "file:///etc/passwd"])(
    "that refers to %s is read without that, with a note",
    async (ref) => {
      const { read, site } = await setup({}, { upload: reference(ref) });
      const { items } = await read("/api.json");
      expect(items.map(({ page }) => page.key)).toContain("api.json#/paths/~1a/get");
      expect(await notesOf(items)).toContain(
        `api.json refers to ${JSON.stringify(ref)} at #/components/schemas/X, and other files are not read with an uploaded one: bundle the description into one file.`,
      );
      expect(site.requests).toEqual([]);
    },
  );
});

describe("hostile references", () => {
  it.each([
    "file:///etc/passwd",
    "//example.com/x.json",
    "https://example.com/x.json",
    "http://169.254.169.254/latest/meta-data",
    "http://localhost/x.json",
    "data:application/json,{}",
    "ftp://127.0.0.1/x",
    "http:\\\\example.com/x",
  ])("%s is not fetched, and a note names it", async (ref) => {
    const { read, site } = await setup({ "/openapi.json": reference(ref) });
    const { items, read: pages } = await read();
    expect(pages).toContain("#/paths/~1a/get");
    expect(await notesOf(items)).toMatch(
      / refers to .* at #\/components\/schemas\/X, and only files of http:\/\/127\.0\.0\.1:\d+ are read\./,
    );
    expect(site.requests).toHaveLength(1);
  });

  it.each<[string, SitePage, RegExp]>([
    ["leads elsewhere", { status: 302, headers: { location: "http://169.254.169.254/" } }, /no description/],
    ["is not there", { status: 404 }, /there is nothing at that address/],
    ["may not be read", { status: 403 }, /it may not be read/],
    ["is no YAML", "a: [", /x\.json cannot be read as an OpenAPI description: .* at line 1/],
    [
      "is a bomb",
      `a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${Array(10).fill(`*a${at}`).join(",")}]`).join("\n")}`,
      /x\.json cannot be read/,
    ],
  ])("a file that %s is left out, and a note names it with what refers to it", async (_, file, why) => {
    const { read } = await setup({ "/openapi.json": reference("x.json"), "/x.json": file });
    const { items, read: pages } = await read();
    expect(pages).toContain("#/paths/~1a/get");
    expect(await notesOf(items)).toMatch(why);
    if (typeof file !== "string")
      expect(await notesOf(items)).toMatch(/openapi\.json refers to "x\.json" at #\/components/);
  });

  it.each<[string, SitePage, string]>([
    ["cannot be read at the moment", { status: 503 }, "source_unreachable"],
    ["is too large", " ".repeat(1_100_000), "library_too_large"],
  ])("a file that %s is a failure", async (_, file, code) => {
    const { read } = await setup({ "/openapi.json": reference("x.json"), "/x.json": file });
    await expect(read()).rejects.toMatchObject({ code, message: expect.stringMatching(/\.$/) as unknown });
  });

  it("a missing file is requested again at each refresh", async () => {
    const { read, site } = await setup({ "/openapi.json": reference("x.json") }, { etags: true });
    const first = await read();
    const second = await read();
    expect(second.requests).toEqual(["/openapi.json 304", "/x.json 404"]);
    expect(second.known).toEqual(first.read);
    expect(second.account).toEqual(first.account);
    site.pages.set("/x.json", '{"type":"string"}');
    const third = await read();
    expect(third.requests).toEqual(["/openapi.json 304", "/x.json 200", "/openapi.json 200", "/x.json 200"]);
    expect(await notesOf(third.items)).toBe("");
  });

  it("to files that refer to others have each file parsed once for that, and once to be cut", async () => {
    const pages = Object.fromEntries(
      Array.from({ length: 150 }, (_, at) => [`/${at}.json`, `{"$ref":"${at + 1}.json","x-${at}":1}`]),
    );
    const { read, parsed } = await setup({ "/openapi.json": reference("0.json"), ...pages });
    await read();
    const times = [...Map.groupBy(parsed(), (name) => name).values()].map(({ length }) => length);
    // The submitted file is validated too.
    expect(times).toEqual([3, ...Array.from({ length: 150 }, () => 2)]);
  });

  it("that refer to ever more files end", async () => {
    const pages = Object.fromEntries(
      Array.from({ length: 210 }, (_, at) => [`/${at}.json`, `{"$ref":"${at + 1}.json"}`]),
    );
    const { read } = await setup({ "/openapi.json": reference("0.json"), ...pages });
    await expect(read()).rejects.toMatchObject({ code: "library_too_large" });
  });
});

it.each<[string, SitePage, string]>([
  ["HTML", "<!doctype html><title>Swagger UI</title>", "source_invalid"],
  ["an image", { body: Buffer.from([137, 80, 0, 1]) }, "source_invalid"],
  ["a login", { status: 401 }, "source_refused"],
  ["a server that fails", { status: 503 }, "source_unreachable"],
  ["more than is read", " ".repeat(1_100_000), "library_too_large"],
  ["an API of another kind", '{"asyncapi":"3.0.0"}', "source_invalid"],
  ["no operation", '{"openapi":"3.1.0"}', "no_code_found"],
])("%s in place of a description is a failure that says why", async (_, file, code) => {
  const { read } = await setup({ "/openapi.json": file });
  await expect(read()).rejects.toMatchObject({ code, message: expect.stringMatching(/\.$/) as unknown });
});

it("more operations than pages are indexed is a failure", async () => {
  const paths = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`/p${at}`, "P"]));
  const { read } = await setup({ "/openapi.json": description(paths) });
  await expect(read()).rejects.toMatchObject({ code: "library_too_large" });
});

it("an address in a private network is refused before it is asked for", async () => {
  const { read } = await setup({});
  await expect(read("", { url: "http://169.254.169.254/openapi.json" })).rejects.toMatchObject({
    code: "address_not_allowed",
  });
});
