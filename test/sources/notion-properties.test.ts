import { expect, it } from "vitest";
import { bare } from "../support/notion-pages.ts";
import { rich, textBlock } from "../support/notion-server.ts";
import { setup } from "./notion-setup.ts";

const words = [textBlock("paragraph", "What is to be done here, step by step, and by whom it is done.")];
const person = (at: number) => ({ object: "user", id: `u${at}`, name: `Person ${at}` });
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

it("reads all entries of a property of which a page has only the first", async () => {
  const { notion, index } = await setup();
  const { id, sources } = notion.addDatabase({ title: "Tasks" });
  const targets = numbers(30).map((at) => notion.addPage({ title: `Goal ${at}` }));
  const hidden = notion.addPage({ title: "Salaries", isShared: false });
  notion.addPage({
    title: "Task",
    parent: { source: sources[0] ?? "" },
    blocks: words,
    properties: {
      Crew: { id: "a%3Ab", type: "people", people: numbers(130).map(person) },
      Goals: { id: "g", type: "relation", relation: [hidden, ...targets].map((target) => ({ id: target })) },
      Owners: {
        id: "o",
        type: "rollup",
        rollup: {
          type: "array",
          function: "show_original",
          array: numbers(40).map((at) => ({ type: "people", people: [person(at)] })),
        },
      },
      Few: { id: "f", type: "relation", relation: [{ id: targets[0] }], has_more: false },
      Said: { id: "s", type: "rich_text", rich_text: numbers(60).flatMap((at) => rich(`Word ${at}. `)) },
    },
  });
  const { passages, requests } = await index([id]);
  const served = JSON.stringify(passages);
  expect(served).toContain("Person 128, Person 129");
  expect(served).toContain("**Owners**: Person 0, Person 1,");
  expect(served).toContain("Person 39");
  expect(served).toContain("**Few**: Goal 0");
  expect(served).toContain("Goal 0, Goal 1,");
  expect(served).toContain("Goal 29");
  expect(served).toContain("Word 59.");
  expect(served).not.toContain("Salaries");
  // Titles of related pages come from the list of what is shared; only what that lacks is requested.
  const pages = requests.filter((line) => /\/pages\/[^/]+$/.test(line));
  expect([...new Set(pages)]).toEqual([`GET /v1/pages/${bare(id)}`, `GET /v1/pages/${bare(hidden)}`]);
  expect(requests.filter((line) => line.includes("/properties/"))).toHaveLength(5);
  // An unchanged row is not requested again.
  const again = await index([id]);
  expect(again.unchanged).toBe(true);
  expect(again.requests.filter((line) => line.includes("/properties/"))).toEqual([]);
});
