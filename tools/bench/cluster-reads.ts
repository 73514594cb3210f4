import { Pool } from "undici";
import { lookedUp } from "../../search/ranking/analyse-question.ts";
import { ranker } from "../../search/ranking/ranker.ts";
import { rarestTerms } from "../../search/candidates.ts";
import { candidateFields } from "../../search/meilisearch/documents.ts";
import { planSearches, quoted } from "../../search/meilisearch/candidates.ts";
import { equals, toSnap } from "../../search/meilisearch/words.ts";
import { createDeployment, firstAnswer, type ClusterBench } from "./cluster-parts.ts";
import { createWriter, repositoryFiles } from "./corpus.ts";
import { drive, median, printTable, quantile } from "./measure.ts";
import { size } from "./size.ts";

const libraryId = "/bench/reads";
const indexUid = "lectern_snippets";
/** Candidates of a question, as in domain/answering.ts. */
const limit = 100;
/** Pages of the library, about 12 passages each. */
const documents = size({ full: 1680, small: 20 });
const requests = size({ full: 2000, small: 64 });
const rounds = 4;

interface LibraryStatus {
  readonly title: string;
  readonly live: { readonly id: string; readonly counts: { readonly code: number; readonly info: number } };
}

/**
 * Reads through PostgreSQL and Meilisearch with one client, in turns with the bare multi-search: all searches of the question's plan with the
 * fields that are ranked, without any cached facts about the generation.
 */
export async function measureReads({ cluster, git }: ClusterBench): Promise<void> {
  const { url } = await git.repository("bench/reads.git", repositoryFiles(7, { documents, sources: 0 }));
  const api = createDeployment(cluster.apis[0]?.url ?? "", cluster.adminKey);
  const meilisearch = new Pool(cluster.env["MEILI_URL"] ?? "", { connections: 8 });
  const headers = { authorization: `Bearer ${cluster.env["MEILI_API_KEY"]}`, "content-type": "application/json" };
  const search = async (queries: readonly object[]): Promise<string> => {
    const request = { method: "POST", path: "/multi-search", headers, body: JSON.stringify({ queries }) } as const;
    const answer = await meilisearch.request(request);
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`A multi-search was answered ${answer.statusCode}: ${text}`);
    return text;
  };
  try {
    await firstAnswer(api, url, libraryId);
    const { title, live } = JSON.parse((await api.get(`/v2/libs/status?libraryId=${libraryId}`)).body) as LibraryStatus;
    const passages = live.counts.code + live.counts.info;
    const writer = createWriter(99);
    const questions = Array.from({ length: 500 }, (_, index) => writer.question(4 + (index % 8)));
    const filter = equals("snap", toSnap(live.id));
    const plans: (readonly object[])[] = [];
    for (const query of questions) {
      const question = ranker.analyseQuestion(query, { id: libraryId, title });
      const terms = lookedUp(question);
      const counted = await search(terms.map((term) => ({ indexUid, q: quoted(term), filter, limit: 0 })));
      const { results } = JSON.parse(counted) as { results: { estimatedTotalHits?: number }[] };
      const frequency = new Map(terms.map((term, at) => [term, results[at]?.estimatedTotalHits ?? 0]));
      const { together, singles } = planSearches(rarestTerms(frequency, passages), { limit });
      const fields = { indexUid, filter: [filter], attributesToRetrieve: ["sid", ...candidateFields] };
      plans.push(
        [together ?? [], singles]
          .flat()
          .map(({ q, limit: most, matchingStrategy }) => ({ q, limit: most, matchingStrategy, ...fields })),
      );
    }
    const bare = async (at: number): Promise<void> => void (await search(plans[at % plans.length] ?? []));
    const context = async (at: number): Promise<void> => {
      const query = questions[at % questions.length] ?? "";
      const { status } = await api.get(`/v2/context?${new URLSearchParams({ libraryId, query }).toString()}`);
      if (status !== 200) throw new Error(`A question was answered ${status}.`);
    };
    // Warms up both.
    await drive(1, questions.length, context);
    await drive(1, plans.length, bare);
    const [bareTimes, contextTimes]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      bareTimes.push(...(await drive(1, requests / rounds, bare)).times);
      contextTimes.push(...(await drive(1, requests / rounds, context)).times);
    }
    console.log(`\n${passages} passages, 1 client, ${requests} questions of 6 to 13 words, no answer from a cache\n`);
    const toRow = (name: string, times: readonly number[]): string[] => [
      name,
      median(times).toFixed(2),
      quantile(times, 0.99).toFixed(2),
      (median(times) / median(bareTimes)).toFixed(2),
    ];
    printTable(
      ["", "p50 ms", "p99 ms", "p50 / bare"],
      [toRow("bare multi-search", bareTimes), toRow("context", contextTimes)],
    );
  } finally {
    await Promise.all([api.close(), meilisearch.close()]);
  }
}
