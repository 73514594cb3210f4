import { join } from "node:path";
import { defineConfig } from "vitest/config";

const reports = process.env["TEST_REPORTS"];

/** The tests on real servers: `npm run test:cluster`. */
export default defineConfig({
  test: {
    include: ["test/cluster/**/*.test.ts"],
    globalSetup: ["test/cluster/setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
    ...(reports !== undefined && {
      retry: 1,
      reporters: ["default", ["json", { outputFile: join(reports, "cluster.json") }]],
    }),
  },
});
