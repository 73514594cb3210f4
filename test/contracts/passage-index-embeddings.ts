import { expect, it } from "vitest";
import type { Passage } from "../../domain/passage.ts";
import { dimensions } from "../../search/ranking/meaning.ts";
import { ask, control, foundIds, library, type PassageIndexSetup } from "./passage-index-asking.ts";
import { partsOf } from "./passage-samples.ts";

const embeddingOf = (values: readonly number[]): string => Buffer.from(Int8Array.from(values)).toString("base64");

/** The passages with an embedding each, of which the first value is their place. */
const embedded = (value: number, passages = library): readonly Passage[] =>
  passages.map((passage, at) => ({ ...passage, embedding: embeddingOf([at, -value, value]) }));

/** What a PassageIndex must do with embeddings in the lines of a generation. */
export function itKeepsEmbeddings(setup: () => Promise<PassageIndexSetup>): void {
  it("keeps the embeddings of a model behind what the table says, and gives back the passages without them", async () => {
    const { index, reopen } = await setup();
    expect(await index.load("g1", partsOf(embedded(7)), { ...control(), model: "tiny" })).toBe(4);
    expect(await index.load("g2", partsOf(library), control())).toBe(4);
    expect([await index.model("g1"), await index.model("g2"), await index.model("g3")]).toEqual([
      "tiny",
      "",
      undefined,
    ]);
    const first = await ask(index, "g1", "cache");
    const plain = await ask(index, "g2", "cache");
    expect([first.model, plain.model]).toEqual(["tiny", ""]);
    expect(plain.candidates[0]?.meaning).toHaveLength(dimensions);
    expect(first.candidates[0]?.meaning).toEqual(Int8Array.of(...(plain.candidates[0]?.meaning ?? []), 1, -7, 7));
    expect(await first.read(["cache"])).toEqual([library[1]]);
    expect(await (await reopen()).model("g1")).toBe("tiny");
  });

  it("embeds a loaded generation beside the old embeddings, and answers meanwhile", async () => {
    const { index } = await setup();
    await index.load("g1", partsOf(library), control());
    for (const [value, model] of [
      [7, "tiny"],
      [8, "another one"],
    ] as const) {
      const before = await index.model("g1");
      const whileLoading = async function* (): AsyncGenerator<Uint8Array> {
        yield* partsOf(embedded(value));
        const { candidates, model: now } = await ask(index, "g1", "cache");
        expect(candidates.map(({ id }) => id)).toEqual(["cache"]);
        expect([before, ""]).toContain(now);
      };
      expect(await index.load("g1", whileLoading(), { ...control(), model })).toBe(4);
      const { candidates, model: after } = await ask(index, "g1", "cache");
      expect([after, await index.model("g1"), await index.count("g1")]).toEqual([model, model, 4]);
      expect(candidates[0]?.meaning.subarray(dimensions)).toEqual(Int8Array.of(1, -value, value));
    }
    // The same again, or without a model, changes nothing.
    await index.load("g1", partsOf([]), { ...control(), model: "another one" });
    await index.load("g1", partsOf([]), control());
    expect([await index.model("g1"), await foundIds(index, "g1", "cache")]).toEqual(["another one", ["cache"]]);
  });

  it.each([
    ["one passage lacks an embedding", [...embedded(7).slice(1), ...library.slice(0, 1)]],
    [
      "embeddings differ in length",
      embedded(7).map((one, at) => (at === 0 ? { ...one, embedding: "AAAA" + "AA==" } : one)),
    ],
  ])("has no model if %s", async (_, passages) => {
    const { index } = await setup();
    expect(await index.load("g1", partsOf(passages), { ...control(), model: "tiny" })).toBe(4);
    expect(await index.model("g1")).toBe("");
    expect((await ask(index, "g1", "cache")).model).toBe("");
    expect(await (await ask(index, "g1", "cache")).read(["cache"])).toEqual([library[1]]);
  });
}
