import * as z from "zod";
import { redirected } from "../../domain/answering.ts";
import { authorize } from "../../domain/authorizing.ts";
import { firstOfDays, type LibraryMetrics, type SurfaceCounts } from "../../domain/metrics.ts";
import { findLibrary } from "../../domain/submitting.ts";
import { jsonAnswer } from "../answers.ts";
import { integer, libraryIdText } from "../parameters.ts";
import { libraryFailures, route, success, type Route } from "../route.ts";

const day = z.iso.date().describe("Day in UTC.");
const counts = {
  page: z.int().describe("JSON answers, to pages and programs."),
  txt: z.int().describe("Text answers."),
  mcp: z.int().describe("Answers to agents over MCP."),
  cli: z.int().describe("Answers on command lines."),
};

/** The usage of a library. */
export const metricsSchema = z
  .object({
    total: z.object(counts).describe("Since the library was added."),
    daily: z
      .array(z.object({ date: day, ...counts, total: z.int().describe("Sum of all.") }))
      .describe("Days with answers, oldest first."),
    mcpClients: z.object({
      dailyData: z
        .array(
          z.object({
            date: day,
            uniqueUsersByClient: z.record(z.string(), z.int()).describe("Users by the name of their agent."),
            totalUniqueUsers: z.int().describe("Distinct users of all agents."),
          }),
        )
        .describe("Days with answers to agents, oldest first."),
    }),
    topics: z
      .array(
        z.object({
          topic: z.string().describe("Heading of the best passage."),
          count: z.int().describe("Answers."),
        }),
      )
      .describe("Since the library was added, most frequent first; 100 at most."),
    countries: z
      .array(
        z.object({
          country: z.string().describe("ISO 3166-1 alpha-2."),
          count: z.int().describe("Answers."),
        }),
      )
      .describe("The same by country, from a header of a trusted proxy."),
  })
  .meta({ id: "Metrics" });

const sumOf = ({ page, txt, mcp, cli }: SurfaceCounts): number => page + txt + mcp + cli;

/** Metrics in the published shape. */
function toMetrics({ total, days, clients, topics, countries }: LibraryMetrics): z.infer<typeof metricsSchema> {
  return {
    total,
    daily: days.map(({ day: date, ...counted }) => ({ date, ...counted, total: sumOf(counted) })),
    mcpClients: {
      dailyData: [...Map.groupBy(clients, (row) => row.day)].map(([date, rows]) => ({
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
  days: integer(1, 365).prefault(30).describe("Number of days, including today."),
});

/** Maximum number of topics and countries of an answer. */
const atMost = 100;

/** The usage of a library. */
export const metricsRoute: Route = route({
  method: "GET",
  path: "/api/v2/libs/metrics",
  scope: "read",
  limit: "read",
  about: {
    operationId: "getMetrics",
    tag: "Reading",
    summary: "Get the usage of a library",
    description:
      "For keys of the teamspace that owns the library; of a public library, for `default` and the teamspace that submitted it. Counts are at most a minute old.",
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
