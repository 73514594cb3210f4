import { spawnSync } from "node:child_process";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { folderOfTest } from "../support/of-test.ts";

const root = join(import.meta.dirname, "..", "..");

/** The output of a copy of the program that has no packages. */
async function runCopy(...place: readonly string[]): Promise<string> {
  const folder = join(await folderOfTest(), ...place);
  for (const name of ["package.json", "cli"]) await cp(join(root, name), join(folder, name), { recursive: true });
  const { stderr, status } = spawnSync(process.execPath, [join(folder, "cli", "lectern.mjs"), "doctor"], {
    encoding: "utf8",
  });
  expect(status).toBe(1);
  return stderr;
}

it("a clone without packages says to install them, in a sentence", async () => {
  expect(await runCopy("clone")).toMatch(/^Packages that Lectern needs are not installed\. Run `npm ci` in .*\n$/);
});

it("source code that npm has installed says to install the package, in a sentence", async () => {
  expect(await runCopy("node_modules", "lectern")).toMatch(/^This is Lectern's source code, .* `npm run pack` .*\n$/);
});
