import { expect, it } from "vitest";
import { bare, textOf } from "../support/notion-pages.ts";
import { setup } from "./notion-setup.ts";

/** A page with a number of pages below it, indexed once. */
async function family(count: number) {
  const made = await setup();
  const { notion, index } = made;
  const root = notion.addPage({ title: "Root", blocks: textOf("Root") });
  const pages = Array.from({ length: count }, (_, at) =>
    notion.addPage({ title: `Page${at}`, parent: { page: root }, blocks: textOf(`Page${at}`) }),
  );
  await index([root]);
  return { ...made, root, pages };
}

it.each(["named", "listed"])("requests only some of many missing pages, if pages are %s", async (how) => {
  const { notion, index, root, pages } = await family(600);
  const ids = how === "named" ? [root] : [];
  if (how === "listed") await index();
  for (const page of pages) notion.edit(page, { isShared: false });
  const { read, left, requests, manifest } = await index(ids);
  expect(read).toEqual(["Root"]);
  expect(Object.keys(left)).toHaveLength(600);
  expect(requests.length).toBeLessThan(220);
  const reasons = Object.values(left);
  expect(reasons.every((reason) => reason.startsWith("refused: "))).toBe(true);
  const unasked = reasons.filter((reason) => reason.includes("was not requested by itself")).length;
  expect(unasked).toBeGreaterThanOrEqual(490);
  expect(manifest.notes?.at(-1)).toBe(
    `${unasked} of them were not requested one by one, as none of those requested is shared.`,
  );
});

it("requests every page that the list lacks if the list is wrong", async () => {
  const { notion, index, root, pages } = await family(300);
  const lost = pages.filter((_, at) => at % 2 === 0);
  const there = pages.filter((_, at) => at % 2 === 1);
  for (const page of lost) notion.edit(page, { isShared: false });
  // An index that is behind: it lists nothing but the root.
  notion.odd = ({ path }, answer) =>
    path === "/v1/search"
      ? { ...answer, has_more: false, results: (answer["results"] as { id: string }[]).filter(({ id }) => id === root) }
      : answer;
  const { read, left } = await index([root]);
  expect(read).toHaveLength(1 + there.length);
  expect(Object.keys(left).toSorted()).toEqual(lost.map(bare).toSorted());
  expect(Object.values(left).filter((reason) => reason.includes("was not requested by itself"))).toEqual([]);
});
