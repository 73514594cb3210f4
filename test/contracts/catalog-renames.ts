import { describe, expect, it } from "vitest";
import type { KeyRecord, LibraryRecord } from "../../domain/ports.ts";
import {
  addLibrary,
  addressOf,
  addTeamspace,
  publishGeneration,
  sampleKey,
  sampleRun,
  sourceAt,
  type CurrentCatalog,
} from "./catalog-samples.ts";

const target = "/acme/secret";

/** The part of the Catalog contract that concerns renames that wait for an administrator. */
export function describeRenames(catalog: CurrentCatalog): void {
  const now = 9000;
  /** Renames the repository of a library on its host. */
  const moveTo = async (uid: string, name: string, id: string | null = `/acme/${name}`) => {
    const { source } = (await catalog().libraries.get(uid)) ?? {};
    if (source?.kind !== "git") throw new Error(`${uid} is no repository.`);
    const moved = await catalog().libraries.move(uid, { from: source.url, to: addressOf(name), id }, now);
    if (!moved) throw new Error(`${uid} is gone.`);
    return moved;
  };
  /** A library that a key of a teamspace submitted. */
  const submittedBy = async (changes: Partial<KeyRecord>, library: Partial<LibraryRecord> = {}) => {
    const key = sampleKey("k1", { teamspace: "team", ...changes });
    await addTeamspace(catalog(), key.teamspace);
    await catalog().keys.add(key);
    const submitter = { keyId: key.id, teamspace: key.teamspace };
    return addLibrary(catalog(), "a", { id: "/a/x", submittedBy: submitter, ...library });
  };
  const decide = async (accept: boolean, id = target) => catalog().libraries.decideRename("a", { id, accept }, now);

  describe("a rename that the submitter could not have asked for", () => {
    it.each<[string, Partial<KeyRecord>, string]>([
      ["limited to other libraries", { libraries: ["/a/*"] }, "patterns"],
      ["without the right to submit any more", { scopes: ["read"] }, "patterns"],
      ["revoked", { revokedAt: 5 }, "submitter"],
      ["expired", { expiresAt: now }, "submitter"],
    ])("waits if the key is %s, for a public library and a private one", async (_, changes, reason) => {
      const library = await submittedBy(changes);
      const waiting = {
        ...library,
        source: sourceAt(addressOf("secret")),
        pendingRename: { id: target, reason, since: now },
      };
      expect(await moveTo("a", "secret")).toEqual(waiting);
      expect(await catalog().libraries.get("a")).toEqual(waiting);
      expect((await catalog().libraries.find([""], "/a/x", ""))?.library).toEqual(waiting);
      expect(await catalog().libraries.find([""], target, "")).toBeUndefined();
      await addLibrary(catalog(), "own", { id: "/a/x", teamspace: "team", submittedBy: library.submittedBy });
      expect(await moveTo("own", "secret")).toMatchObject({ id: "/a/x", pendingRename: { id: target, reason } });
    });

    it("waits if the submitter is unknown, or its key is gone", async () => {
      for (const [uid, submitter] of [
        ["a", null],
        ["b", { keyId: "gone", teamspace: "default" }],
      ] as const) {
        await addLibrary(catalog(), uid, { id: `/a/${uid}`, submittedBy: submitter });
        expect(await moveTo(uid, "secret")).toMatchObject({ id: `/a/${uid}`, pendingRename: { reason: "submitter" } });
      }
    });

    it("is done if the key may submit the new ID, and its teamspace has no such library", async () => {
      await submittedBy({ libraries: ["/a/*", "/ACME/secret"] });
      await addLibrary(catalog(), "theirs", { id: target, teamspace: "others" });
      expect(await moveTo("a", "secret")).toMatchObject({ id: target, pendingRename: null });
      expect((await catalog().libraries.find([""], "/a/x", ""))?.library.redirect).toBe(target);
    });
  });

  describe("a rename to an ID that is in use", () => {
    it.each<[string, Partial<LibraryRecord>, Partial<LibraryRecord>]>([
      ["of a public library", {}, {}],
      ["of a public library, for a private one", { teamspace: "team" }, {}],
      ["of a private library of the submitter's teamspace, for a public one", {}, { teamspace: "team" }],
      ["that redirects to another library", {}, { redirect: "/acme/other" }],
      ["of the teamspace that redirects", { teamspace: "team" }, { teamspace: "team", redirect: "/acme/other" }],
    ])("waits: %s", async (_, own, other) => {
      await submittedBy({}, own);
      await addLibrary(catalog(), "b", { id: "/Acme/Secret", ...other });
      expect(await moveTo("a", "secret")).toMatchObject({ id: "/a/x", pendingRename: { reason: "taken" } });
      expect((await catalog().libraries.get("b"))?.id).toBe("/Acme/Secret");
    });

    it("waits even if that library has no content, or is made of the same repository", async () => {
      await addLibrary(catalog(), "b", { id: target, source: sourceAt(addressOf("secret")) });
      await catalog().runs.close("b-1", { outcome: "failed" }, 1500);
      await addLibrary(catalog(), "a");
      expect(await moveTo("a", "secret")).toMatchObject({ id: "/Acme/Widgets", redirect: null });
      await publishGeneration(catalog(), "b", 2);
      await addLibrary(catalog(), "c", { id: "/a/c" });
      expect(await moveTo("c", "secret")).toMatchObject({ id: "/a/c", redirect: null });
      expect(await catalog().libraries.get("b")).toBeDefined();
    });

    it("waits if the ID redirects to a renamed library", async () => {
      await addLibrary(catalog(), "b", { id: target });
      await moveTo("b", "elsewhere");
      await submittedBy({});
      expect(await moveTo("a", "secret")).toMatchObject({ id: "/a/x", pendingRename: { reason: "taken" } });
      expect((await catalog().libraries.find([""], target, ""))?.library.redirect).toBe("/acme/elsewhere");
    });
  });

  describe("a repository that moves again", () => {
    it("waits if only the second move leaves the key's patterns, and the old ID redirects to the first", async () => {
      await submittedBy({ libraries: ["/a/*"] });
      await publishGeneration(catalog(), "a", 1);
      expect(await moveTo("a", "y", "/a/y")).toMatchObject({ id: "/a/y", pendingRename: null });
      expect(await moveTo("a", "secret")).toMatchObject({ id: "/a/y", pendingRename: { id: target } });
      expect((await catalog().libraries.find([""], "/a/x", ""))?.library.redirect).toBe("/a/y");
    });

    it("waits with the last ID only, and not at all if that is allowed or its own again", async () => {
      await submittedBy({ libraries: ["/a/*"] });
      await moveTo("a", "secret");
      expect(await moveTo("a", "other")).toMatchObject({ pendingRename: { id: "/acme/other" } });
      expect(await moveTo("a", "x", "/a/x")).toMatchObject({ id: "/a/x", pendingRename: null });
      await moveTo("a", "secret");
      expect(await moveTo("a", "y", "/a/y")).toMatchObject({ id: "/a/y", pendingRename: null });
      await moveTo("a", "secret");
      expect(await moveTo("a", "unnamed", null)).toMatchObject({ id: "/a/y", pendingRename: null });
    });

    it("goes on with its open run, and waits since the first rename", async () => {
      await submittedBy({ libraries: ["/a/*"] });
      await moveTo("a", "secret");
      const again = { from: addressOf("secret"), to: `${addressOf("secret")}.git`, id: target };
      expect(await catalog().libraries.move("a", again, now + 1)).toMatchObject({ pendingRename: { since: now } });
      expect(await catalog().runs.get("a-1")).toMatchObject({ state: "open", libraryId: "/a/x" });
    });
  });

  describe("an administrator's decision", () => {
    it("renames the library, or leaves it as it is for good", async () => {
      await submittedBy({ libraries: ["/a/*"] });
      await publishGeneration(catalog(), "a", 1);
      await moveTo("a", "secret");
      expect(await decide(false)).toMatchObject({
        library: { id: "/a/x", pendingRename: null, refusedRenames: [target] },
      });
      await moveTo("a", "x", "/a/x");
      expect(await moveTo("a", "secret", "/Acme/Secret")).toMatchObject({ id: "/a/x", pendingRename: null });
      await moveTo("a", "third");
      expect(await decide(true, "/acme/third")).toMatchObject({ library: { id: "/acme/third", pendingRename: null } });
      expect(await catalog().libraries.find([""], "/acme/third", "")).toMatchObject({
        version: { live: { id: "a-1" } },
      });
      expect((await catalog().libraries.find([""], "/a/x", ""))?.library.redirect).toBe("/acme/third");
      expect((await catalog().keys.get("k1"))?.libraries).toEqual(["/a/*"]);
    });

    it("cannot give an ID that is another library's, or a redirect", async () => {
      await submittedBy({ libraries: ["/a/*"] });
      await moveTo("a", "secret");
      for (const redirect of [null, "/acme/elsewhere"]) {
        const other = await addLibrary(catalog(), `b${redirect}`, { id: target, redirect });
        expect(await decide(true)).toEqual({ taken: other });
        expect(await catalog().libraries.get("a")).toMatchObject({ id: "/a/x", pendingRename: { id: target } });
        await catalog().libraries.remove(other.uid, now);
      }
      await addLibrary(catalog(), "private", { id: target, teamspace: "team" });
      expect(await decide(true)).toMatchObject({ library: { id: target } });
    });

    it("does nothing where no such rename waits, or the library is gone", async () => {
      await submittedBy({ libraries: ["/a/*"] });
      expect(await decide(true)).toBeUndefined();
      await moveTo("a", "other");
      expect(await decide(true)).toBeUndefined();
      await catalog().libraries.remove("a", now);
      expect(await decide(true, "/acme/other")).toBeUndefined();
    });

    it("is kept when the library is changed or opens a run", async () => {
      await submittedBy({ libraries: ["/a/*"] });
      const { pendingRename } = await moveTo("a", "secret");
      await catalog().libraries.update("a", { title: "Other", redirect: null });
      await catalog().runs.close("a-1", { outcome: "failed" }, now);
      await catalog().runs.open("a", "", sampleRun("a-2"), now);
      expect((await catalog().libraries.list({ teamspaces: [""], limit: 5 })).items[0]?.library).toMatchObject({
        title: "Other",
        pendingRename,
      });
    });
  });
}
