import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolderSource } from "../../../sources/folder/index.ts";
import { pool } from "../../support/pool.ts";
import type { PageRef, SourceItem } from "../../../domain/ports.ts";
import type { FileSelection } from "../../../domain/source.ts";
import { openApiPartType } from "../../../extract/formats.ts";
import { extractPage, formatOf } from "../../../extract/index.ts";
import { toLines } from "../../../extract/passage-lines.ts";
import type { Passage } from "../../../domain/passage.ts";
import { writeFiles } from "../../support/files.ts";
import { wholeTree } from "../../support/git-spec.ts";
import { noCheckpoint, noUpload, nothingEarlier } from "../../support/nothing-earlier.ts";
import { folderOfTest } from "../../support/of-test.ts";
import { openGitTestbed } from "../git/setup.ts";

const bed = await openGitTestbed();

type Files = Readonly<Record<string, string>>;
type Known = (page: PageRef) => boolean;

/** What a source reads of a tree, and the address of a file in it. */
interface Read {
  readonly items: readonly SourceItem[];
  readonly toUrl: (path: string) => string;
  readonly revision: string;
  readonly notes: readonly string[];
}

let repositories = 0;

async function ofRepository(files: Files, selection: Partial<FileSelection>, known?: Known): Promise<Read> {
  const repository = await bed.server.repository(`own/api-${repositories++}`, files);
  const spec = bed.spec(repository.url, { selection: { ...wholeTree, ...selection } });
  const { items, account } = await bed.readAll(spec, known && { known });
  const revision = await repository.git("rev-parse", "main");
  return {
    items,
    notes: account?.notes ?? [],
    revision,
    toUrl: (path) => `${repository.url}/blob/${revision}/${path}`,
  };
}

async function ofFolder(files: Files, selection: Partial<FileSelection>, known?: Known): Promise<Read> {
  const root = join(await folderOfTest(), `tree-${repositories++}`);
  await writeFiles(root, files);
  await writeFile(join(root, "..", "outside.yaml"), "type: string");
  await symlink(join(root, "..", "outside.yaml"), join(root, "link.yaml"));
  const source = createFolderSource({ roots: [root], extensions: [".md"], pool });
  const spec = { kind: "folder", path: root, selection: { ...wholeTree, ...selection } } as const;
  const { signal } = new AbortController();
  const state = await source.resolve(spec, null, { signal, credential: null });
  const items: SourceItem[] = [];
  let notes: readonly string[] = [];
  for await (const item of source.read(spec, state, {
    signal,
    credential: null,
    earlier: nothingEarlier,
    checkpoint: noCheckpoint,
    upload: noUpload,
    scratch: root,
    known: (page) => (known?.(page) === true ? [] : undefined),
    pages: () => {},
    account: (said) => (notes = said.notes ?? notes),
    limits: { pages: 100, bytes: 1_000_000, pageBytes: 100_000 },
  }))
    items.push(item);
  return { items, notes, revision: state.revision, toUrl: (path) => new URL(path, `file://${root}/`).href };
}

function outline({ items }: Read): readonly string[] {
  return items.map((item) => {
    const key = decodeURIComponent(item.page.key);
    return item.type === "page" ? key : `${item.type === "skipped" ? item.code : item.type} ${key}`;
  });
}

function reasonOf({ items }: Read, path: string): string {
  const item = items.find(({ page }) => page.key === path);
  return item?.type === "skipped" ? item.reason : "";
}

async function notesOf({ items }: Read, key: string): Promise<string> {
  const item = items.find(({ page }) => page.key === key);
  if (item?.type !== "page") throw new Error(`There is no page ${key}.`);
  const { page, bytes } = item;
  const { notes = [] } = extractPage(
    { path: page.key, mediaType: page.mediaType, bytes },
    await formatOf(page.mediaType),
  );
  return notes.join("\n");
}

const api = (ref = "#/components/schemas/A"): string =>
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Acme" },
    paths: {
      "/a": { post: { requestBody: { content: { "application/json": { schema: { $ref: ref } } } }, responses: {} } },
    },
    components: { schemas: { A: { type: "object", required: ["x"], properties: { x: { type: "integer" } } } } },
  });

const parts = (path: string): readonly string[] => [`${path}#/info`, `${path}#/paths/~1a/post`];

