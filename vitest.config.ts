import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const report = process.env["TEST_REPORT"];

// What threads and programs under test have compiled is kept, as cli/lectern.mjs does it.
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "node_modules", ".cache", "lectern");

/** Starts with what takes longest, also where no earlier run says what does: no core is left idle at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => /\/test\/e2e\/|\/attack\./.test(moduleId);
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/cluster/**"],
    // Only what hangs takes so long, also on a machine that has much else to do.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // The long tests wait for processes of their own most of the time.
    maxWorkers: 3,
    // Tests change nothing that others see, so that a process goes on with the next file: it has loaded most of it.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // TEST_REPORT names a file for the counts, which .ci/run prints.
    ...(report !== undefined && { reporters: ["default", ["json", { outputFile: report }]] }),
  },
});
