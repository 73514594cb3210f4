import * as z from "zod";

import type { LibraryMetrics } from "../../domain/metrics.ts";

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
export function toMetrics({ total, days, clients, topics, countries }: LibraryMetrics): z.infer<typeof metricsSchema> {
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
