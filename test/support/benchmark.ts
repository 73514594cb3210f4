import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { temporaryFolder } from "./lectern-process.ts";

const root = join(import.meta.dirname, "..", "..");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };

/** The NAMEs of all `npm run bench:NAME`. */
export const benchmarks: readonly string[] = Object.keys(scripts)
  .filter((name) => name.startsWith("bench:"))
  .map((name) => name.slice("bench:".length));

/**
 * Runs the small form of a benchmark to its end, with an empty cache. Returns what it printed.
 * @throws Error where it ends with an error
 */
export async function runBenchmark(
  name: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const program = scripts[`bench:${name}`]?.split(" ").slice(1) ?? [];
  await using cache = await temporaryFolder();
  const { stdout } = await promisify(execFile)(process.execPath, [...program, ...args], {
    cwd: root,
    env: { ...process.env, ...env, BENCH_SIZE: "small", XDG_CACHE_HOME: cache.path },
  });
  return stdout;
}

/** The cells of the tables that a benchmark printed, without their headings. */
export function figuresIn(printed: string): readonly string[] {
  const rows = printed.split("\n").filter((line) => line.startsWith("|"));
  return rows.slice(2).flatMap((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
