import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pool } from "../../support/pool.ts";
import { createFolderSource } from "../../../sources/folder/index.ts";
import type { SourceAccount } from "../../../domain/ports.ts";
import type { FileSelection } from "../../../domain/source.ts";
import { writeFiles } from "../../support/files.ts";
import { noCheckpoint, noUpload, nothingEarlier } from "../../support/nothing-earlier.ts";
import { folderOfTest } from "../../support/of-test.ts";
import { openGitTestbed } from "../git/setup.ts";

type Files = Readonly<Record<string, string>>;

const bed = await openGitTestbed();
let repositories = 0;

async function ofRepository(files: Files, selection: Partial<FileSelection>): Promise<SourceAccount> {
  repositories += 1;
  const repository = await bed.server.repository(`acme/unread-${repositories}`, files);
  const spec = bed.spec(repository.url);
  const { account } = await bed.readAll({ ...spec, selection: { ...spec.selection, ...selection } });
  return account ?? {};
}

async function ofFolder(files: Files, selection: Partial<FileSelection>): Promise<SourceAccount> {
  const root = join(await folderOfTest(), "unread");
  await writeFiles(root, files);
  const whole = { folders: [], excludeFolders: null, excludeFiles: null, ...selection };
  const spec = { kind: "folder", path: root, selection: whole } as const;
  const { signal } = new AbortController();
  const source = createFolderSource({ roots: [root], pool, extensions: [".md", ".mdx", ".txt"] });
  let account: SourceAccount = {};
  const state = await source.resolve(spec, null, { signal, credential: null });
  const items = source.read(spec, state, {
    signal,
    credential: null,
    earlier: nothingEarlier,
    checkpoint: noCheckpoint,
    upload: noUpload,
    scratch: root,
    known: () => undefined,
    pages: () => undefined,
    account: (reported) => (account = { ...account, ...reported }),
    limits: { pages: 1000, bytes: 1e7, pageBytes: 1e5 },
  });
  await Array.fromAsync(items);
  return account;
}

function numbered(count: number, toPath: (number: number) => string): Files {
  return Object.fromEntries(Array.from({ length: count }, (_, number) => [toPath(number), `Text ${number}.`]));
}

describe.each([
  ["a repository", ofRepository],
  ["a folder", ofFolder],
])("what is not read of %s", (_, accountOf) => {
  const notesOf = async (...files: Parameters<typeof accountOf>): Promise<readonly string[] | undefined> =>
    (await accountOf(...files)).notes;

  it("is counted by its formats, with the website that the source names", async () => {
    const files = { "README.md": "# A", ...numbered(2, (number) => `docs/${number}.textile`), "docs/a.creole": "= A" };
    const formats = "2 .textile files (Textile), 1 .creole file (Creole)";
    expect((await accountOf(files, {})).unread).toEqual({ formats, isMost: true });
    const most = numbered(9, (number) => `guide/${number}.md`);
    expect((await accountOf({ ...files, ...most }, {})).unread).toEqual({ formats });
    const project = '[project.urls]\nHomepage = "https://a.example/"\nDocumentation = "https://a.example/docs"\n';
    expect((await accountOf({ ...files, "pyproject.toml": project }, {})).unread).toEqual({
      formats,
      website: "https://a.example/docs",
      isMost: true,
    });
    expect(await accountOf({ "README.md": "# A", "pyproject.toml": project }, {})).not.toHaveProperty("unread");
  });

  it("is noted by its formats, where documentation is", async () => {
    const files = {
      ...numbered(9, (number) => `docs/${number}.md`),
      ...numbered(3, (number) => `docs/more/${number}.textile`),
      "docs/one.pod": "=head1",
      "docs/a.CREOLE": "= A",
      "src/data.org": "",
      "docs/guide.org": "* A",
      "docs/man/gears.1": ".TH GEARS 1",
      "docs/notes-2.1": "",
      "docs/_build/picture.png": "",
    };
    expect(await notesOf(files, {})).toEqual([
      "3 .textile files (Textile) are not read.",
      "1 .1 file (man pages) is not read.",
      "1 .creole file (Creole) is not read.",
      "1 .org file (Org mode) is not read.",
      "1 .pod file (Perl's POD) is not read.",
    ]);
  });

  it("is noted in plain words if it is most of the documentation", async () => {
    const files = { "README.md": "# A", "LICENSE.md": "MIT", ...numbered(76, (number) => `doc/${number}.textile`) };
    expect(await notesOf(files, {})).toEqual([
      "Most of this documentation is in formats that Lectern does not read: 76 .textile files (Textile). Only 1 document is read.",
      "1 document is left out by name: change logs, licences, templates, notes for agents, data of programs.",
    ]);
    expect(await notesOf({ "README.textile": "A", "lib/A.pod": "=head1" }, {})).toEqual([
      "Most of this documentation is in formats that Lectern does not read: 1 .pod file (Perl's POD), 1 .textile file (Textile). Nothing else was found.",
    ]);
  });

  it("is only what the selection would read", async () => {
    const files = {
      ...numbered(4, (number) => `docs/${number}.md`),
      "docs/old/a.textile": "a",
      "spec/b.textile": "b",
      "docs/de/0.md": "",
    };
    expect(await notesOf(files, { folders: ["docs", "spec"] })).toEqual(["1 .textile file (Textile) is not read."]);
    expect(await notesOf(files, { excludeFolders: ["spec", "docs/de"] })).toEqual([
      "1 .textile file (Textile) is not read.",
    ]);
  });

  it("includes the documents that are left out, with the reason", async () => {
    const files = {
      ...numbered(3, (number) => `docs/${number}.md`),
      ...numbered(2, (number) => `docs/de/${number}.md`),
      ...numbered(3, (number) => `blog/2024-01-0${number + 1}-a.md`),
      "docs/archive/x.md": "",
      "tests/a.md": "",
    };
    expect(await notesOf(files, {})).toEqual([
      "3 documents are left out as news.",
      "2 documents are left out as translations of others.",
      "1 document is left out as archived, deprecated or outdated by its folder.",
      "1 document is left out as tests and their data.",
    ]);
  });

  it("is not noted if all is read", async () => {
    expect(await notesOf({ "README.md": "# A", "src/a.ts": "" }, { generateDocs: false })).toBeUndefined();
  });
});

it("takes no file of Docker Compose for an API description", async () => {
  const names = ["docker-compose.yml", "docker-compose.dev.yml", "compose.yaml", "compose.cluster.yaml", "prices.yaml"];
  const files = Object.fromEntries(names.map((name) => [`docs/${name}`, "openapi: 3.1.0\n"]));
  expect((await ofFolder({ "README.md": "# Gears", ...files }, {})).notes).toEqual([
    "API descriptions are not read: docs/prices.yaml. With `openapi: true` it is read.",
  ]);
});
