const isSmall = process.env["BENCH_SIZE"] === "small";

/**
 * A parameter of a benchmark. `BENCH_SIZE=small` shows within seconds that it still runs, without meaningful figures: the form that
 * test/bench/small.test.ts and test/cluster/benchmarks.test.ts run.
 */
export function size<Value>({ full, small }: { readonly full: Value; readonly small: Value }): Value {
  return isSmall ? small : full;
}
