import { expect, it } from "vitest";
import { endurance } from "../support/endurance.ts";
import { benchmarks, figuresIn, runBenchmark } from "../support/benchmark.ts";

/** Arguments with which benchmarks need no network. */
const args: Readonly<Record<string, readonly string[]>> = {
  answers: ["--library", "pino"],
  html: ["fixtures=test/fixtures/html"],
  retrieval: ["--library", "pino"],
};

/** Benchmarks of test/cluster/benchmarks.test.ts, which need the servers of a cluster. */
const elsewhere = ["both", "cluster"];

it.runIf(endurance).for(benchmarks.filter((name) => !elsewhere.includes(name)))(
  "bench:%s runs to its end",
  async (name) => {
    const printed = await runBenchmark(name, args[name]);
    expect(figuresIn(printed), printed).not.toHaveLength(0);
    expect(printed).not.toMatch(/NaN|undefined/);
  },
);
