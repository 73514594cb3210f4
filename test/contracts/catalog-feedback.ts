import { describe, expect, it } from "vitest";
import type { FeedbackRecord } from "../../domain/catalog-feedback.ts";
import { addLibrary, addTeamspace, type CurrentCatalog } from "./catalog-samples.ts";

function sampleFeedback(number: number, changes: Partial<FeedbackRecord> = {}): FeedbackRecord {
  const id = `f${String(number).padStart(4, "0")}`;
  const said = { verdict: "wrong", words: "make widget", comment: "It is called build now." } as const;
  return { id, libraryUid: "a", version: "", ...said, teamspace: "web", at: number, ...changes };
}

/** The part of the Catalog contract that concerns feedback and team notes. */
export function describeFeedback(catalog: CurrentCatalog): void {
  describe("feedback", () => {
    it("is kept for a while, the latest hundred of callers with a key and of others, and lost with the library", async () => {
      const { feedback, libraries } = catalog();
      await addLibrary(catalog(), "a");
      for (let number = 1; number <= 101; number += 1) await feedback.add(sampleFeedback(number));
      for (let number = 102; number <= 204; number += 1) await feedback.add(sampleFeedback(number, { teamspace: "" }));
      await feedback.add(sampleFeedback(300, { libraryUid: "gone" }));
      const all = await feedback.list("a");
      expect(all[0]).toEqual(sampleFeedback(204, { teamspace: "" }));
      expect(all.filter(({ teamspace }) => teamspace === "web").map(({ at }) => at)).toEqual(
        Array.from({ length: 100 }, (_, place) => 101 - place),
      );
      expect(all).toHaveLength(200);
      await libraries.noteMisses([{ libraryUid: "a", words: "old", times: 1, askedAt: 150 }]);
      await libraries.noteMisses([{ libraryUid: "a", words: "new", times: 1, askedAt: 250 }]);
      await feedback.forget(200);
      expect((await feedback.list("a")).map(({ at }) => at)).toEqual([204, 203, 202, 201, 200]);
      expect((await libraries.misses("a", 10)).map(({ words }) => words)).toEqual(["new"]);
      await libraries.remove("a", 2000);
      expect(await feedback.list("a")).toEqual([]);
    });
  });

  describe("a team note", () => {
    it("is found with its library by its teamspace only, until it is removed", async () => {
      const { feedback, libraries, teamspaces } = catalog();
      const noteFor = async (judging: string) => (await libraries.find([""], "/acme/widgets", "", judging))?.teamNote;
      for (const id of ["web", "mobile"]) await addTeamspace(catalog(), id);
      await addLibrary(catalog(), "a");
      await feedback.setTeamNote("web", "a", "Use ours.", 1000);
      await feedback.setTeamNote("mobile", "a", "Use theirs.", 1000);
      await feedback.setTeamNote("web", "a", "Use **ours**.", 2000);
      await feedback.setTeamNote("web", "gone", "Nothing.", 2000);
      expect(await Promise.all(["web", "mobile", "default"].map(noteFor))).toEqual([
        "Use **ours**.",
        "Use theirs.",
        undefined,
      ]);
      await feedback.setTeamNote("web", "a", "", 3000);
      await teamspaces.remove("mobile");
      expect(await Promise.all(["web", "mobile"].map(noteFor))).toEqual([undefined, undefined]);
    });
  });
}
