import { Readable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { exportGeneration, importGeneration } from "../../activities/transfer.ts";
import { codesOf } from "../../domain/passage.ts";
import { startSite } from "../support/site.ts";
import { html, page, setup } from "./llmstxt-setup.ts";

describe("an llms.txt with pages", () => {
  const listed = "# Acme\n\n> All about anvils.\n\n## Docs\n\n- [A](/a.md)\n- [B](/b)\n- [C](/c)\n- [D](/d/)\n";

  it("is read as Markdown, from .md twins, and as HTML last, with the address of each page", async () => {
    const { site, index, codes } = await setup({
      "/llms.txt": listed,
      "/a.md": page("Alpha"),
      "/b": (response, { accept }) => {
        const markdown = accept?.startsWith("text/markdown") === true;
        response.writeHead(200, { "content-type": markdown ? "text/markdown" : "text/html" });
        response.end(markdown ? page("Beta") : html("Beta"));
      },
      "/c": html("Gamma"),
      "/c.md": page("Gamma"),
      "/d/": html("Delta"),
    });
    const result = await index();
    const { manifest, passages } = result;
    expect(manifest).toMatchObject({ title: "Acme", description: "All about anvils.", counts: { pages: 4 } });
    expect(manifest.revision).toMatch(/^sha256-[0-9a-f]{40}$/);
    expect(codes(result)).toEqual(["alpha();", "beta();", "delta(<a>);\n  next();", "gamma();"]);
    const passageOf = (code: string) => passages.find((one) => codesOf(one)[0]?.code === code);
    const sourceOf = (code: string) => passageOf(code)?.source;
    const { origin } = site;
    expect(sourceOf("gamma();")).toEqual({
      url: `${origin}/c`,
      resource: `${origin}/c.md`,
      lines: [3, 9],
      ordinal: 0,
      revision: expect.stringMatching(/^sha256-/) as unknown,
    });
    expect(passageOf("gamma();")?.blocks).toMatchObject([{ type: "prose" }, { url: `${origin}/c`, lines: [7, 9] }]);
    expect(sourceOf("delta(<a>);\n  next();")).toEqual({
      url: expect.stringMatching(/\/d\/(?:#delta)?$/) as unknown,
      ordinal: expect.any(Number) as unknown,
      revision: expect.stringMatching(/^sha256-/) as unknown,
    });
    expect(manifest.pages.map(({ path }) => path)).toEqual(["/a.md", "/b", "/c", "/d/"].map((path) => origin + path));
  });

  it("below other documentation is read with that, as pkgdown writes it", async () => {
    const rules = Array.from(
      { length: 8 },
      (_, at) => `Anvils are heavy, and rule ${at} says\nthat two people lift them.\n\n`,
    );
    const { index, codes } = await setup({
      "/llms.txt": `# anvils\n\n${rules.join("")}## Use\n\n\`\`\`r\nanvil()\n\`\`\`\n\n# Package index\n\n- [\`a()\`](/a.md)\n  : Alpha\n- [\`b()\`](/b.md)\n  : Beta\n`,
      "/a.md": page("Alpha"),
      "/b.md": page("Beta"),
    });
    const first = await index();
    expect(codes(first)).toEqual(["alpha();", "anvil()", "beta();"]);
    expect(first.manifest.title).toBe("anvils");
    expect((await index()).unchanged).toBe(true);
  });

  it("is read once where it lists both forms of a page", async () => {
    const { index } = await setup({
      "/llms.txt": "- [A](/a.html)\n- [A as Markdown](/a.md)\n- [B](/b.html)\n",
      "/a.md": page("Alpha"),
      "/a.html": html("Alpha"),
      "/b.html": html("Beta"),
    });
    const { manifest } = await index();
    expect(manifest.pages.map(({ path }) => new URL(path).pathname)).toEqual(["/a.md", "/b.html"]);
  });

  it("is refreshed by validators, and ends unchanged in whatever order the pages are listed", async () => {
    const { site, index } = await setup(
      { "/llms.txt": "- [A](/a.md)\n- [B](/b.md)\n", "/a.md": page("Alpha"), "/b.md": page("Beta") },
      { etags: true },
    );
    await index();
    site.pages.set("/llms.txt", "- [B](/b.md)\n- [A](/a.md)\n");
    const { requests, unchanged } = await index();
    expect(requests.filter((line) => /\.md /.test(line)).toSorted()).toEqual(["/a.md 304", "/b.md 304"]);
    expect(unchanged).toBe(true);
    site.pages.set("/a.md", page("Gamma"));
    const changed = await index();
    expect(changed.unchanged).toBe(false);
    expect(changed.requests.filter((line) => /\.md /.test(line)).toSorted()).toEqual(["/a.md 200", "/b.md 304"]);
  });

  it("is unchanged if a server without validators sends the same", async () => {
    const { index } = await setup({ "/llms.txt": "- [A](/a.md)\n", "/a.md": page("Alpha") });
    const { passages } = await index();
    const again = await index();
    expect(again.unchanged).toBe(true);
    expect(again.passages).toEqual(passages);
  });

  it("is the same library once it was exported and imported", async () => {
    const { index, blobs } = await setup({
      "/llms.txt": "- [B](/b.md)\n- [A](/a.md)\n- [C](/c)\n",
      "/a.md": page("Alpha"),
      "/b.md": page("Beta"),
      "/c": html("Gamma"),
    });
    const { manifest } = await index();
    const lines = await Array.fromAsync(exportGeneration(blobs, manifest.generation));
    const { manifest: taken } = await importGeneration(blobs, Readable.from(lines), "imported");
    expect(taken).toMatchObject({
      contentHash: manifest.contentHash,
      source: manifest.source,
      counts: manifest.counts,
    });
    const again = await Array.fromAsync(exportGeneration(blobs, "imported"));
    expect(again.slice(1)).toEqual(lines.slice(1));
  });

  it("reads a page again that is now listed under the address of its .md twin", async () => {
    const { site, index, codes } = await setup(
      { "/llms.txt": "- [A](/a)\n", "/a": html("Alpha"), "/a.md": page("Alpha") },
      { etags: true },
    );
    await index();
    site.pages.set("/llms.txt", "- [A](/a.md)\n");
    const moved = await index();
    expect(moved.manifest.pages).toMatchObject([{ path: `${site.origin}/a.md`, outcome: "indexed" }]);
    expect(codes(moved)).toEqual(["alpha();"]);
  });

  it("leaves out a page that redirects to another host", async () => {
    const other = await startSite({ "/x.md": page("Other") });
    onTestFinished(() => other.close());
    const away = { status: 302, headers: { location: `${other.origin}/x.md` } };
    const { index, codes } = await setup(
      { "/llms.txt": "- [A](/a.md)\n- [X](/x.md)\n", "/a.md": page("Alpha"), "/x.md": away },
      { hosts: [other.host] },
    );
    const { manifest } = await index();
    expect(manifest.pages.map(({ outcome, code }) => code ?? outcome)).toEqual(["indexed", "other_host"]);
    expect(codes(await index("/llms.txt", { otherHosts: true }))).toEqual(["alpha();", "other();"]);
  });

  it("takes the host that it redirects to for its own", async () => {
    const site = await startSite({ "/a.md": page("Alpha") });
    onTestFinished(() => site.close());
    site.pages.set("/llms.txt", `- [A](${site.origin}/a.md)\n- [A too](/a.md)\n`);
    const { index, codes } = await setup(
      { "/llms.txt": { status: 301, headers: { location: `${site.origin}/llms.txt` } } },
      { hosts: [site.host] },
    );
    expect(codes(await index())).toEqual(["alpha();"]);
  });

  it("keeps the last snippets of a page that is away, and asks for it again", async () => {
    const { site, index, codes } = await setup({
      "/llms.txt": "- [A](/a.md)\n- [B](/b.md)\n",
      "/a.md": page("Alpha"),
      "/b.md": page("Beta"),
    });
    await index();
    site.pages.set("/b.md", { status: 500 });
    const away = await index();
    expect(away.manifest.pages[1]).toMatchObject({ outcome: "failed", code: "source_unreachable", failures: 1 });
    expect(codes(away)).toEqual(["alpha();", "beta();"]);
    site.pages.set("/b.md", page("Beta"));
    expect((await index()).manifest.pages[1]).toMatchObject({ outcome: "indexed" });
  });

  it("is read as slowly as its robots.txt asks, and waits after 429", async () => {
    let refused = 0;
    const { index, codes } = await setup({
      "/llms.txt": "- [A](/a.md)\n- [B](/b.md)\n",
      "/robots.txt": "User-agent: lectern\nCrawl-delay: 0.2\n",
      "/a.md": page("Alpha"),
      "/b.md": (response) => {
        refused += 1;
        if (refused < 3) response.writeHead(429, { "retry-after": "0" }).end();
        else response.writeHead(200, { "content-type": "text/markdown" }).end(page("Beta"));
      },
    });
    const start = performance.now();
    expect(codes(await index())).toEqual(["alpha();", "beta();"]);
    expect(refused).toBe(3);
    expect(performance.now() - start).toBeGreaterThan(590);
  });

  it("leaves out pages on other hosts, and those that robots.txt refuses", async () => {
    const other = await startSite({ "/x.md": page("Other") });
    onTestFinished(() => other.close());
    const { index, codes } = await setup(
      {
        "/llms.txt": `- [A](/a.md)\n- [P](/private/p.md)\n- [X](${other.origin}/x.md)\n`,
        "/robots.txt": "User-agent: *\nDisallow: /private/\n",
        "/a.md": page("Alpha"),
        "/private/p.md": page("Private"),
      },
      { hosts: [other.host] },
    );
    const result = await index();
    expect(result.manifest.pages.map(({ outcome, code }) => code ?? outcome)).toEqual([
      "indexed",
      "robots",
      "other_host",
    ]);
    expect(result.requests).not.toContain("/private/p.md 200");
    expect(codes(await index("/llms.txt", { otherHosts: true }))).toEqual(["alpha();", "other();"]);
  });
});

describe("an llms-full.txt", () => {
  const full = (names: readonly string[], origin = ""): string =>
    names.map((name) => page(name).replace("\n", `\nSource: ${origin}/${name.toLowerCase()}\n`)).join("\n");

  it("is read in place of the listed pages, with the lines of the file", async () => {
    const { site, index, codes } = await setup(
      { "/llms.txt": "- [A](/alpha.md)\n- [B](/beta)\n", "/llms-full.txt": full(["Alpha", "Beta"]) },
      { etags: true },
    );
    const result = await index();
    expect(result.requests.map((line) => line.split(" ")[0])).toEqual(["/llms.txt", "/llms-full.txt"]);
    expect(codes(result)).toEqual(["alpha();", "beta();"]);
    const beta = result.passages.find((one) => codesOf(one)[0]?.code === "beta();");
    expect(beta?.source).toMatchObject({ url: `${site.origin}/beta`, resource: `${site.origin}/llms-full.txt` });
    const example = beta?.blocks.find((block) => block.type === "code");
    const [first = 0, last = 0] = example?.lines ?? [];
    const text = site.pages.get("/llms-full.txt") as string;
    expect(text.split("\n").slice(first - 1, last)).toEqual(["```js", "beta();", "```"]);
    const again = await index();
    expect(again.requests).toEqual(["/llms.txt 200", "/llms-full.txt 304"]);
    expect(again.unchanged).toBe(true);
  });

  it("that names an address twice has two pages, and is the same once it was exported and imported", async () => {
    const again = page("Beta").replace("\n", "\nSource: /alpha\n");
    const { index, blobs, site } = await setup({ "/llms-full.txt": `${full(["Alpha"])}\n${again}` });
    const { manifest } = await index("/llms-full.txt");
    expect(manifest.pages.map(({ path, url }) => [path, url])).toEqual([
      [`${site.origin}/alpha`, `${site.origin}/alpha`],
      [`${site.origin}/alpha#part-2`, `${site.origin}/alpha#part-2`],
    ]);
    const lines = await Array.fromAsync(exportGeneration(blobs, manifest.generation));
    const { manifest: taken } = await importGeneration(blobs, Readable.from(lines), "imported");
    expect(taken.contentHash).toBe(manifest.contentHash);
  });

  it("is ignored if it lacks listed pages", async () => {
    const { index, codes } = await setup({
      "/llms.txt": "- [A](/alpha.md)\n- [B](/beta.md)\n",
      "/llms-full.txt": full(["Alpha"]),
      "/alpha.md": page("Alpha"),
      "/beta.md": page("Beta"),
    });
    expect(codes(await index())).toEqual(["alpha();", "beta();"]);
  });

  it.each(["/llms-full.txt", "/llms-small.txt", "/sdk/llms.txt"])("is read alone as %s", async (path) => {
    const { index, codes } = await setup({ [path]: full(["Alpha", "Beta"]) });
    expect(codes(await index(path))).toEqual(["alpha();", "beta();"]);
  });
});
