import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  findPlace,
  indexOn,
  outlineFormat,
  readOutline,
  writeOutline,
  type OutlinePage,
  type OutlineSection,
} from "../../domain/outline.ts";
import { gitSpec } from "../support/git-spec.ts";
import { base, outlineFor, outlineOfTexts, proseOf, subject } from "../support/outlined.ts";
import { kindOf, type SourceSpec } from "../../domain/kinds/index.ts";

/** A page with sections, by their headings and levels. */
function pageWith(
  page: string,
  headings: readonly (string | [string, number])[] = [],
  more: Partial<OutlinePage> = {},
): OutlinePage {
  const sections = headings.map((one, at): OutlineSection => {
    const [heading, level] = typeof one === "string" ? [one, 1] : one;
    return { heading, level, anchor: `s${at}`, first: at, count: 1, tokens: 10 };
  });
  const place = [0, 0, headings.length] as const;
  const common = { title: page, tokens: 10, held: 0, absent: [], place, cuts: [], ids: "", sections };
  return { page, url: `https://docs.example.com/${page}`, ...common, ...more };
}

const named = (...pages: readonly (string | OutlinePage)[]) =>
  outlineFor(pages.map((page) => (typeof page === "string" ? pageWith(page) : page)));

describe("the names of pages", () => {
  it("are the shortest ends of their keys that no other page has", () => {
    const { names } = named(
      "README.md",
      "docs/README.md",
      "docs/guide/start.md",
      "docs/other/start.md",
      "a/b/c/x.md",
      "z/b/c/x.md",
    );
    expect(names).toEqual([
      "README.md",
      "docs/README.md",
      "guide/start.md",
      "other/start.md",
      "a/b/c/x.md",
      "z/b/c/x.md",
    ]);
  });

  it("lead to a page with that key rather than to one that ends with it", () => {
    const outline = named("docs/start.md", "start.md", "docs/docs/start.md");
    expect(outline.names).toEqual(["docs/start.md", "start.md", "docs/docs/start.md"]);
    for (const [index, name] of outline.names.entries()) expect(outline.find(name)).toBe(index);
  });

  it("of websites are never empty", () => {
    const { names } = named(
      "https://docs.example.com/",
      "https://docs.example.com/guide/",
      "https://docs.example.com/api/proxy",
    );
    expect(names).toEqual(["docs.example.com/", "guide/", "proxy"]);
  });

  it("of operations are method and path, if no other description has the same", () => {
    const one = pageWith("a.json#/paths/~1pets/get", ["GET /pets", "List pets"]);
    const outline = named(one, pageWith("a.json#/paths/~1pets/post", ["POST /pets"]), pageWith("a.md", ["GET /pets"]));
    expect(outline.names).toEqual(["GET /pets", "POST /pets", "a.md"]);
    expect(outline.find("GET /pets")).toBe(0);
    const two = named(one, pageWith("b.json#/paths/~1pets/get", ["GET /pets"]));
    expect(two.names).toEqual(["a.json#/paths/~1pets/get", "b.json#/paths/~1pets/get"]);
    expect(two.find("GET /pets")).toBeUndefined();
  });

  it("are on one line, and can be read so", () => {
    const outline = named("docs/one\n- two.md", "docs/\u2028");
    expect(outline.names).toEqual(["one - two.md", "docs/"]);
    for (const [index, name] of outline.names.entries()) expect(findPlace(outline, name)?.index).toBe(index);
  });
});

