import { describe, expect, it } from "vitest";
import { codesOf } from "../../domain/passage.ts";
import type { SitePage } from "../support/site.ts";
import { page, setup } from "./llmstxt-setup.ts";

const python = '"""Runs an agent."""\n\nimport anvil\n\n\ndef main():\n    # no heading\n    anvil.drop("coyote")\n';

describe("a source file that an llms.txt lists", () => {
  it.each([
    ["/examples/run.py", "text/x-python; charset=utf-8", "python", python],
    ["/examples/run.py", "text/plain", "python", python],
    [
      "/src/index.ts",
      "video/mp2t",
      "typescript",
      "export const a: number = 1;\n\nexport function drop() {\n  return a;\n}\n",
    ],
    ["/main.go", "application/octet-stream", "go", "package main\n\nfunc main() {\n\tprintln(1)\n}\n"],
    ["/lib.c", "text/x-csrc", "c", "#include <stdio.h>\n\nint main(void) {\n  return 0;\n}\n"],
    ["/config.toml", "application/toml", "toml", "[server]\nport = 8080\n\n[client]\nretries = 3\n"],
    ["/package.json", "application/json", "json", '{\n  "name": "anvil",\n  "version": "1.0.0"\n}\n'],
  ])("is code in its language: %s as %s", async (path, type, language, code) => {
    const { site, index } = await setup({
      "/llms.txt": `- [A](/a.md)\n- [Example](${path}): how to run\n`,
      "/a.md": page("Alpha"),
      [path]: { headers: { "content-type": type }, body: code },
    });
    const { passages, manifest } = await index();
    const shown = passages.filter(({ page: { url } }) => url === site.origin + path);
    expect(shown).toHaveLength(1);
    expect(shown[0]?.blocks).toMatchObject([
      { type: "code", url: site.origin + path, lines: [1, code.split("\n").length - 1] },
    ]);
    expect(shown.flatMap(codesOf)).toMatchObject([
      { language, code: code.replace(/\n$/, ""), file: path.split("/").at(-1) },
    ]);
    expect(manifest.pages[1]).toMatchObject({ outcome: "indexed", title: path.split("/").at(-1) });
    expect((await index()).unchanged).toBe(true);
  });

  it("that is long is cut at a whole line, with a note", async () => {
    const long = Array.from({ length: 5000 }, (_, at) => `print(${at})\n`).join("");
    const { index } = await setup({
      "/llms.txt": "- [Long](/long.py)\n",
      "/long.py": { headers: { "content-type": "text/x-python" }, body: long },
    });
    const { passages, manifest } = await index();
    expect(passages).toHaveLength(1);
    const code = passages.flatMap(codesOf)[0]?.code ?? "";
    expect(long.startsWith(`${code}\n`)).toBe(true);
    expect(code.split("\n").length).toBe(300);
    expect(manifest.pages[0]?.notes).toEqual(["Only the first 300 of its 5000 lines are read."]);
  });

  it("that is sent as HTML is read as a page", async () => {
    const { index, codes } = await setup({
      "/llms.txt": "- [View](/blob/run.py)\n",
      "/blob/run.py": {
        headers: { "content-type": "text/html" },
        body: `<!doctype html><main><h1>run.py</h1><p>This page shows a file of the repository, with a paragraph of words.</p><pre><code class="language-python">anvil.drop()\n</code></pre></main>`,
      },
    });
    expect(codes(await index())).toEqual(["anvil.drop()"]);
  });
});

