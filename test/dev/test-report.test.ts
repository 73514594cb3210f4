import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

const root = join(import.meta.dirname, "../..");
const vitest = join(root, "node_modules/vitest/vitest.mjs");

/** The input of the report: it counts tests of each outcome. */
const tests = `
import { expect, it } from "vitest";
let attempts = 0;
it("passes", () => expect(1).toBe(1));
it("passes when it is tried again", () => expect(++attempts).toBe(2));
it("fails", () => expect("this").toBe("that"));
it.skip("is skipped", () => {});
`;

it("names what failed and what passed at the second attempt only, and counts in the last line", () => {
  // Below this project, so that vitest resolves.
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "test-report-"));
  const reports = mkdtempSync(join(tmpdir(), "reports-"));
  onTestFinished(() => {
    for (const made of [folder, reports]) rmSync(made, { recursive: true });
  });
  writeFileSync(join(folder, "some.test.js"), tests);
  writeFileSync(join(folder, "broken.test.js"), "throw new Error('no such thing');");
  const options = ["--retry=1", "--reporter=json", `--outputFile=${join(reports, "tests.json")}`];
  expect(() =>
    execFileSync(process.execPath, [vitest, "run", "--root", folder, ...options], { cwd: folder, stdio: "pipe" }),
  ).toThrow(/Command failed/);
  const printed = execFileSync(process.execPath, ["tools/dev/test-report.ts", reports], {
    cwd: root,
    encoding: "utf8",
  });
  expect(printed).toMatch(/^failed: \S+some\.test\.js: fails\n.*'this' to be 'that'/m);
  expect(printed).toMatch(/^passed at the second attempt: \S+: passes when it is tried again\n.*1 to be 2/m);
  expect(printed).toMatch(/^failed: \S+broken\.test\.js\n.*no such thing/m);
  expect(printed).not.toContain(": passes\n");
  expect(printed.trimEnd().split("\n").at(-1)).toBe("2 passed, 1 failed, 1 skipped");
});
