import { describe, expect, it, onTestFinished } from "vitest";
import { codesOf } from "../../domain/passage.ts";
import { startSite, type SitePage } from "../support/site.ts";
import { html, page, setup } from "./llmstxt-setup.ts";

describe("an llms.txt that lists others", () => {
  it("is read with the pages of all of them, each once, with a note", async () => {
    const { site, index, codes } = await setup({
      "/llms.txt": "# Acme\n\n- [Home](/home.md)\n- [SDK](/sdk/llms.txt)\n- [API](/api/llms.txt)\n",
      "/home.md": page("Home"),
      "/sdk/llms.txt": "# SDK\n\n- [A](a.md)\n- [All](/llms.txt)\n- [Home](/home.md)\n",
      "/sdk/a.md": page("Alpha"),
      "/api/llms.txt": "# API\n\n- [B](b.md)\n- [SDK](../sdk/llms.txt)\n- [Deep](deep/llms.txt)\n",
      "/api/b.md": page("Beta"),
      "/api/deep/llms.txt": "- [C](c.md)\n",
      "/api/deep/c.md": page("Gamma"),
    });
    const result = await index();
    expect(codes(result)).toEqual(["alpha();", "beta();", "gamma();", "home();"]);
    expect(result.manifest.title).toBe("Acme");
    expect(result.manifest.pages.map(({ path }) => path.replace(site.origin, ""))).toEqual([
      "/home.md",
      "/sdk/a.md",
      "/api/b.md",
      "/api/deep/c.md",
    ]);
    expect(result.requests.filter((line) => line.includes("llms.txt"))).toHaveLength(4);
    expect(result.manifest.notes).toEqual([
      `It lists 3 other files, whose pages are read too: ${site.origin}/sdk/llms.txt, ${site.origin}/api/llms.txt, ${site.origin}/api/deep/llms.txt.`,
    ]);
    expect((await index()).unchanged).toBe(true);
  });

  it("is read with those that contain their pages, unchanged ones by their validators", async () => {
    const { site, index, codes } = await setup(
      {
        "/llms.txt": "- [A](/a/llms.txt)\n- [B](/b/llms.txt)\n- [C](/c.md)\n",
        "/a/llms.txt": page("Alpha"),
        "/b/llms.txt": page("Beta").replace("\n", "\nSource: /b/one\n"),
        "/c.md": page("Gamma"),
      },
      { etags: true },
    );
    const result = await index();
    expect(codes(result)).toEqual(["alpha();", "beta();", "gamma();"]);
    expect(result.manifest.pages.map(({ path }) => path.replace(site.origin, ""))).toEqual([
      "/a/llms.txt#alpha",
      "/a/llms.txt#use-of-alpha",
      "/b/one",
      "/c.md",
    ]);
    const again = await index();
    expect(again.unchanged).toBe(true);
    expect(again.requests.filter((line) => /\/[ab]\//.test(line))).toEqual(["/a/llms.txt 304", "/b/llms.txt 304"]);
    site.pages.set("/a/llms.txt", page("Delta"));
    expect(codes(await index())).toEqual(["beta();", "delta();", "gamma();"]);
  });

  it("leaves out lists on other hosts, those that robots.txt refuses, and its own llms-full.txt", async () => {
    const other = await startSite({ "/llms.txt": "- [X](/x.md)\n", "/x.md": page("Other") });
    onTestFinished(() => other.close());
    const { index, codes } = await setup(
      {
        "/llms.txt": `- [A](/a.md)\n- [All](/llms-full.txt)\n- [X](${other.origin}/llms.txt)\n- [P](/private/llms.txt)\n- [Gone](/gone/llms.txt)\n`,
        "/llms-full.txt": page("Intro").replace("\n", "\nSource: /intro\n"),
        "/robots.txt": "User-agent: *\nDisallow: /private/\n",
        "/a.md": page("Alpha"),
        "/private/llms.txt": "- [P](/private/p.md)\n",
      },
      { hosts: [other.host] },
    );
    const result = await index();
    expect(codes(result)).toEqual(["alpha();"]);
    expect(result.manifest.pages.map(({ outcome, code }) => code ?? outcome)).toEqual([
      "indexed",
      "other_host",
      "robots",
      "source_not_found",
    ]);
    expect(result.requests).not.toContain("/private/llms.txt 200");
    expect(codes(await index("/llms.txt", { otherHosts: true }))).toEqual(["alpha();", "other();"]);
  });

  it("is followed no deeper than three lists, and to no more than a hundred", async () => {
    const pages: Record<string, SitePage> = {};
    for (let at = 0; at < 6; at++) {
      pages[at === 0 ? "/llms.txt" : `/${at}/llms.txt`] = `- [P](/p${at}.md)\n- [Next](/${at + 1}/llms.txt)\n`;
      pages[`/p${at}.md`] = page(`Page${at}`);
    }
    const { site, index, codes } = await setup(pages, { limits: { pages: 300 } });
    const deep = await index();
    expect(codes(deep)).toEqual(["page0();", "page1();", "page2();", "page3();"]);
    expect(deep.manifest.notes).toContain(
      "1 file that it lists is not read. Lists are followed to a depth of 3, and 100 of them at most.",
    );
    site.pages.set("/llms.txt", Array.from({ length: 120 }, (_, at) => `- [${at}](/many${at}/llms.txt)`).join("\n"));
    for (let at = 0; at < 120; at++) site.pages.set(`/many${at}/llms.txt`, "- [P](/p0.md)\n");
    const many = await index();
    expect(codes(many)).toEqual(["page0();"]);
    expect(many.manifest.notes?.at(-1)).toMatch(/^20 files that it lists are not read/);
  });
});

describe("the items of an llms.txt", () => {
  it("are bare addresses and links in headings too", async () => {
    const { site, index, codes } = await setup({});
    site.pages.set(
      "/llms.txt",
      `# Acme\n\n> About.\n\n## [Alpha](/a.md)\n\nAll about it.\n\n### Beta\n\n${site.origin}/b.md\n\n* ${site.origin}/c.md: the third (see also ${site.origin}/d.md).\n\nRequests go to \`${site.origin}/api\` or ${site.origin}/{version}/x.\n`,
    );
    for (const [at, name] of ["Alpha", "Beta", "Gamma", "Delta"].entries())
      site.pages.set(`/${"abcd".charAt(at)}.md`, page(name));
    const result = await index();
    expect(codes(result)).toEqual(["alpha();", "beta();", "delta();", "gamma();"]);
    expect(result.manifest.pages).toHaveLength(4);
  });

  it("are the links in the headings of an llms-full.txt as well", async () => {
    const titled = (name: string) =>
      page(name).replace(/^# (\w+)/, (_, title: string) => `# [${title}](/docs/${title.toLowerCase()})`);
    const { site, index } = await setup({ "/llms-full.txt": `${titled("Alpha")}\n${titled("Beta")}` });
    const { manifest, passages } = await index("/llms-full.txt");
    expect(manifest.pages.map(({ path }) => path)).toEqual([`${site.origin}/docs/alpha`, `${site.origin}/docs/beta`]);
    expect(passages.map(({ page: { title } }) => title)).toEqual(["Alpha", "Beta"]);
  });
});

describe("an llms-full.txt without addresses", () => {
  const listed = "- [A](/a)\n- [B](/b)\n- [C](/c)\n";
  const full = `${page("Alpha")}\n${page("Beta")}`;

  it("is read if all listed pages fail, with a note", async () => {
    const { site, index, codes } = await setup({ "/llms.txt": listed, "/llms-full.txt": full }, { etags: true });
    const result = await index();
    expect(codes(result)).toEqual(["alpha();", "beta();"]);
    expect(result.manifest.counts).toMatchObject({ pages: 2, pagesFailed: 3 });
    expect(result.manifest.notes).toEqual([
      `None of the pages that it lists can be read: ${site.origin}/llms-full.txt is read in their place.`,
    ]);
    const again = await index();
    expect(again.unchanged).toBe(true);
    expect(again.requests).toContain("/llms-full.txt 304");
    site.pages.set("/a", html("Anvil"));
    expect(codes(await index())).toEqual(["anvil(<a>);\n  next();"]);
  });

  it("is not read if listed pages are only away for a while", async () => {
    const { site, index, codes } = await setup({
      "/llms.txt": "- [A](/a.md)\n- [B](/b.md)\n- [C](/c.md)\n",
      "/llms-full.txt": full,
    });
    for (const name of ["a", "b", "c"]) site.pages.set(`/${name}.md`, page(name.toUpperCase()));
    await index();
    for (const name of ["a", "b", "c"]) site.pages.set(`/${name}.md`, { status: 503 });
    const away = await index();
    expect(codes(away)).toEqual(["a();", "b();", "c();"]);
    expect(away.passages.flatMap(codesOf)).toHaveLength(3);
  });
});

it("a listed page that was read before and fails does not keep the others from the llms-full.txt", async () => {
  const { site, index, codes } = await setup({
    "/llms.txt": "- [A](/a.md)\n- [B](/b.md)\n- [C](/c.md)\n",
    "/llms-full.txt": `${page("Alpha")}\n${page("Beta")}`,
    "/a.md": page("A"),
  });
  expect(codes(await index())).toEqual(["a();"]);
  site.pages.set("/a.md", { status: 503 });
  const result = await index();
  expect(codes(result)).toEqual(["a();", "alpha();", "beta();"]);
  expect(result.manifest.counts).toMatchObject({ pagesFailed: 3 });
});

describe("a list among those that an llms.txt lists", () => {
  it("is read from the llms-full.txt next to it if all of its own pages fail", async () => {
    const { site, index, codes } = await setup(
      {
        "/llms.txt": "- [Home](/home.md)\n- [SDK](/sdk/llms.txt)\n- [API](/api/llms.txt)\n",
        "/home.md": page("Home"),
        "/sdk/llms.txt": "- [A](a)\n- [B](b)\n",
        "/sdk/llms-full.txt": `${page("Alpha")}\n${page("Beta")}`,
        "/api/llms.txt": "- [C](c.md)\n- [D](d.md)\n",
        "/api/c.md": page("Gamma"),
        "/api/llms-full.txt": page("Delta"),
      },
      { etags: true },
    );
    const result = await index();
    expect(codes(result)).toEqual(["alpha();", "beta();", "gamma();", "home();"]);
    expect(result.manifest.counts).toMatchObject({ pagesFailed: 3 });
    expect(result.manifest.notes).toContain(
      `None of the pages that it lists can be read: ${site.origin}/sdk/llms-full.txt is read in their place.`,
    );
    expect(result.requests).not.toContain("/api/llms-full.txt 200");
    const again = await index();
    expect(again.unchanged).toBe(true);
    expect(again.requests).toContain("/sdk/llms-full.txt 304");
  });
});
