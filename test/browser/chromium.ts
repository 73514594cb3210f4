import { findChromium } from "../../sources/lib/browser/chromium.ts";

/** Chromium of this machine, by CHROMIUM_PATH or the PATH; null where there is none. */
export const chromiumPath = findChromium(process.env["CHROMIUM_PATH"] ?? null);

/** Says loudly what is skipped without Chromium; REQUIRE=chromium makes that a failure. */
export function setup(): void {
  if (chromiumPath !== null) return;
  if ((process.env["REQUIRE"] ?? "").split(",").includes("chromium"))
    throw new Error("REQUIRE names what is not on this machine: chromium.");
  process.stdout.write("skipped: all tests of the dashboard, which need chromium, and it is not on this machine\n");
}
