import { expect, it } from "vitest";
import { createFindContainer } from "../../sources/notion/container.ts";
import type { NotionApi } from "../../sources/notion/client.ts";

const [read, pending, column, other] = ["1", "2", "3", "4"].map((digit) => digit.repeat(32)) as [
  string,
  string,
  string,
  string,
];
const found = { id: "5".repeat(32), from: read, why: "earlier" } as const;
const decided = { isRead: (id: string) => id === read, isPending: (id: string) => id === pending };

/** The finder, with the ids of the blocks that it requests. */
function setup(known: typeof decided | null = decided) {
  const requested: string[] = [];
  const api = {
    block: async (id: string) => {
      requested.push(id);
      return { parent: { type: "page_id", page_id: read } };
    },
  };
  return { requested, containerOf: createFindContainer(api as unknown as NotionApi, known) };
}

const inPage = (id: string) => ({ parent: `page_id:${id}`, database: "" });

it("does not matter if all that is shared is read, or the page was not in the earlier run", async () => {
  expect(await setup(null).containerOf(inPage(other), found, undefined)).toBeUndefined();
  expect(await setup().containerOf(inPage(other), { id: found.id }, undefined)).toBeUndefined();
});

it("is the one of the earlier run while the parent is the same", async () => {
  const { requested, containerOf } = setup();
  expect(await containerOf({ parent: `block_id:${column}`, database: "" }, found, `block_id:${column}`)).toBe(read);
  expect(requested).toEqual([]);
});

it("is the page around blocks, each of which is requested once", async () => {
  const { requested, containerOf } = setup();
  const head = { parent: `block_id:${column}`, database: "" };
  for (let time = 0; time < 2; time += 1) expect(await containerOf(head, found, undefined)).toBe(read);
  expect(requested).toEqual([column]);
});

it("is elsewhere, or decided later", async () => {
  const { containerOf } = setup();
  expect(await containerOf(inPage(other), found, undefined)).toBe("elsewhere");
  expect(await containerOf({ parent: "workspace:", database: "" }, found, undefined)).toBe("elsewhere");
  expect(await containerOf(inPage(pending), found, undefined)).toBe("later");
  expect(await containerOf({ parent: `page_id:${other}`, database: pending }, found, undefined)).toBe("later");
});
