import { describe, expect, it } from "vitest";
import type { SourceItem } from "../../../domain/ports.ts";
import { wholeTree } from "../../support/git-spec.ts";
import { openGitTestbed } from "./setup.ts";

const bed = await openGitTestbed();

/** The includes of each page: their text, "-" for a missing file, or the reason why they are left out. */
function includesOf(items: readonly SourceItem[]): Record<string, Record<string, string>> {
  return Object.fromEntries(
    items.flatMap((item) =>
      item.type === "page" && item.includes !== undefined
        ? [
            [
              item.page.key,
              Object.fromEntries(
                item.includes.map(({ path, fingerprint, bytes, reason }) => [
                  path,
                  fingerprint === "" ? "-" : (reason ?? Buffer.from(bytes ?? []).toString()),
                ]),
              ),
            ],
          ]
        : [],
    ),
  );
}

describe("includes", () => {
  it("come with their pages, nested ones and missing ones too", async () => {
    const repository = await bed.server.repository("acme/includes", {
      "docs/a.md": "# A\n\n<<< ../src/a.ts\n\n<!--@include: ./part.md-->\n",
      "docs/b.md": "# B\n",
      "docs/c.md": '# C\n\n--8<-- "gone.md"\n',
      "docs/part.md": "Part.\n\n{{#include ../src/deep.rs}}\n",
      "src/a.ts": "a();\n",
      "src/deep.rs": "fn main() {}\n",
      "src/other.ts": "not asked for\n",
    });
    const { items } = await bed.readAll({
      ...bed.spec(repository.url),
      selection: { ...wholeTree, generateDocs: false },
    });
    expect(items.map(({ page }) => page.key)).toEqual(["docs/a.md", "docs/b.md", "docs/c.md", "docs/part.md"]);
    expect(includesOf(items)).toEqual({
      "docs/a.md": {
        "src/a.ts": "a();\n",
        "docs/part.md": "Part.\n\n{{#include ../src/deep.rs}}\n",
        "src/deep.rs": "fn main() {}\n",
      },
      "docs/c.md": { "gone.md": "-", "docs/gone.md": "-" },
      "docs/part.md": { "src/deep.rs": "fn main() {}\n" },
    });
    const [first] = items;
    const commit = await repository.git("rev-parse", "main");
    expect(first?.type === "page" && first.includes?.[0]).toMatchObject({
      url: `${repository.url}/blob/${commit}/src/a.ts`,
      fingerprint: await repository.git("rev-parse", "main:src/a.ts"),
    });
  });

  it("of a page whose title alone is shown are not those of the page that shows it", async () => {
    const repository = await bed.server.repository("acme/titles", {
      "docs/a.rst": "See :doc:`b`.\n",
      "docs/b.rst": "B\n=\n\nSee :doc:`c`.\n\n.. include:: b.inc\n",
      "docs/c.rst": "C\n=\n\n.. include:: c.inc\n",
      "docs/d.rst": "See :doc:`b`.\n\n.. include:: c.rst\n",
      "docs/b.inc": "b",
      "docs/c.inc": "c",
    });
    const includes = includesOf((await bed.readAll(bed.spec(repository.url))).items);
    const found = (path: string) => Object.keys(includes[path] ?? {}).filter((one) => includes[path]?.[one] !== "-");
    expect(found("docs/a.rst")).toEqual(["docs/b.rst"]);
    expect(found("docs/b.rst").toSorted()).toEqual(["docs/b.inc", "docs/c.rst"]);
    expect(found("docs/d.rst").toSorted()).toEqual(["docs/b.rst", "docs/c.inc", "docs/c.rst"]);
  });

  it("of reStructuredText are its files, the configuration, and the sources that autodoc shows", async () => {
    const repository = await bed.server.repository("acme/sphinx", {
      "docs/conf.py": 'project = "Gear"\n',
      "docs/api.rst": "API\n===\n\n.. include:: part.inc\n\n.. autofunction:: gear.turn\n",
      "docs/part.inc": ".. literalinclude:: ../demo.py\n",
      "demo.py": "demo()\n",
      "src/gear/__init__.py": "from .core import turn\n",
      "src/gear/core.py": "def turn(): pass\n",
      "src/gear/other.py": "not asked for\n",
    });
    const { items } = await bed.readAll(bed.spec(repository.url));
    const { "docs/api.rst": included = {} } = includesOf(items);
    const existing = Object.keys(included).filter((path) => included[path] !== "-");
    expect(existing.toSorted()).toEqual([
      "demo.py",
      "docs/conf.py",
      "docs/part.inc",
      "src/gear/__init__.py",
      "src/gear/core.py",
    ]);
  });

  it("are left out with a reason if they are links, too large or of another repository", async () => {
    const repository = await bed.server.repository("acme/odd-includes", {
      "docs/a.md": "# A\n\n<<< ./link.ts\n\n<<< ./big.ts\n\n<<< ../vendor/x.ts\n\n<<< ./dir/x.ts\n\n<<< ./a.png\n",
      "docs/link.ts": { symlink: "../../../etc/passwd" },
      "docs/dir": { symlink: "/etc" },
      "docs/big.ts": "x".repeat(200_000),
      "docs/a.png": "png",
      vendor: { submodule: "1".repeat(40) },
    });
    const { items } = await bed.readAll(bed.spec(repository.url));
    expect(includesOf(items)).toEqual({
      "docs/a.md": {
        "docs/link.ts": "is a symbolic link",
        "docs/big.ts": "is larger than what a page may include",
        "vendor/x.ts": "-",
        "docs/dir/x.ts": "-",
      },
    });
  });

  it("are followed only once in a circle", async () => {
    const repository = await bed.server.repository("acme/circle", {
      "a.md": "{{#include b.md}}\n",
      "b.md": "{{#include a.md}}\n\n{{#include b.md}}\n",
    });
    const { items } = await bed.readAll(bed.spec(repository.url));
    expect(Object.keys(includesOf(items)["a.md"] ?? {}).sort()).toEqual(["a.md", "b.md"]);
  });

  it("decide with the page whether its result is known", async () => {
    const repository = await bed.server.repository("acme/known-includes", {
      "docs/a.md": "# A\n\n<<< ./a.ts\n",
      "docs/b.md": "# B\n\n<<< ./b.ts\n",
      "docs/c.md": "# C\n\n<<< ./c.ts\n",
      "docs/a.ts": "a();\n",
      "docs/b.ts": "b();\n",
    });
    const spec = bed.spec(repository.url);
    const first = await bed.readAll(spec);
    const kept = new Map(
      first.items.map((item) => [item.page.key, item.type === "page" ? (item.includes ?? []) : []] as const),
    );
    const commit = await repository.commit({ "docs/b.ts": "b(2);\n", "docs/c.ts": "c();\n" });
    const { items } = await bed.readAll(spec, { known: ({ key }) => kept.get(key) });
    expect(items.map((item) => item.type)).toEqual(["known", "page", "page"]);
    expect(items[0]).toMatchObject({
      includes: [{ path: "docs/a.ts", url: `${repository.url}/blob/${commit}/docs/a.ts` }],
    });
    expect(includesOf(items)).toEqual({
      "docs/b.md": { "docs/b.ts": "b(2);\n" },
      "docs/c.md": { "docs/c.ts": "c();\n" },
    });
    // A page whose included file is gone is read again too.
    await repository.commit({ "docs/a.ts": null });
    const later = await bed.readAll(spec, { known: ({ key }) => kept.get(key) });
    expect(includesOf(later.items)["docs/a.md"]).toEqual({ "docs/a.ts": "-" });
  });

  it("count towards the limit of bytes", async () => {
    const repository = await bed.server.repository("acme/heavy", {
      "docs/a.md": "<<< ./a.ts\n",
      "docs/a.ts": "x".repeat(50_000),
    });
    await expect(bed.readAll(bed.spec(repository.url), { limits: { bytes: 40_000 } })).rejects.toMatchObject({
      code: "library_too_large",
    });
  });
});

