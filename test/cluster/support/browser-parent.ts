/** A process that renders a page: `node browser-parent.ts CHROMIUM URL`. Its parent ends it. */
import { createBrowser } from "../../../sources/lib/browser/browser.ts";
import { createGuard } from "../../../sources/lib/fetch/guard.ts";

const [chromium = "", address = ""] = process.argv.slice(2);
const url = new URL(address);
const browser = createBrowser({
  chromium,
  guard: createGuard({ allow: [url.host] }),
  userAgent: "Lectern/test",
  onUnsandboxed: () => undefined,
});
await browser.render(url, { signal: new AbortController().signal, maxBytes: 1_000_000 });
