import type { Logger } from "pino";
import { createBrowser } from "../sources/lib/browser/browser.ts";
import type { Browser } from "../sources/lib/browser/browser.ts";
import { findChromium } from "../sources/lib/browser/find-chromium.ts";
import type { Guard } from "../sources/lib/fetch/guard.ts";
import type { Config } from "./config.ts";

/** The browser of this process, started for the first page that needs it; null: the machine has no Chromium. */
export function openBrowser(
  config: Config,
  { guard, userAgent, log }: { readonly guard: Guard; readonly userAgent: string; readonly log: Logger },
): Browser | null {
  const chromium = findChromium(config.chromiumPath);
  if (chromium === null) {
    if (config.chromiumPath !== null)
      log.warn({ path: config.chromiumPath }, "CHROMIUM_PATH names no program; pages that need a browser are not read");
    return null;
  }
  return createBrowser({
    chromium,
    guard,
    userAgent,
    resolveLocally: config.resolveLocally,
    onUnsandboxed: () =>
      log.warn("Chromium runs without its sandbox here. docs/hardening.md has how to let it have one, under Chromium."),
  });
}
