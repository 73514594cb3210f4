import { expect, it } from "vitest";
import { endurance } from "../support/endurance.ts";
import { benchmarks, figuresIn, runBenchmark } from "../support/benchmark.ts";

/** What a benchmark is told so that it needs nothing but what is installed. */
const args: Readonly<Record<string, readonly string[]>> = {
  answers: ["--library", "pino", "--limit", "3"],
  html: ["fixtures=test/fixtures/html", "--pages", "2"],
  retrieval: ["--library", "pino"],
};

/** These need the servers of a cluster: test/cluster/benchmarks.test.ts. */
const elsewhere = ["both", "cluster"];

it.runIf(endurance).for(benchmarks.filter((name) => !elsewhere.includes(name)))(
  "bench:%s runs to its end",
  async (name) => {
    const printed = await runBenchmark(name, args[name]);
    expect(figuresIn(printed), printed).not.toHaveLength(0);
    expect(printed).not.toMatch(/NaN|undefined|WRONG/);
  },
);
