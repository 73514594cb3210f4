import { describe, expect, it } from "vitest";
import type { LibraryRecord } from "../../domain/ports.ts";
import {
  addLibrary,
  addressOf,
  publishGeneration,
  sampleGeneration,
  sampleRoom,
  sampleRun,
  sourceAt,
  type CurrentCatalog,
} from "./catalog-samples.ts";

const day = 86_400_000;

function packageNamed(name: string, version: string | null = null): Pick<LibraryRecord, "id" | "source"> {
  const spec = { kind: "package", registry: "npm", url: "https://registry.example.com/", restricted: false } as const;
  return { id: `/npm/${name}`, source: { ...spec, name, version } };
}

/** The part of the Catalog contract that concerns packages. */
export function describePackages(catalog: CurrentCatalog): void {
  const repository = (uid: string, changes: Partial<LibraryRecord> = {}) =>
    addLibrary(catalog(), uid, { id: `/acme/${uid}`, source: sourceAt(addressOf(uid)), ...changes });
  const naming = async (uid: string, url: string, changes: Partial<LibraryRecord> = {}) => {
    await addLibrary(catalog(), uid, { ...packageNamed(uid), ...changes });
    await catalog().libraries.update(uid, { repository: { url, isConfirmed: true } });
  };
  const linked = async (uid: string, ...teamspaces: string[]) =>
    (await catalog().libraries.links({ packages: [uid] }, ["", ...teamspaces])).map((link) => link.repositoryUid);

  describe("the repositories that packages name", () => {
    it("are found by their address in any spelling, and so are the packages of one", async () => {
      await repository("widgets");
      await repository("gadgets");
      await naming("kit", `${addressOf("Widgets")}.git/`);
      await naming("plain", addressOf("nothing-here"));
      const { libraries } = catalog();
      expect(await libraries.links({ packages: ["kit", "plain"] }, [""])).toEqual([
        { packageUid: "kit", repositoryUid: "widgets", isConfirmed: true },
      ]);
      await naming("tool", addressOf("widgets"));
      const links = (limit: number) => libraries.links({ repository: "widgets", limit }, [""]);
      expect((await links(9)).map(({ packageUid }) => packageUid)).toEqual(["kit", "tool"]);
      expect(await links(1)).toHaveLength(1);
      expect(await libraries.get("kit")).toMatchObject({ repository: { isConfirmed: true } });
      await libraries.update("kit", { repository: { url: addressOf("gadgets"), isConfirmed: false } });
      expect(await libraries.links({ packages: ["kit"] }, [""])).toEqual([
        { packageUid: "kit", repositoryUid: "gadgets", isConfirmed: false },
      ]);
      await libraries.update("kit", { repository: null });
      expect(await linked("kit")).toEqual([]);
      expect(await libraries.links({ packages: [] }, [""])).toEqual([]);
      expect(await libraries.links({ packages: ["tool"] }, [])).toEqual([]);
    });

    it("stay linked when their host renames them, until another one is at the former address", async () => {
      await repository("widgets");
      await naming("kit", addressOf("widgets"));
      const renamed = { from: addressOf("widgets"), to: addressOf("sprockets"), id: "/acme/sprockets" };
      await catalog().libraries.move("widgets", renamed, 9000);
      expect(await catalog().libraries.get("widgets")).toMatchObject({ id: "/acme/sprockets" });
      expect(await linked("kit")).toEqual(["widgets"]);
      await repository("newcomer", { source: sourceAt(addressOf("widgets")) });
      expect(await linked("kit")).toEqual(["newcomer"]);
      await catalog().libraries.remove("newcomer", 9500);
      expect(await linked("kit")).toEqual(["widgets"]);
      await catalog().libraries.remove("widgets", 9600);
      expect(await linked("kit")).toEqual([]);
    });

    it("are found through redirects of libraries", async () => {
      await repository("widgets");
      await repository("sprockets");
      await naming("kit", addressOf("widgets"));
      await catalog().libraries.update("widgets", { redirect: "/acme/sprockets" });
      expect(await linked("kit")).toEqual(["sprockets"]);
      await catalog().libraries.update("widgets", { redirect: null });
      expect(await linked("kit")).toEqual(["widgets"]);
    });

    it("are not shown to other teamspaces, and those hidden by another of the same ID are left out", async () => {
      await repository("widgets", { teamspace: "team" });
      await naming("kit", addressOf("widgets"));
      expect(await linked("kit")).toEqual([]);
      expect(await linked("kit", "other")).toEqual([]);
      expect(await linked("kit", "team")).toEqual(["widgets"]);
      await repository("open", { source: sourceAt(addressOf("widgets")), id: "/acme/widgets" });
      expect(await linked("kit")).toEqual(["open"]);
      expect(await linked("kit", "team")).toEqual(["widgets"]);
    });
  });

  describe("versions that nobody asks for", () => {
    const now = Date.UTC(2026, 10, 21);
    const version = async (uid: string, name: string, readAt: number) => {
      const { libraries, runs, generations } = catalog();
      await libraries.addVersion(uid, name, name, sampleRoom(20, readAt));
      const id = `${uid}-${name}`;
      await runs.open(uid, name, sampleRun(id), readAt);
      await generations.stage(sampleGeneration(id, uid, 1, { version: name, ref: name }));
      await generations.publish({ runId: id, generation: id, live: null }, readAt);
      await runs.close(id, { outcome: "published", revision: "rev-1" }, readAt);
    };
    const unused = async (since = now - 60 * day) =>
      (await catalog().libraries.unusedVersions("package", since, 10)).map((one) => [one.library.uid, one.version]);

    it("are those of packages alone, the longest unused first, and neither the default one nor one in use", async () => {
      await addLibrary(catalog(), "kit", packageNamed("kit"));
      await publishGeneration(catalog(), "kit", 1);
      await repository("widgets");
      await version("widgets", "v1", now - 100 * day);
      await version("kit", "2.0.0", now - 80 * day);
      await version("kit", "1.0.0", now - 90 * day);
      await version("kit", "3.0.0", now - 10 * day);
      await version("kit", "0.1.0", now - 99 * day);
      await catalog().runs.open("kit", "0.1.0", sampleRun("again"), now);
      expect(await unused()).toEqual([
        ["kit", "1.0.0"],
        ["kit", "2.0.0"],
      ]);
      const [first] = await catalog().libraries.unusedVersions("package", now - 60 * day, 1);
      expect(first).toMatchObject({ version: "1.0.0", usedAt: now - 90 * day, servedRef: "main" });
    });

    it("are removed with their generations, unless they were read meanwhile", async () => {
      await addLibrary(catalog(), "kit", packageNamed("kit"));
      await version("kit", "1.0.0", now - 90 * day);
      await version("kit", "2.0.0", now - 90 * day);
      expect(await unused(), "they may be all that can be read of it").toEqual([]);
      await publishGeneration(catalog(), "kit", 1);
      const read = { libraryUid: "kit", day: "2026-11-21", reads: 1, version: "2.0.0" };
      await Promise.all([
        catalog().libraries.countReads([read], now),
        catalog().libraries.countReads([read], now - 70 * day),
      ]);
      const room = { unusedSince: now - 60 * day, removeAfter: now + 5 };
      const { giveUpVersion, versionsOf } = catalog().libraries;
      expect(
        await giveUpVersion("kit", "2.0.0", room),
        "the latest read counts, in whatever order they are noted",
      ).toBe(false);
      expect(await giveUpVersion("kit", "1.0.0", room)).toBe(true);
      expect(await giveUpVersion("kit", "1.0.0", room)).toBe(false);
      expect(await giveUpVersion("gone", "1.0.0", room)).toBe(false);
      expect((await versionsOf("kit")).map((one) => one.version)).toEqual(["", "2.0.0"]);
      expect(await catalog().generations.removable(now)).toEqual([]);
      expect((await catalog().generations.removable(now + 5)).map(({ id }) => id)).toEqual(["kit-1.0.0"]);
    });
  });
}