describe("requests for includes", () => {
  const fetches = (): number => bed.server.requests.filter(({ path }) => path.endsWith("/git-upload-pack")).length;

  /** Pages with includes three levels deep. */
  function pages(count: number): Record<string, string> {
    return Object.fromEntries(
      Array.from({ length: count }, (_, page) => [
        [`docs/p${page}.md`, `# P\n\n{{#include ../parts/a${page}.md}}\n\n<<< ../src/x${page}.ts\n`],
        [`parts/a${page}.md`, `{{#include b${page}.md}}\n`],
        [`parts/b${page}.md`, `<<< ../src/y${page}.ts\n`],
        [`src/x${page}.ts`, `x(${page});\n`],
        [`src/y${page}.ts`, `y(${page});\n`],
      ]).flatMap((entries) => entries as [string, string][]),
    );
  }

  it("are one per level of includes, however many pages there are", async () => {
    const counts: number[] = [];
    for (const count of [1, 60]) {
      const repository = await bed.server.repository(`acme/many-${count}`, pages(count));
      const spec = bed.spec(repository.url, {
        selection: { folders: ["docs"], excludeFolders: null, excludeFiles: null },
      });
      const state = await bed.resolve(spec);
      const before = fetches();
      const { items } = await bed.read(spec, state);
      expect(items).toHaveLength(count);
      expect(Object.keys(includesOf(items)["docs/p0.md"] ?? {})).toHaveLength(4);
      counts.push(fetches() - before);
    }
    // The tree, the pages, and three levels; each request may take a second one for the capabilities.
    expect(counts[1]).toBe(counts[0]);
    expect(counts[1]).toBeLessThanOrEqual(10);
  });

  it("do not delay pages before the first with includes, and are none without includes", async () => {
    const repository = await bed.server.repository("acme/late", {
      "docs/a.md": "# A\n",
      "docs/b.md": "# B\n\n<<< ./b.ts\n",
      "docs/b.ts": "b();\n",
      "docs/c.md": "# C\n",
    });
    const seen: number[] = [];
    await bed.readAll(bed.spec(repository.url), { onItem: () => seen.push(fetches()) });
    expect(seen).toHaveLength(3);
    expect(seen[0]).toBeLessThan(seen[1] ?? 0);
    const plain = await bed.server.repository("acme/without", { "a.md": "# A\n", "b.md": "# B\n" });
    const before = seen.length;
    await bed.readAll(bed.spec(plain.url), { onItem: () => seen.push(fetches()) });
    expect(seen[before]).toBe(seen[before + 1]);
  });
});
