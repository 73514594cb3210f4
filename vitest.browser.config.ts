import { join } from "node:path";
import { defineConfig } from "vitest/config";

const reports = process.env["TEST_REPORTS"];

/** The dashboard in a real Chromium: `npm run test:browser`. */
export default defineConfig({
  test: {
    include: ["test/browser/**/*.test.ts"],
    globalSetup: ["test/browser/chromium.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
    ...(reports !== undefined && {
      retry: 1,
      reporters: ["default", ["json", { outputFile: join(reports, "browser.json") }]],
    }),
  },
});
