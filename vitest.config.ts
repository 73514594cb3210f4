import { globSync, readFileSync, statfsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { endurance } from "./test/support/endurance.ts";
import { reporting } from "./test/support/vitest-config.ts";

// What threads and programs under test have compiled is kept, as cli/lectern.mjs does it.
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "node_modules", ".cache", "lectern");

// Catalogs wait for the disk at each commit, which is half of the time of many tests. What a killed process has written stays in memory, too.
if (hasRoomInMemory("/dev/shm")) process.env["TMPDIR"] ??= "/dev/shm";

/** Whether a folder is kept in memory and has room for all tests. */
function hasRoomInMemory(folder: string): boolean {
  const tmpfs = 0x0102_1994;
  try {
    const { type, bavail, bsize } = statfsSync(folder);
    return type === tmpfs && bavail * bsize >= 4e9;
  } catch {
    return false;
  }
}

/** Tests that only `npm run test:endurance` has: of whole programs, and of hostile input and bad days that take long. */
const longOnly = ["test/long/**", "test/**/*.long.test.ts"];

/** Starts with what takes longest, also where no earlier run says what does: no core is left idle at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean =>
      /\/test\/(?:e2e|long)\/|\/bench\/small\.|\/attack\.|\/includes-incremental\.|\/rights-matrix\.|\/git\/read\./.test(
        moduleId,
      );
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** Tests of whole programs that take long, and the files with tests of two forms. */
function longForms(): string[] {
  const root = import.meta.dirname;
  const files = globSync("test/**/*.test.ts", { cwd: root });
  const hasTwo = (file: string): boolean => readFileSync(join(root, file), "utf8").includes("/support/endurance.ts");
  return files.filter((file) => /^test\/long\/|\.long\.test\.ts$/.test(file) || hasTwo(file));
}

export default defineConfig({
  test: {
    include: endurance ? longForms() : ["test/**/*.test.ts"],
    exclude: ["test/cluster/**", "test/browser/**", ...(endurance ? [] : longOnly)],
    // Only what hangs takes so long, also on a machine that has much else to do.
    testTimeout: endurance ? 600_000 : 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // The long tests wait for processes of their own most of the time.
    maxWorkers: Math.min(8, Math.max(3, availableParallelism())),
    // Tests change nothing that others see, so that a process goes on with the next file: it has loaded most of it.
    isolate: false,
    // As cli/lectern.mjs sets them: a small process is cheap to fork, and tests start thousands of programs.
    execArgv: ["--max-semi-space-size=8", "--heap-growing-percent=30"],
    sequence: { sequencer: LongestFirst },
    ...reporting(endurance ? "endurance" : "tests"),
  },
});
