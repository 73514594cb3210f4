const isSmall = process.env["BENCH_SIZE"] === "small";

/**
 * How much of something a benchmark takes, in whatever is counted. `BENCH_SIZE=small` shows within seconds that it still runs, and its figures
 * say nothing: test/bench/small.test.ts and test/cluster/benchmarks.test.ts run each so.
 */
export function size<Value>({ full, small }: { readonly full: Value; readonly small: Value }): Value {
  return isSmall ? small : full;
}
