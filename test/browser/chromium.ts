import { findChromium } from "../../sources/lib/browser/chromium.ts";

/** Path of Chromium from CHROMIUM_PATH or the PATH; null if there is none. */
export const chromiumPath = findChromium(process.env["CHROMIUM_PATH"] ?? null);

/** Prints that the tests are skipped without Chromium; fails with REQUIRE=chromium. */
export function setup(): void {
  if (chromiumPath !== null) return;
  if ((process.env["REQUIRE"] ?? "").split(",").includes("chromium"))
    throw new Error("REQUIRE names chromium, which is not installed.");
  process.stdout.write("skipped: all browser tests of the dashboard, as chromium is not installed\n");
}