describe.each([
  ["a repository", ofRepository],
  ["a folder", ofFolder],
])("API descriptions in %s", (_, readTree) => {
  it("are read only where they are asked for", async () => {
    const files = {
      "README.md": "r",
      "docs/api.json": api(),
      "src/acme.json": api(),
      "src/api.json": api(),
      "src/openapi.yaml": api(),
    };
    expect(outline(await readTree(files, {}))).toEqual(["README.md"]);
    expect(outline(await readTree(files, { openapi: true }))).toEqual([
      "README.md",
      ...parts("docs/api.json"),
      ...parts("src/api.json"),
      ...parts("src/openapi.yaml"),
    ]);
    const own = await readTree(files, { openapi: true, folders: ["src"] });
    expect(outline(own)).toEqual([
      "README.md",
      ...["src/acme.json", "src/api.json", "src/openapi.yaml"].flatMap(parts),
    ]);
  });

  it("are read where context7.json names them", async () => {
    const settings = JSON.stringify({ openapi: ["src/api.json", "gone.yaml", "../outside.yaml", "notes.txt"] });
    const read = await readTree(
      { "context7.json": settings, "src/acme.json": api(), "src/api.json": api(), "docs/b.yaml": api() },
      {},
    );
    expect(outline(read)).toEqual([
      "settings_ignored context7.json",
      "invalid_description ../outside.yaml",
      "invalid_description gone.yaml",
      ...parts("src/api.json"),
    ]);
    expect(reasonOf(read, "context7.json")).toContain(
      'Entry 4 of "openapi" is not the path of a .json, .yaml or .yml file.',
    );
    expect(reasonOf(read, "gone.yaml")).toBe("The file gone.yaml does not exist or may not be read.");
  });

  it("refer to files of the same tree", async () => {
    const read = await readTree(
      {
        "docs/api v1/openapi.json": api("../../shared/a%20b.yaml#/A"),
        "shared/a b.yaml": "A:\n  type: object\n  required: [made]\n  properties:\n    made: { type: boolean }\n",
      },
      { openapi: true },
    );
    const path = "docs/api v1/openapi.json";
    expect(outline(read)).toEqual(parts(path));
    const operation = read.items[1];
    if (operation?.type !== "page") throw new Error("There is no page.");
    const pointer = "#/paths/~1a/post";
    expect(operation.page.url).toBe(`${read.toUrl("docs/api%20v1/openapi.json")}${pointer}`);
    const { mediaType, key, url } = operation.page;
    const result = extractPage({ path: key, mediaType, bytes: operation.bytes }, await formatOf(mediaType));
    const spec = { kind: "folder", path: "/x", selection: wholeTree } as const;
    const lines = toLines({ path: key, url, mediaType }, result, { spec, revision: "r" });
    const [passage] = lines.map(({ line }) => JSON.parse(line) as Passage);
    const code = passage?.blocks.find((block) => block.type === "code");
    expect(passage?.source).toEqual({ path: key, url, ordinal: 0, revision: "r" });
    expect(code).toMatchObject({
      url,
      codes: [{ madeFrom: `docs/api%20v1/openapi.json${pointer}`, code: expect.stringContaining('"made"') as unknown }],
    });
    expect(code).not.toHaveProperty("lines");
    // The address of the tree is not shown.
    expect(JSON.stringify(code)).not.toContain("tree:");
  });

  it("that cannot be read are skipped with a reason, and stop nothing", async () => {
    const bomb = `a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 12 }, (_unused, at) => `a${at + 1}: &a${at + 1} [${Array(10).fill(`*a${at}`).join(",")}]`).join("\n")}`;
    const read = await readTree(
      {
        "README.md": "r",
        "docs/a.yaml": "openapi: 3.1.0\npaths: [",
        "docs/b.yaml": `openapi: 3.1.0\n${bomb}`,
        "docs/c.json": '{"openapi":"4.0.0"}',
        "docs/d.json": '{"openapi":"3.1.0"}',
        "docs/e.json": `{"swagger":"2.0","x":${"[".repeat(500)}${"]".repeat(500)}}`,
        "docs/other.json": '{"name":"no description"}',
        "docs/z.json": api(),
      },
      { openapi: true },
    );
    const broken = ["a.yaml", "b.yaml", "c.json", "d.json", "e.json"].map((name) => `invalid_description docs/${name}`);
    expect(outline(read)).toEqual(["README.md", ...broken, ...parts("docs/z.json")]);
    expect(reasonOf(read, "docs/a.yaml")).toMatch(/^docs\/a\.yaml .*2.*\.$/);
    for (const name of ["b.yaml", "c.json", "d.json", "e.json"])
      expect(reasonOf(read, `docs/${name}`)).toMatch(/^docs\/.*\.$/);
  });

  it.each([
    "file:///etc/passwd",
    "/etc/passwd",
    "../../../outside.yaml",
    "..%2f..%2foutside.yaml",
    "..\\..\\outside.yaml",
    "link.yaml",
    "//example.com/x.json",
    "http://127.0.0.1/x.json",
    "tree://host/x.json",
    "gone.yaml",
    ".git/config",
  ])("that refer to %s are read without it, with a note, and nothing outside the tree is read", async (ref) => {
    const read = await readTree({ "openapi.json": api(ref) }, { openapi: true });
    expect(outline(read)).toEqual(parts("openapi.json"));
    expect(await notesOf(read, "openapi.json#/info")).toContain(
      `openapi.json refers to ${JSON.stringify(ref)} at #/paths/~1a`,
    );
  });

  it("that have only missing references are skipped with a reason", async () => {
    const description = '{"openapi":"3.1.0","paths":{"/a":{"$ref":"gone.yaml"}}}';
    const read = await readTree({ "openapi.json": description }, { openapi: true });
    expect(outline(read)).toEqual(["invalid_description openapi.json"]);
    expect(reasonOf(read, "openapi.json")).toContain(
      'openapi.json refers to "gone.yaml" at #/paths/~1a, and that file does not exist',
    );
  });

  it("are kept part by part while they do not change", async () => {
    const before = await readTree({ "openapi.json": api() }, { openapi: true });
    const known = new Map(before.items.map(({ page }) => [page.key, page.fingerprint]));
    const isKnown: Known = ({ key, fingerprint }) => known.get(key) === fingerprint;
    const changed = api().replace('"responses":{}', '"summary":"Send","responses":{}');
    expect(outline(await readTree({ "openapi.json": changed, "new.md": "n" }, { openapi: true }, isKnown))).toEqual([
      "new.md",
      "known openapi.json#/info",
      "openapi.json#/paths/~1a/post",
    ]);
    expect(before.items.every((item) => item.type === "page" && item.page.mediaType === openApiPartType)).toBe(true);
  });
});