describe("a place", () => {
  const outline = outlineOfTexts({
    "docs/guide.md": `# Guide\n\n## \`server.proxy\`\n\n${proseOf("proxy")}\n\n### Example\n\n${proseOf("one")}\n\n## Preview\n\n${proseOf("two")}\n\n### Example\n\n${proseOf("three")}\n\n## 404\n\n${proseOf("four")}\n\n## L10\n\n${proseOf("five")}\n\n## C#\n\n${proseOf("six")}\n\n## 安装\n\n${proseOf("seven")}\n`,
    "docs/a#b.md": `# Other\n\n## One\n\n${proseOf("eight")}\n`,
  });
  const found = (page: string, section?: string): string | undefined => {
    const place = findPlace(outline, page, section);
    if (place === undefined) return undefined;
    const what = place.missing === undefined ? (place.section?.anchor ?? "") : `no ${place.missing}`;
    return `${place.page.page} ${what}`.trim();
  };

  it.each([
    ["docs/guide.md", ""],
    ["guide.md", ""],
    ["/docs/guide.md", ""],
    [`${base}docs/guide.md`, ""],
    ["guide.md#serverproxy", "serverproxy"],
    ["guide.md#server.proxy", "serverproxy"],
    ["guide.md#`server.proxy`", "serverproxy"],
    ["guide.md#SERVER.PROXY", "serverproxy"],
    ["guide.md#example-1", "example-1"],
    ["guide.md#Preview > Example", "example-1"],
    ["guide.md#Guide > server.proxy > Example", "example"],
    ["guide.md#Nowhere > Example", "example"],
    ["guide.md#404", "404"],
    ["guide.md#L10", "l10"],
    ["guide.md#C#", "c"],
    ["guide.md#安装", "安装"],
    ["guide.md#", ""],
    ["guide.md#nothing", "no nothing"],
    ["guide.md#Preview > Nothing", "no Preview > Nothing"],
  ])("of %s", (address, expected) => {
    expect(found(address)).toBe(`docs/guide.md ${expected}`.trim());
  });

  it.each([
    ["serverproxy", "serverproxy"],
    ["#serverproxy", "serverproxy"],
    ["## Preview", "preview"],
    ["Preview > Example", "example-1"],
    ["404", "404"],
    ["L99", "no L99"],
    ["", ""],
  ])("of a page and its section %j", (section, expected) => {
    expect(found("guide.md", section)).toBe(`docs/guide.md ${expected}`.trim());
  });

  it("prefers the section that is asked for to the one in the address", () => {
    expect(found("guide.md#preview", "404")).toBe("docs/guide.md 404");
    expect(found("guide.md#L3-L9", "preview")).toBe("docs/guide.md preview");
  });

  it("may have # in its key", () => {
    expect(found("docs/a#b.md")).toBe("docs/a#b.md");
    expect(found("a#b.md#one")).toBe("docs/a#b.md one");
  });

  it.each([
    "",
    "#",
    "#one",
    "nothing.md",
    "nothing.md#one",
    "md",
    "guide",
    "../docs/guide.md",
    "docs/guide.md/",
    "constructor",
    "__proto__",
    "\0",
    "#".repeat(2000),
  ])("is not there for %j", (name) => expect(found(name)).toBeUndefined());
});

describe("the address of lines in a source", () => {
  const git = (
    host: "github" | "gitlab" | "bitbucket" | "gitea" | "git",
    url = "https://git.example.com/acme/widgets",
  ): SourceSpec => gitSpec(url, { host });
  const selection = { folders: [], excludeFolders: null, excludeFiles: null };
  const packaged = { kind: "package", registry: "npm", name: "widgets", version: null } as unknown as SourceSpec;
  it.each<[string, SourceSpec, string]>([
    ["GitHub", git("github"), "https://github.com/a/b/blob/c0ffee/docs/a.md"],
    ["GitLab", git("gitlab"), "https://gitlab.com/a/b/-/blob/c0ffee/docs/a.md"],
    ["Bitbucket", git("bitbucket"), "https://bitbucket.org/a/b/src/c0ffee/docs/a.md"],
    [
      "Bitbucket Data Center",
      git("bitbucket", "https://git.example.com/scm/a/b"),
      "https://git.example.com/projects/a/repos/b/browse/docs/a.md?at=c0ffee",
    ],
    ["Gitea", git("gitea"), "https://gitea.com/a/b/src/commit/c0ffee/docs/a.md"],
    ["another host", git("git"), "https://git.example.com/a/b/docs/a.md"],
    ["a folder", { kind: "folder", path: "/srv", selection }, "file:///srv/docs/a.md"],
    ["an archive of a package", packaged, "https://registry.example.com/widgets-1.0.0.tgz#docs/a.md"],
  ])("on %s names the page", (_, spec, url) => {
    const outline = outlineFor([pageWith("docs/a.md", ["One"], { url }), pageWith("docs/b.md")]);
    for (const lines of [
      [3, 9],
      [7, 7],
    ] as const) {
      const address = kindOf(spec).address(spec, url, { lines });
      expect(address).not.toBe(url);
      expect(findPlace(outline, address)).toEqual({ index: 0, page: outline.at(0) });
    }
  });

  it.each(["page=3", "slide=12"])("or of the part #%s of a document names it", (part) => {
    const outline = outlineFor([pageWith("guide.pdf", ["One"])]);
    expect(findPlace(outline, `https://docs.example.com/guide.pdf#${part}`)).toEqual({ index: 0, page: outline.at(0) });
  });
});

