import { join } from "node:path";
import { defineConfig } from "vitest/config";

const reports = process.env["TEST_REPORTS"];

/**
 * Retries and reports of CI, if TEST_REPORTS names a folder. The report shows which tests passed at the second attempt only.
 */
export const reporting = (name: string) =>
  reports !== undefined && {
    retry: 1,
    reporters: ["default", ["json", { outputFile: join(reports, `${name}.json`) }]] as ["default", ["json", object]],
  };

/** Configuration of a folder of tests that need local programs, which `setup` starts. */
export const withPrograms = (folder: string, setup: string) =>
  defineConfig({
    test: {
      include: [`test/${folder}/**/*.test.ts`],
      globalSetup: [`test/${folder}/${setup}`],
      testTimeout: 120_000,
      hookTimeout: 120_000,
      expect: { poll: { timeout: 30_000 } },
      maxWorkers: folder === "cluster" ? 3 : 2,
      ...reporting(folder),
    },
  });