describe("an API description that an llms.txt lists", () => {
  const described = {
    openapi: "3.0.3",
    info: { title: "Anvils", version: "1" },
    servers: [{ url: "https://api.acme.dev" }],
    paths: {
      "/anvils": {
        get: { summary: "List anvils", operationId: "list", responses: { 200: { description: "All anvils" } } },
        post: {
          summary: "Drop an anvil",
          operationId: "drop",
          requestBody: { content: { "application/json": { schema: { $ref: "schemas.json#/Anvil" } } } },
          responses: { 201: { description: "Dropped" } },
        },
      },
    },
  };
  const schemas = {
    Anvil: {
      type: "object",
      required: ["weight"],
      properties: { weight: { type: "integer", description: "In stone" } },
    },
  };
  const json = (value: unknown, type = "application/json") => ({
    headers: { "content-type": type },
    body: JSON.stringify(value),
  });

  it.each([
    ["/openapi.json", "application/json"],
    ["/openapi.json", "text/plain"],
    ["/api/spec", "application/vnd.oai.openapi+json"],
    ["/api/reference.txt", "text/plain"],
  ])("is read like the other pages, whatever its name: %s as %s", async (path, type) => {
    const { site, index } = await setup({
      "/llms.txt": `- [A](/a.md)\n- [API](${path})\n`,
      "/a.md": page("Alpha"),
      [path]: json(described, type),
      [new URL("schemas.json", `https://x${path}`).pathname]: json(schemas),
    });
    const result = await index();
    const urls = result.manifest.pages.map(({ path: key }) => key.replace(site.origin, ""));
    expect(urls[0]).toBe("/a.md");
    expect(urls).toContain(`${path}#/paths/~1anvils/post`);
    const drop = result.passages.find(({ page: { url } }) => url.endsWith("post"));
    expect(JSON.stringify(drop)).toContain("curl");
    expect(JSON.stringify(drop)).toContain("In stone");
    const again = await index();
    expect(again.unchanged).toBe(true);
  });

  it("is read in YAML too, and in addition to a complete llms-full.txt", async () => {
    const { site, index } = await setup({
      "/llms.txt": "- [A](/a)\n- [B](/b)\n- [API](/v1.yml)\n",
      "/llms-full.txt": ["Alpha", "Beta"]
        .map((name, at) => page(name).replace("\n", `\nSource: /${"ab".charAt(at)}\n`))
        .join("\n"),
      "/v1.yml": {
        headers: { "content-type": "application/yaml" },
        body: "# Of Acme\nopenapi: 3.1.0\ninfo: {title: Anvils, version: '1'}\npaths:\n  /anvils:\n    get:\n      summary: List anvils\n      responses: {'200': {description: All}}\n",
      },
    });
    const { manifest, requests } = await index();
    expect(manifest.pages.map(({ path }) => path.replace(site.origin, ""))).toEqual(
      expect.arrayContaining(["/a", "/b", "/v1.yml#/paths/~1anvils/get"]),
    );
    expect(requests).not.toContain("/a 404");
  });

  it("is requested conditionally if it refers to no other file, and keeps its operations while it is away", async () => {
    const alone = { ...described, paths: { "/anvils": { get: described.paths["/anvils"].get } } };
    const api =
      (body: string): SitePage =>
      (response, { "if-none-match": etag }) => {
        const headers = { "content-type": "application/json", etag: `"${body.length}"` };
        if (etag === headers.etag) return response.writeHead(304).end();
        return response.writeHead(200, headers).end(body);
      };
    const { site, index } = await setup({
      "/llms.txt": "- [A](/a.md)\n- [API](/openapi.json)\n",
      "/a.md": page("Alpha"),
      "/openapi.json": api(JSON.stringify(alone)),
    });
    const operation = `${site.origin}/openapi.json#/paths/~1anvils/get`;
    const pagesIn = ({ manifest }: Awaited<ReturnType<typeof index>>) => manifest.pages.map(({ path }) => path);
    expect(pagesIn(await index())).toContain(operation);
    const again = await index();
    expect(again.unchanged).toBe(true);
    expect(again.requests).toContain("/openapi.json 304");
    site.pages.set("/openapi.json", { status: 503 });
    const away = await index();
    expect(pagesIn(away)).toContain(operation);
    expect(JSON.stringify(away.passages)).toContain("List anvils");
    site.pages.set("/openapi.json", api(JSON.stringify(alone).replaceAll("List anvils", "Show all anvils")));
    expect(JSON.stringify((await index()).passages)).toContain("Show all anvils");
  });

  it("that refers to another origin is read without it, and nothing is fetched there; a broken one is skipped", async () => {
    const { index, site } = await setup({
      "/llms.txt": "- [API](/openapi.json)\n- [Broken](/broken.json)\n- [Page](/show.md)\n",
      "/openapi.json": json({
        ...described,
        paths: {
          "/x": { get: { summary: "Get x", responses: { 200: { $ref: "http://127.0.0.1:9/other.json#/x" } } } },
        },
      }),
      "/broken.json": { headers: { "content-type": "application/json" }, body: '{"openapi": "3.0.0", "paths": {' },
      "/show.md": `# How to write one\n\nA description begins with its version, as here.\n\n\`\`\`yaml\nopenapi: 3.0.0\ninfo: {}\n\`\`\`\n`,
    });
    const { manifest } = await index();
    const of = (end: string) => manifest.pages.find(({ path }) => path.endsWith(end));
    expect(of("/paths/~1x/get")).toMatchObject({ outcome: "indexed" });
    expect(manifest.pages.flatMap(({ notes = [] }) => notes).join()).toContain(`only files of ${site.origin} are read`);
    expect(of("/broken.json")).toMatchObject({ outcome: "skipped", code: "invalid_description" });
    expect(of("/show.md")).toMatchObject({ outcome: "indexed" });
  });
});

it.each([
  ["in windows-1252", "latin1", "say('été');", ["say('été');", "beta();"], 1, 0],
  ["in UTF-8 with a broken sign", "utf8", "say('été \uD83D');", ["beta();"], 0, 1],
] as const)("an llms-full.txt %s is read, with a note", async (_, encoding, code, expected, ofFile, ofPages) => {
  const text = `${page("Alpha").replace("alpha();", code)}\n${page("Beta")}`;
  // Half of a surrogate pair is written as U+FFFD, whose last byte is cut.
  const bytes = Buffer.from(text, encoding).filter((byte, at, all) => byte !== 0xbd || all[at - 1] !== 0xbf);
  const body = Buffer.from(bytes);
  const { index, codes } = await setup({ "/llms-full.txt": { headers: { "content-type": "text/plain" }, body } });
  const result = await index("/llms-full.txt");
  expect(codes(result)).toEqual([...expected].toSorted());
  expect(result.manifest.notes ?? []).toHaveLength(ofFile);
  expect(result.manifest.pages.flatMap(({ notes = [] }) => notes)).toHaveLength(ofPages);
});
