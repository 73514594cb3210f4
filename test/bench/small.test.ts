import { expect, it } from "vitest";
import { endurance } from "../support/endurance.ts";
import { benchmarks, figuresIn, runBenchmark } from "../support/benchmark.ts";

/** Arguments for benchmarks that would need the network, or a file. */
const args: Readonly<Record<string, readonly string[]>> = {
  answers: ["--library", "pino"],
  html: ["fixtures=test/fixtures/html"],
  retrieval: ["--library", "pino"],
  rst: ["test/fixtures/rst/reference.jsonl"],
};

/** Benchmarks that need the servers of a cluster: see test/cluster/benchmarks.test.ts. */
const onCluster = ["both", "cluster"];

it.runIf(endurance).for(benchmarks.filter((name) => !onCluster.includes(name)))(
  "bench:%s runs to its end",
  async (name) => {
    const printed = await runBenchmark(name, args[name]);
    expect(figuresIn(printed), printed).not.toHaveLength(0);
    expect(printed).not.toMatch(/NaN|undefined/);
  },
);
