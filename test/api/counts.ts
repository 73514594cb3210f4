import type { ApiOptions } from "../../api/options.ts";
import type { CountedAnswer } from "../../domain/metrics.ts";

/** What the API counts, and the options that count it. */
export function createCounts() {
  const counts = {
    answered: 0,
    reads: [] as string[],
    misses: [] as [string, string][],
    answers: [] as CountedAnswer[],
  };
  const counting: Pick<ApiOptions, "countRead" | "countAnswer" | "noteMiss"> = {
    countRead: (uid, version) => void counts.reads.push(version === "" ? uid : `${uid}@${version}`),
    countAnswer: (answer) => void counts.answers.push(answer),
    noteMiss: (uid, question) => void counts.misses.push([uid, question]),
  };
  return { counts, counting };
}
