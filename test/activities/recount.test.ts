import { expect, it } from "vitest";
import { sweep } from "../../activities/sweep.ts";
import { servedSnippets } from "../../domain/generation.ts";
import { codePassage, mixedPassage, prosePassage } from "../contracts/passage-samples.ts";
import { setup } from "./sweep-setup.ts";

it("counts the snippets of generations from before they were counted, once, and announces them", async () => {
  const { ports, catalog, published, libraries } = await setup();
  const lines = [
    codePassage("s1", { description: "Call it like this:", code: "cache()" }),
    mixedPassage("s2", "Call it:", "cache()", "It keeps what it was asked for, as long as there is room."),
    { ...prosePassage("s3", "Not served."), flags: ["duplicate"] as const },
  ];
  const id = await published("kit", { stored: { format: 2, lines } });
  const counts = async () => [
    (await catalog.generations.get(id).then((generation) => generation && servedSnippets(generation.counts))) ?? null,
    (await libraries.entries(["kit"]))[0]?.totalSnippets,
  ];
  expect(await counts()).toEqual([2, 2]);
  expect(await sweep(ports, { thorough: true })).toMatchObject({ problems: [] });
  // Two examples, and the prose after one of them.
  expect(await counts()).toEqual([3, 3]);
  expect((await catalog.generations.get(id))?.counts).toMatchObject({ code: 1, info: 1, snippets: 3 });
  const again: string[] = [];
  await sweep({ ...ports, announce: async (uid) => void again.push(uid) }, { thorough: true });
  expect(again).toEqual([]);
});