describe.each([
  ["a repository", ofRepository],
  ["a folder", ofFolder],
])("API descriptions of %s that nobody asked for", (_, readTree) => {
  const described = '{"swagger":"2.0","info":{"title":"A"},"paths":{}}';
  const files = {
    "README.md": "# Acme",
    "docs/openapi.yaml": "openapi: 3.1.0",
    "docs/acme.yaml": "# Acme\ninfo:\n  title: Acme\nopenapi: '3.0.3'\npaths: {}\n",
    "api/v1/acme.json": described,
    "docs/data.json": '{"openapi":{"version":"3"},"text":"openapi: 3.0 is what we write"}',
    "data/acme.json": described,
    "test/openapi.json": described,
    "src/openapigen.yaml": "a: b",
    "api/package.json": described,
  };

  it("are named in a note with the option that reads them, whatever they are called", async () => {
    expect((await readTree(files, {})).notes).toEqual([
      "API descriptions are not read: api/v1/acme.json, docs/acme.yaml, docs/openapi.yaml. With `openapi: true` they are read.",
    ]);
    expect((await readTree({ "README.md": "# Acme", "docs/data.json": "{}" }, {})).notes).toEqual([]);
  });

  it("are the ones that the option reads", async () => {
    const { items, notes } = await readTree(
      { ...files, "api/v1/acme.json": api(), "docs/acme.yaml": api(), "docs/openapi.yaml": api() },
      { openapi: true },
    );
    expect(notes).toEqual([]);
    const read = new Set(items.map(({ page }) => page.key.split("#")[0]));
    expect([...read]).toEqual(["README.md", "api/v1/acme.json", "docs/acme.yaml", "docs/openapi.yaml"]);
  });
});

it("the revision of a folder depends on its descriptions and on what they refer to", async () => {
  const files = { "openapi.json": api("x.json"), "x.json": '{"type":"string"}' };
  const first = await ofFolder(files, { openapi: true });
  const second = await ofFolder({ ...files, "x.json": '{"type":"integer"}' }, { openapi: true });
  const same = await ofFolder({ ...files, "x.json": '{"type":"integer"}' }, { openapi: true });
  expect(second.revision).not.toBe(first.revision);
  expect(same.revision).toBe(second.revision);
});
