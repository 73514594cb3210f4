import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolderBlobStore } from "../../stores/blobs/folder.ts";
import { operator, type Caller } from "../../domain/access.ts";
import type { Failure } from "../../domain/failures.ts";
import { deleteLibrary, type OperatingPorts } from "../../domain/operating.ts";
import { createPolicies } from "../../domain/policies.ts";
import { refreshLibrary } from "../../domain/refreshing-versions.ts";
import { submitLibrary, type Submission } from "../../domain/submitting.ts";
import { catalogOfTest } from "../support/of-test.ts";
import { gitSpec } from "../support/git-spec.ts";

const submitter: Caller = { keyId: "ci", teamspace: "team", scopes: ["submit"], libraries: [] };
const colleague: Caller = { ...submitter, keyId: "colleague" };
const stranger: Caller = { ...submitter, keyId: "stranger", teamspace: "other" };

/** A real catalog and BlobStore, and an engine that only records its calls. */
async function setup() {
  const { catalog, folder } = await catalogOfTest();
  for (const id of ["team", "other"]) await catalog.teamspaces.add({ id, title: id, createdAt: 1 });
  const blobs = createFolderBlobStore({ folder: join(folder, "blobs") });
  const calls: string[] = [];
  let ids = 0;
  const ports = {
    catalog,
    policies: createPolicies(catalog.teamspaces, () => 1000),
    blobs,
    secrets: { seal: (plain: string) => plain, open: (sealed: string) => sealed },
    checkToken: async () => {},
    indexing: {
      start: async ({ runId }: { runId: string }) => void calls.push(`start ${runId}`),
      cancel: async ({ runId }: { runId: string }) => void calls.push(`cancel ${runId}`),
      ready: async () => {},
    },
    libraries: {
      put: async () => {},
      remove: async () => {},
      candidates: async () => [],
      entries: async () => [],
      uids: async () => [],
    },
    announce: async () => {},
    newId: () => `id${(ids += 1)}`,
    now: () => 1000 + ids,
  };
  const upload = (text: string, changes: Partial<Submission> = {}, caller: Caller = submitter) =>
    submitLibrary(ports, caller, {
      id: "/docs/pets",
      private: false,
      title: "Pets",
      description: "",
      source: gitSpec("https://git.example.com/a/pets"),
      upload: Buffer.from(text),
      ...changes,
    });
  /** The uploaded files that are kept. */
  const files = async (): Promise<string[]> => {
    const texts = [];
    for await (const key of blobs.list("uploads/")) texts.push(Buffer.from((await blobs.get(key)) ?? []).toString());
    return texts.toSorted();
  };
  return { ports: ports as unknown as OperatingPorts, catalog, upload, files, calls };
}

describe("an uploaded file", () => {
  it("is kept for its library, and goes with it", async () => {
    const { ports, upload, files } = await setup();
    await upload("one");
    await upload("two", { id: "/docs/shops" });
    expect(await files()).toEqual(["one", "two"]);
    await deleteLibrary(ports, operator, "/docs/pets");
    expect(await files()).toEqual(["two"]);
  });

  it("is not kept where the library exists", async () => {
    const { upload, files } = await setup();
    await upload("one");
    await expect(upload("two")).rejects.toMatchObject({
      code: "duplicate_repo",
      message: expect.stringContaining("Replace it with force=true") as unknown,
    });
    expect(await files()).toEqual(["one"]);
  });

  it("is replaced on request, with a new run; the one under way is cancelled", async () => {
    const { catalog, upload, calls } = await setup();
    const first = await upload("one");
    const second = await upload("two", { replaces: true, description: "Newer.", chosen: { description: "Newer." } });
    expect(second).toMatchObject({
      libraryName: "/docs/pets",
      message: expect.stringContaining("replaced") as unknown,
    });
    expect(calls).toEqual([`start ${first.runId}`, `cancel ${first.runId}`, `start ${second.runId}`]);
    const { items } = await catalog.libraries.list({ teamspaces: [""], limit: 5 });
    expect(items[0]?.library).toMatchObject({ description: "Newer.", chosen: { description: "Newer." } });
    expect(items[0]?.version?.openRun?.runId).toBe(second.runId);
  });

  it.each([
    ["the key that submitted it", submitter, false, true],
    ["another key of that teamspace, of a public library", colleague, false, false],
    ["another key of that teamspace, of a private one", colleague, true, true],
    ["an administrator of the instance", operator, false, true],
    ["a key of another teamspace", stranger, false, false],
  ])("is replaced by the right keys only: %s", async (_, caller, isPrivate, allowed) => {
    const { upload, files } = await setup();
    await upload("one", { private: isPrivate });
    const replaced = upload("two", { private: isPrivate, replaces: true }, caller);
    const outcome = await replaced.then(
      () => "replaced",
      (error: Failure) => error.code,
    );
    expect(outcome).toBe(allowed ? "replaced" : "forbidden");
    // The sweep removes the old file, as a run may still read it.
    expect(await files()).toEqual(allowed ? ["one", "two"] : ["one"]);
  });

  it("does not replace a library that was not uploaded", async () => {
    const { catalog, upload, files } = await setup();
    await upload("", { upload: undefined } as unknown as Partial<Submission>);
    await expect(upload("two", { replaces: true })).rejects.toMatchObject({ code: "duplicate_repo" });
    expect(await files()).toEqual([]);
    expect([...(await catalog.libraries.uploads())]).toEqual([]);
  });

  it("is no source to refresh from", async () => {
    const { ports, upload } = await setup();
    await upload("one");
    await expect(refreshLibrary(ports, submitter, { libraryName: "/docs/pets" })).rejects.toMatchObject({
      code: "validation_error",
      message:
        "/docs/pets was uploaded, and has no source to refresh from. Upload the file again with force=true (--force).",
    });
  });
});
