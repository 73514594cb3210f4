import { expect, it } from "vitest";

import { codePassage } from "./samples.ts";
import { setup } from "./setup.ts";

it("explains the passages of an answer with their lines, and is not counted as a question", async () => {
  const { send, submit, finish, counts } = await setup();
  await finish(await submit("/acme/widgets"), [codePassage]);
  const query = "libraryId=/acme/widgets&query=widget";
  const { status, body } = await send("GET", `/v2/context/explain?${query}`);
  expect(status).toBe(200);
  const { source, blocks, page } = codePassage;
  expect(body).toMatchObject({ library: "/acme/widgets", version: "", introduction: false });
  expect((body as { passages: object[] }).passages).toMatchObject([
    { shown: true, place: 1, url: source.url, page: { url: page.url }, blocks: blocks.map(({ type }) => ({ type })) },
  ]);
  expect([counts.answers, counts.reads]).toEqual([[], []]);
  await send("GET", `/v2/context?${query}`);
  expect(counts.answers).toHaveLength(1);
});
