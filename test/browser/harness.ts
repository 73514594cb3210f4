import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { adminKey, startLectern, temporaryFolder, type LecternProcess } from "../support/lectern-process.ts";
import { chromiumPath } from "./chromium.ts";

export { adminKey } from "../support/lectern-process.ts";

/** Folder of the screenshots: SCREENSHOTS, else a temporary folder. */
const pictures = process.env["SCREENSHOTS"] ?? join(tmpdir(), "lectern-screenshots");

/** Impacts of axe's scale that fail a test. */
const serious = new Set(["serious", "critical"]);

/** A server process and a browser, shared by the tests of a file. */
export interface Dashboard {
  readonly server: LecternProcess;
  /** Opens a page in a new browser context. */
  open(options?: BrowserContextOptions): Promise<{ readonly page: Page; readonly context: BrowserContext }>;
  /** Like open, signed in with the form. */
  openSignedIn(
    options?: BrowserContextOptions,
    key?: string,
  ): Promise<{ readonly page: Page; readonly context: BrowserContext }>;
}

/** The screen of a phone. */
export const narrow: BrowserContextOptions = { viewport: { width: 375, height: 740 }, isMobile: true, hasTouch: true };

/** Tests of the dashboard on a server process in Chromium; skipped without it. `dashboard()` works inside tests only. */
export function describeDashboard(
  name: string,
  tests: (dashboard: () => Dashboard) => void,
  env: Readonly<Record<string, string>> = {},
): void {
  describe.skipIf(chromiumPath === null)(`the dashboard: ${name}`, () => {
    let started: Dashboard | undefined;
    const closing: (() => Promise<unknown>)[] = [];

    beforeAll(async () => {
      const folder = await temporaryFolder();
      closing.push(async () => folder[Symbol.asyncDispose]());
      const server = await startLectern(folder.path, { ...env });
      closing.push(() => server.kill("SIGTERM"));
      const browser = await chromium.launch({
        executablePath: chromiumPath ?? "",
        args: ["--no-sandbox", "--disable-gpu"],
      });
      closing.push(() => browser.close());
      started = dashboardOf(server, browser);
    });
    afterAll(async () => {
      for (const close of closing.toReversed()) await close();
    });
    tests(() => {
      if (!started) throw new Error("The dashboard can be used inside tests only.");
      return started;
    });
  });
}

function dashboardOf(server: LecternProcess, browser: Browser): Dashboard {
  const open: Dashboard["open"] = async (options = {}) => {
    const context = await browser.newContext({ baseURL: server.url, ...options });
    const page = await context.newPage();
    return { page, context };
  };
  return {
    server,
    open,
    async openSignedIn(options, key = adminKey) {
      const opened = await open(options);
      await signIn(opened.page, key);
      return opened;
    },
  };
}

export async function signIn(page: Page, key: string): Promise<void> {
  await page.goto("/-/sign-in");
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}

/** Expects no horizontal scrolling on the `narrow` screen. */
export async function expectNarrow(page: Page, path = page.url()): Promise<void> {
  expect(await page.evaluate("document.documentElement.scrollWidth"), path).toBeLessThanOrEqual(375);
}

/** Collects script errors and violations of the content security policy from now on. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // Responses with status 4xx are logged as errors too.
    if (message.type() === "error" && !/status of 4\d\d/.test(message.text())) complaints.push(message.text());
  });
  return complaints;
}

const axePath = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** Expects no serious violation from axe-core. */
export async function expectAccessible(page: Page): Promise<void> {
  // evaluate() bypasses the content security policy.
  await page.evaluate(await readFile(axePath, "utf8"));
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(): Promise<{
          violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
        }>;
      };
    };
    return (await axe.run()).violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      at: nodes.map(({ html, failureSummary }) => `${html}: ${failureSummary}`),
    }));
  });
  expect(violations.filter(({ impact }) => serious.has(impact))).toEqual([]);
}

/** Opens a page and prints its first paint; returns its encoded size in bytes with all resources. */
export async function weightOf(page: Page, path: string): Promise<number> {
  await page.goto(path, { waitUntil: "load" });
  // The first-contentful-paint entry may come after the load event.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))");
  // As a string, as its names exist in browsers only.
  const { bytes, painted } = (await page.evaluate(`({
    bytes: [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
      .reduce((sum, entry) => sum + entry.encodedBodySize, 0),
    painted: performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
  })`)) as { bytes: number; painted: number | undefined };
  process.stdout.write(`${path}: ${Math.round(bytes / 1000)} kB, first paint after ${Math.round(painted ?? NaN)} ms\n`);
  return bytes;
}

/** Takes a screenshot of the whole page; returns its path. */
export async function picture(page: Page, name: string): Promise<string> {
  await mkdir(pictures, { recursive: true });
  const path = join(pictures, `${name}.png`);
  await page.screenshot({ path, fullPage: true });
  return path;
}
