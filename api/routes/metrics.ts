import * as z from "zod";
import { redirected } from "../../domain/answering.ts";
import { authorize } from "../../domain/authorizing.ts";
import { firstOfDays } from "../../domain/metrics.ts";
import type { LibraryMetrics } from "../../domain/metrics.ts";
import { findLibrary } from "../../domain/submitting.ts";
import { jsonAnswer } from "../answers.ts";
import { integer, libraryIdText } from "../parameters.ts";
import { libraryFailures, route, success } from "../route.ts";
import type { Route } from "../route.ts";

const day = z.iso.date().describe("Day in UTC.");
const counts = {
  page: z.int().describe("Answers as JSON, to pages and programs."),
  txt: z.int().describe("Answers as text."),
  mcp: z.int().describe("Answers to agents, by the Model Context Protocol."),
  cli: z.int().describe("Answers on command lines."),
};

/** How a library is used. */
export const metricsSchema = z
  .object({
    total: z.object(counts).describe("Since the library was added."),
    daily: z
      .array(z.object({ date: day, ...counts, total: z.int().describe("All of them.") }))
      .describe("Days that have answers, the oldest first."),
    mcpClients: z.object({
      dailyData: z
        .array(
          z.object({
            date: day,
            uniqueUsersByClient: z.record(z.string(), z.int()).describe("Users by the name of their agent."),
            totalUniqueUsers: z.int().describe("Users of all agents; who used two is one."),
          }),
        )
        .describe("Days on which agents asked, the oldest first."),
    }),
    topics: z
      .array(
        z.object({
          topic: z.string().describe("Heading of the passage that answered best."),
          count: z.int().describe("Answers."),
        }),
      )
      .describe("Since the library was added, the most frequent first; 100 at most."),
    countries: z
      .array(
        z.object({
          country: z.string().describe("ISO 3166-1 alpha-2."),
          count: z.int().describe("Answers."),
        }),
      )
      .describe("The same by country, as a trusted proxy names it; empty without one."),
  })
  .meta({ id: "Metrics" });

/** Metrics in the published shape. */
function toMetrics({ total, days, clients, topics, countries }: LibraryMetrics): z.infer<typeof metricsSchema> {
  const byDay = Map.groupBy(clients, (one) => one.day);
  return {
    total,
    daily: days.map(({ day: date, page, txt, mcp, cli }) => ({
      date,
      page,
      txt,
      mcp,
      cli,
      total: page + txt + mcp + cli,
    })),
    mcpClients: {
      dailyData: [...byDay].map(([date, rows]) => ({
        date,
        uniqueUsersByClient: Object.fromEntries(
          rows.flatMap(({ client, users }) => (client === "" ? [] : [[client, users]])),
        ),
        totalUniqueUsers: rows.find(({ client }) => client === "")?.users ?? 0,
      })),
    },
    topics: [...topics],
    countries: [...countries],
  };
}

const parameters = z.object({
  libraryId: libraryIdText.describe("Library ID; its versions are counted together."),
  days: integer(1, 365).prefault(30).describe("Days that are listed, today among them."),
});

/** Maximum number of topics and countries of an answer. */
const atMost = 100;

/** How a library is used. */
export const metricsRoute: Route = route({
  method: "GET",
  path: "/api/v2/libs/metrics",
  scope: "read",
  limit: "read",
  about: {
    operationId: "getMetrics",
    tag: "Reading",
    summary: "Get how a library is used",
    description:
      "For keys of the teamspace that owns the library; of a public one for those of `default`, and of the teamspace whose key submitted it. Counts are at most a minute old.",
  },
  parameters,
  answers: success(metricsSchema),
  failures: [...libraryFailures, "library_redirected"],
  async handler({ caller, parameters: { libraryId, days }, options }) {
    const { catalog, now } = options.ports;
    const { library, requested } = await findLibrary(catalog, caller, libraryId);
    authorize(caller, "library.metrics", library);
    if (library.redirect !== null) throw redirected(library, requested, caller);
    return jsonAnswer(toMetrics(await catalog.metrics.of(library.uid, { since: firstOfDays(now(), days), atMost })));
  },
});
