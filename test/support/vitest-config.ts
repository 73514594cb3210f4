import { join } from "node:path";
import { defineConfig } from "vitest/config";

const reports = process.env["TEST_REPORTS"];

/**
 * How tests report. TEST_REPORTS names a folder for the reports of CI, which tells what passed at the second attempt only.
 */
export const reporting = (name: string) =>
  reports !== undefined && {
    retry: 1,
    reporters: ["default", ["json", { outputFile: join(reports, `${name}.json`) }]] as ["default", ["json", object]],
  };

/** The configuration of tests that need programs of this machine: those of a folder, whose `setup` starts what they need. */
export const withPrograms = (folder: string, setup: string) =>
  defineConfig({
    test: {
      include: [`test/${folder}/**/*.test.ts`],
      globalSetup: [`test/${folder}/${setup}`],
      testTimeout: 120_000,
      hookTimeout: 120_000,
      expect: { poll: { timeout: 30_000 } },
      maxWorkers: 2,
      ...reporting(folder),
    },
  });
