import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findChromium } from "../../../sources/lib/browser/chromium.ts";
import { folderOfTest } from "../../support/of-test.ts";

it("takes the configured program and no other, else the first on the PATH", async () => {
  const folder = await folderOfTest();
  const [one, two] = [join(folder, "one"), join(folder, "two")];
  for (const place of [one, two]) await mkdir(place);
  const path = `:${one}:${two}:/nowhere`;
  expect(findChromium(null, path)).toBeNull();
  await writeFile(join(one, "chromium"), "not to be executed");
  await mkdir(join(one, "google-chrome"));
  expect(findChromium(null, path)).toBeNull();
  const program = join(two, "google-chrome");
  await writeFile(program, "#!/bin/sh\n");
  await chmod(program, 0o755);
  expect(findChromium(null, path)).toBe(program);
  expect(findChromium(program, "")).toBe(program);
  expect(findChromium(join(one, "chromium"), path)).toBeNull();
});