it("an outline of another format, or of a later one, is missing", () => {
  const header = {
    format: outlineFormat,
    language: "ts",
    parts: [],
    held: 2,
    heldHeadings: ["evil"],
    subject,
  } as const;
  const text = writeOutline(header, [{ page: pageWith("a.md"), meaning: new Int8Array(2) }]);
  expect(readOutline(text)).toMatchObject(header);
  expect(readOutline(text.replace(`"format":${outlineFormat}`, '"format":99'))).toBeUndefined();
  expect(() => readOutline("")).toThrow(SyntaxError);
});

it("a passage is found on its page by its ID alone", () => {
  const page = pageWith("a.md", [], { ids: "aaaaaabbbbbbababab" });
  expect(["aaaaaa-rest", "bbbbbb", "ababab", "aabbbb", "aaabbb"].map((id) => indexOn(page, id))).toEqual([
    0, 1, 2, -1, -1,
  ]);
});

describe("of any outline", () => {
  const segment = fc.oneof(
    fc.constantFrom("README.md", "a", "b.md", "#", "GET /x", "%20", "..", "~1pets", "constructor", "安装.md", "L3"),
    fc.string({ minLength: 1, maxLength: 6 }),
  );
  const key = fc
    .array(segment, { minLength: 1, maxLength: 5 })
    .map((segments) => segments.join("/"))
    .filter((joined) => /[^\s\p{Cc}]/u.test(joined));
  const heading = fc.oneof(
    fc.constantFrom("One", "GET /pets", "L3-L9", "12", "C#", "a > b"),
    fc.string({ maxLength: 9 }),
  );
  const pages = fc
    .uniqueArray(fc.tuple(key, fc.array(heading, { maxLength: 4 })), {
      selector: ([name]) => name.replaceAll(/[\s\p{Cc}]+/gu, " ").trim(),
      maxLength: 8,
    })
    .map((all) => all.map(([name, headings]) => pageWith(name, headings)));

  it("every page can be read by its key and by its name, and every section by its anchor", () => {
    fc.assert(
      fc.property(pages, (all) => {
        const outline = outlineFor(all);
        for (const [index, { page, sections }] of all.entries()) {
          const name = outline.names[index] ?? "";
          expect(name).toMatch(/^\P{Cc}*$/u);
          for (const address of [page, name]) {
            expect(findPlace(outline, address)).toEqual({ index, page: outline.at(index) });
            for (const section of sections) {
              expect(findPlace(outline, `${address}#${section.anchor}`)).toMatchObject({ index, section });
              expect(findPlace(outline, address, section.anchor)).toMatchObject({ index, section });
            }
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it("what is read is what was written", () => {
    fc.assert(
      fc.property(pages, fc.int8Array({ minLength: 3, maxLength: 3 }), fc.string(), (all, meaning, language) => {
        const header = {
          format: outlineFormat,
          language,
          parts: [{ key: language, sha256: "" }],
          held: 3,
          heldHeadings: [],
          subject,
        } as const;
        const written = all.map((page) => ({ page, meaning }));
        const {
          names,
          meanings,
          hasOperations: _,
          at,
          find: _find,
          ...read
        } = readOutline(writeOutline(header, written)) ?? raise();
        expect(read).toEqual(header);
        expect(Array.from(names, (_, index) => at(index))).toEqual(all);
        expect(meanings).toEqual(written.map(() => meaning));
      }),
      { numRuns: 100 },
    );
  });

  it("any name finds a page, or none, without an error", () => {
    const outline = outlineFor([pageWith("docs/a.md", ["One", "Two"])]);
    fc.assert(
      fc.property(fc.string(), fc.option(fc.string(), { nil: undefined }), (page, section) => {
        expect(findPlace(outline, page, section)?.index ?? 0).toBe(0);
        expect(findPlace(outline, `docs/a.md${page}`, section)?.index ?? 0).toBe(0);
      }),
    );
  });
});

function raise(): never {
  throw new Error("It is of another format.");
}
