import { defineConfig } from "vitest/config";

const report = process.env["TEST_REPORT"];

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/cluster/**"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // The long tests wait for processes of their own most of the time.
    maxWorkers: 3,
    // TEST_REPORT names a file for the counts, which .ci/run prints.
    ...(report !== undefined && { reporters: ["default", ["json", { outputFile: report }]] }),
  },
});
