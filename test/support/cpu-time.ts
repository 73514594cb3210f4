/** Processor time of `reference` on the machine that the bounds were chosen on, in seconds. */
const usual = 0.03;

/** No test allows less, in seconds. */
const short = 0.5;

/**
 * Processor time of some work, in seconds of a usual machine: what is measured is divided by how much longer than usual a reference
 * takes beside it, as a processor that is shared with others can need twice the time for the same work.
 */
export function cpuSeconds(work: () => unknown): number {
  const seconds = secondsOf(work);
  if (seconds < short) return seconds;
  return seconds / Math.max(1, secondsOf(reference) / usual);
}

function secondsOf(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1e6;
}

/** Texts that are cut, found again and sorted, as parsers do. */
function reference(): number {
  const words = Array.from({ length: 30_000 }, (_, at) => `word${(at * 7919) % 30_011}`);
  const places = new Map(words.map((word, at) => [word, at]));
  return words.toSorted().filter((word) => (places.get(word) ?? 0) % 2 === 0).length;
}
