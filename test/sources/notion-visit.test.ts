import { expect, it } from "vitest";
import { Failure } from "../../domain/failures.ts";
import { notionAddress } from "../../domain/kinds/notion.ts";
import type { Found } from "../../sources/notion/progress.ts";
import { visit, type Visiting } from "../../sources/notion/visit.ts";

const id = "a".repeat(32);
const child = "b".repeat(32);
const key = notionAddress(id);
const parent = "workspace:";
const edited = "2026-01-01T00:00:00.000Z";
const head = { title: "One", edited, parent, database: "", isGone: false, properties: [], incomplete: [] };
const notFound = new Failure("source_not_found", "There is no such page.");

/** The input of a visit to a page without blocks, unchanged since an earlier run. */
function visiting(changes: object = {}, earlier: object = {}): Visiting {
  const page = { key, url: key, mediaType: "", fingerprint: "same" };
  const context = {
    signal: new AbortController().signal,
    limits: { pages: 10, bytes: 1e6, pageBytes: 1e5 },
    known: ({ fingerprint }: { fingerprint: string }) => (fingerprint === "same" ? [] : undefined),
    earlier: {
      page: () => ({ page, revision: "", failures: 0 }),
      validators: () => ({ etag: parent, lastModified: edited }),
      ...earlier,
    },
  };
  const made = {
    api: { children: async function* () {}, database: () => Promise.reject(notFound) },
    heads: { of: async () => head, isDatabase: () => false, take: () => undefined },
    containerOf: async () => undefined,
    readRow: async () => [],
    context,
    children: new Map([[key, [notionAddress(child)]]]),
    began: Date.parse(edited) + 3_600_000,
    ...changes,
  };
  return made as unknown as Visiting;
}

const found: Found = { id };
const ledTo = [{ id: child, from: id, why: "earlier" }];

it("keeps an unchanged page, with the pages that it led to", async () => {
  expect(await visit(found, visiting())).toMatchObject({
    item: { type: "known", page: { key, fingerprint: "same" } },
    children: ledTo,
    validators: { etag: parent, lastModified: edited },
  });
});

it("reads a page that was edited or moved, or whose result is not kept", async () => {
  const validators = { validators: () => ({ etag: parent, lastModified: "2025-12-31T00:00:00.000Z" }) };
  const moved = { validators: () => ({ etag: "page_id:c", lastModified: edited }) };
  for (const earlier of [validators, moved, { page: () => undefined }])
    expect(await visit(found, visiting({}, earlier))).toMatchObject({
      item: { type: "page" },
      children: [],
      validators: { etag: parent, lastModified: edited },
    });
});

it("does not rely on the time of an edit that is close to the reading", async () => {
  const visited = await visit(found, visiting({ began: Date.parse(edited) }, { page: () => undefined }));
  expect(visited).toMatchObject({ validators: { etag: parent } });
  expect(visited).not.toHaveProperty("validators.lastModified");
});

it("leaves out a page in the trash, before it looks for its container", async () => {
  const containerOf = () => Promise.reject(new Error("It was asked for."));
  const heads = { of: async () => ({ ...head, isGone: true }), isDatabase: () => false };
  expect(await visit(found, visiting({ heads, containerOf }))).toMatchObject({
    item: { type: "skipped", code: "gone", reason: "The page is in Notion's trash, or archived." },
    children: [],
  });
});

it("leaves a page out whose container is not read, and waits for one that is not decided", async () => {
  expect(await visit(found, visiting({ containerOf: async () => "elsewhere" }))).toMatchObject({
    item: { type: "skipped", code: "gone", reason: expect.stringMatching(/moved away/) as string },
  });
  expect(await visit(found, visiting({ containerOf: async () => "later" }))).toBe("later");
});

it("says in which container a page is now", async () => {
  const visited = await visit(found, visiting({ containerOf: async () => child }));
  expect(visited).toMatchObject({ item: { page: { from: notionAddress(child) } } });
});

it("reads a database that a list names, or that an id turns out to be", async () => {
  const database = { id, parent: { type: "workspace", workspace: true }, title: [], data_sources: [] };
  const api = { database: async () => database };
  const listed = { of: () => Promise.reject(new Error("It was asked for.")), isDatabase: () => true };
  const hidden = { of: () => Promise.reject(notFound), isDatabase: () => false };
  for (const heads of [listed, hidden])
    expect(await visit(found, visiting({ api, heads }))).toMatchObject({ children: [], validators: { etag: parent } });
});

it("leaves a page out that is not shared", async () => {
  const heads = { of: () => Promise.reject(notFound), isDatabase: () => false };
  expect(await visit(found, visiting({ heads }))).toMatchObject({
    item: { type: "skipped", code: "refused", reason: "There is no such page." },
  });
});

it("keeps what an unreachable page led to, and where it was", async () => {
  const heads = { of: () => Promise.reject(new Failure("source_unreachable", "Later.")), isDatabase: () => false };
  expect(await visit(found, visiting({ heads }))).toEqual({
    found,
    item: expect.objectContaining({
      type: "failed",
      failure: { code: "source_unreachable", message: "Later." },
    }) as object,
    children: ledTo,
    validators: { etag: parent },
  });
});

it("ends the reading if the integration may read nothing", async () => {
  const refused = new Failure("source_refused", "The token was revoked.");
  const heads = { of: () => Promise.reject(refused), isDatabase: () => false };
  await expect(visit(found, visiting({ heads }))).rejects.toBe(refused);
  const api = { database: () => Promise.reject(refused) };
  const hidden = { of: () => Promise.reject(notFound), isDatabase: () => false };
  await expect(visit(found, visiting({ api, heads: hidden }))).rejects.toBe(refused);
});
