import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);
const program = join(import.meta.dirname, "growth.ts");

async function measured(...share: readonly number[]): Promise<readonly string[]> {
  const { stdout } = await run(process.execPath, ["--allow-natives-syntax", program, ...share.map(String)]);
  return stdout.split("\n").filter((line) => line !== "");
}

it("steps are counted: a quadratic expression and a quadratic search are found", async () => {
  const found = (await measured()).map((line) => JSON.parse(line) as { entry: string; slow: unknown[] });
  expect(found.map(({ entry }) => entry)).toEqual(["an expression", "a search"]);
  expect(found[0]?.slow).toHaveLength(1);
});

it("a page takes steps in proportion to its length, whatever is repeated behind whatever", async () => {
  expect(await measured(0, 30)).toEqual([]);
});
