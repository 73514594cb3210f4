import { Pool } from "undici";
import type { LocalCluster } from "../dev/local-cluster.ts";
import { lookedUp } from "../../search/ranking/question.ts";
import { ranker } from "../../search/ranking/ranker.ts";
import { planMatch } from "../../search/candidates.ts";
import { candidateFields } from "../../search/meilisearch/documents.ts";
import { planSearches, quoted } from "../../search/meilisearch/candidates.ts";
import type { Search } from "../../search/meilisearch/candidates.ts";
import { stateAttributes } from "../../search/meilisearch/generations.ts";
import { equals, toSnap } from "../../search/meilisearch/words.ts";
import { createDeployment, firstAnswer } from "./cluster-parts.ts";
import type { ClusterBench, Deployment } from "./cluster-parts.ts";
import { createWriter, repositoryFiles } from "./corpus.ts";
import { drive, median, printTable, quantile } from "./measure.ts";
import type { Timing } from "./measure.ts";

const libraryId = "/bench/reads";
/** Candidates that a question takes, as domain/answering.ts asks for them. */
const limit = 100;

/**
 * Reads through PostgreSQL and Meilisearch, in turns with two searches alone. One is the bare multi-search: all searches of
 * the question's plan with what is ranked of each hit, as somebody sends it who remembers nothing of the generation. The
 * other is what the adapter sends of it for a question whose single terms it has looked up before.
 */
export async function measureReads({ cluster, git }: ClusterBench, documents: number, requests: number): Promise<void> {
  const { url } = await git.repository("bench/reads.git", repositoryFiles(7, { documents, sources: 0 }));
  const api = createDeployment(cluster.apis[0]?.url ?? "", cluster.adminKey);
  const meilisearch = new Pool(cluster.env["MEILI_URL"] ?? "", { connections: 8 });
  try {
    const seconds = await firstAnswer(api, url, libraryId);
    const status = JSON.parse((await api.get(`/v2/libs/status?libraryId=${libraryId}`)).body) as LibraryStatus;
    const { id, counts } = status.live;
    const snippets = counts.code + counts.info;
    console.log(`\n${snippets} snippets of ${documents} pages, readable after ${seconds.toFixed(1)} s`);

    const writer = createWriter(99);
    const questions = Array.from({ length: 500 }, (_, index) => writer.question(4 + (index % 8)));
    const search = createMultiSearch(meilisearch, cluster);
    const plans = await planAll(search, questions, { title: status.title, generation: id, snippets });
    const alone =
      (body: keyof Bodies) =>
      async (at: number): Promise<void> => {
        await search(plans[at % plans.length]?.[body] ?? "");
      };
    const context = (at: number): Promise<void> => ask(api, questions[at % questions.length] ?? "");

    const rows: string[][] = [];
    const first = await drive(1, questions.length, context);
    rows.push(toRow("context, 1 client, every question for the first time", first, undefined));
    await drive(1, plans.length, alone("bare"));
    for (const clients of [1, 8]) {
      const rounds = 4;
      const timings: Record<keyof Bodies | "context", Timing> = {
        bare: { times: [], seconds: 0 },
        sent: { times: [], seconds: 0 },
        context: { times: [], seconds: 0 },
      };
      for (let round = 0; round < rounds; round += 1) {
        add(timings.bare, await drive(clients, requests / rounds, alone("bare")));
        add(timings.sent, await drive(clients, requests / rounds, alone("sent")));
        add(timings.context, await drive(clients, requests / rounds, context));
      }
      const label = `${clients} client${clients === 1 ? "" : "s"}`;
      rows.push(toRow(`bare multi-search, ${label}`, timings.bare, timings.bare));
      rows.push(toRow(`what is sent of it when terms are known, ${label}`, timings.sent, timings.bare));
      rows.push(toRow(`context, ${label}`, timings.context, timings.bare));
    }
    console.log(`${requests} questions of 6 to 13 words a row, no answer from a cache\n`);
    printTable(["", "p50 ms", "p99 ms", "answers a second", "p50 / bare"], rows);
  } finally {
    await Promise.all([api.close(), meilisearch.close()]);
  }
}

interface LibraryStatus {
  readonly title: string;
  readonly live: { readonly id: string; readonly counts: { readonly code: number; readonly info: number } };
}

/** Multi-searches for one question. */
interface Bodies {
  readonly bare: string;
  readonly sent: string;
}

type MultiSearch = (body: string) => Promise<{ readonly results: readonly { readonly estimatedTotalHits?: number }[] }>;

/** Sends a multi-search as it is; what is measured includes reading the answer's bytes, not more. */
function createMultiSearch(pool: Pool, { env }: LocalCluster): MultiSearch {
  const headers = { authorization: `Bearer ${env["MEILI_API_KEY"]}`, "content-type": "application/json" };
  return async (body) => {
    const answer = await pool.request({ method: "POST", path: "/multi-search", headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`A multi-search was answered ${answer.statusCode}: ${text}`);
    // Parsed when somebody looks at it.
    return {
      get results() {
        return (JSON.parse(text) as { results: { estimatedTotalHits?: number }[] }).results;
      },
    };
  };
}

/** The multi-searches for each question. */
async function planAll(
  search: MultiSearch,
  questions: readonly string[],
  { title, generation, snippets }: { title: string; generation: string; snippets: number },
): Promise<readonly Bodies[]> {
  const filter = equals("snap", toSnap(generation));
  const indexUid = "lectern_snippets";
  const frequency = new Map<string, number>();
  const count = async (terms: readonly string[]): Promise<void> => {
    const queries = terms.map((term) => ({ indexUid, q: quoted(term), filter, limit: 0 }));
    const { results } = await search(JSON.stringify({ queries }));
    terms.forEach((term, at) => frequency.set(term, results[at]?.estimatedTotalHits ?? 0));
  };
  const look = [
    { indexUid: "lectern_generations", q: "", filter, limit: 1, attributesToRetrieve: stateAttributes },
    { indexUid, q: "", filter, limit: 0 },
  ];
  const bodies: Bodies[] = [];
  for (const query of questions) {
    const question = ranker.analyseQuestion(query, { id: libraryId, title });
    await count(lookedUp(question));
    const match = planMatch(question, lookedUp(question), frequency, snippets);
    const { together, singles } = planSearches(match, { limit });
    const first = together === undefined ? [] : [together];
    const toQueries = (searches: readonly Search[], attributesToRetrieve: readonly string[]) =>
      searches.map(({ q, limit: most, matchingStrategy }) => ({
        q,
        limit: most,
        matchingStrategy,
        indexUid,
        filter: [filter],
        attributesToRetrieve,
      }));
    bodies.push({
      bare: JSON.stringify({ queries: toQueries([...first, ...singles], ["sid", ...candidateFields]) }),
      sent: JSON.stringify({ queries: [...toQueries(first, ["sid"]), ...look] }),
    });
  }
  return bodies;
}

async function ask(api: Deployment, query: string): Promise<void> {
  const { status } = await api.get(`/v2/context?${new URLSearchParams({ libraryId, query }).toString()}`);
  if (status !== 200) throw new Error(`A question was answered ${status}.`);
}

function add(sum: Timing, { times, seconds }: Timing): void {
  sum.times.push(...times);
  sum.seconds += seconds;
}

function toRow(name: string, { times, seconds }: Timing, alone: Timing | undefined): string[] {
  return [
    name,
    median(times).toFixed(2),
    quantile(times, 0.99).toFixed(2),
    (times.length / seconds).toFixed(0),
    alone === undefined ? "" : (median(times) / median(alone.times)).toFixed(2),
  ];
}
