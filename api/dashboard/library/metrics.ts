import { html, nothing, type Html, type Part } from "../html.ts";
import type { Feedback, Metrics, Status } from "../../answer-types.ts";
import { libraryPath } from "../views/addresses.ts";
import { age, count, currentPage, empty, facts, table } from "../views/parts.ts";
import type { LibraryTab } from "./tab.ts";
import { day, dayOf } from "../../../domain/days.ts";

const ranges = ["7", "30", "90", "365"] as const;
/** Maximum number of topics, and of agents with a line of their own. */
const topicsShown = 20;
const clientsShown = 6;

/** The use of a library, as plots and as tables. */
export const metricsTab: LibraryTab = {
  name: "metrics",
  label: "Metrics",
  isFor: ({ permitted, state }) => permitted.includes("metrics") && state !== "redirected",
  async show({ ask, parameters }, status, id) {
    const days = ranges.find((one) => one === parameters.days) ?? "30";
    const now = Date.now();
    const metrics = metricsView(await ask<Metrics>("/v2/libs/metrics", { libraryId: id, days }), status, id, days, now);
    if (status.missedQuestions === undefined) return metrics;
    return html`${metrics} ${feedbackView(await ask<Feedback>("/v2/libs/feedback", { libraryId: id }), now)}`;
  },
  assets: ["uplot.css", "uplot.js", "plots.js"],
};

const surfaces = [
  ["mcp", "Agents (MCP)"],
  ["txt", "Text"],
  ["page", "JSON"],
  ["cli", "Command line"],
] as const;

/** The metrics of the last `days` days. */
export function metricsView(metrics: Metrics, status: Status, id: string, days: string, now: number): Html {
  const { daily, mcpClients, topics, countries, total } = metrics;
  const links = ranges.map(
    (one) =>
      html`<a class="chip" href="${libraryPath(id, { tab: "metrics", days: one })}" ${currentPage(one === days, "true")}
        >${one} days</a
      >`,
  );
  const span = { first: dayOf(now - (Number(days) - 1) * day), last: dayOf(now) };
  const answers = daily.reduce((sum, day) => sum + day.total, 0);
  const clients = clientsOf(metrics);
  const users = mcpClients.dailyData;
  return html`<nav class="row" aria-label="Days">${links}</nav>
    ${facts([
      [`Answers in ${days} days`, answers],
      ["Answers in total", total.mcp + total.txt + total.page + total.cli],
      ["Most users in a day", users.length === 0 ? undefined : Math.max(...users.map((day) => day.totalUniqueUsers))],
    ])}
    ${plotted(
      "Answers by day",
      ["Day", ...surfaces.map(([, label]) => label)],
      daily.map((day) => [day.date, ...surfaces.map(([name]) => day[name])]),
      span,
    )}
    ${plotted(
      "Users of agents by day",
      ["Day", "All", ...clients],
      users.map((day) => [
        day.date,
        day.totalUniqueUsers,
        ...clients.map((client) => day.uniqueUsersByClient[client] ?? 0),
      ]),
      span,
    )}
    <div class="columns">
      ${topicsView(
        "Topics of the questions",
        "Topic",
        topics.slice(0, topicsShown).map(({ topic, count: times }) => [topic, times]),
      )}
      ${
        countries.length === 0
          ? nothing
          : topicsView(
              "Countries",
              "Country",
              countries.map(({ country, count: times }) => [country, times]),
            )
      }
    </div>
    ${missesView(status, now)}`;
}

/** Agents by number of users, most first. */
function clientsOf({ mcpClients }: Metrics): readonly string[] {
  const users = new Map<string, number>();
  for (const { uniqueUsersByClient } of mcpClients.dailyData)
    for (const [client, of] of Object.entries(uniqueUsersByClient)) users.set(client, (users.get(client) ?? 0) + of);
  return [...users]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, clientsShown)
    .map(([client]) => client);
}

/** A section with a table, and the place for its plot (static/plots.js), with a line per column. Without scripts there is only the table. */
function plotted(
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly Part[])[],
  { first, last }: { readonly first: string; readonly last: string },
): Html {
  if (rows.length === 0)
    return html`<section class="card" aria-label="${caption}">
      <h2>${caption}</h2>
      <p class="muted">None in this period.</p>
    </section>`;
  return html`<section class="card plot" aria-label="${caption}" data-first="${first}" data-last="${last}">
    <h2>${caption}</h2>
    <div class="plot-area" role="img" aria-label="Plot: ${caption}. The table below has the figures."></div>
    <details>
      <summary>Figures</summary>
      ${table(caption, heads, rows)}
    </details>
  </section>`;
}

function topicsView(title: string, head: string, rows: readonly (readonly [name: string, times: number])[]): Html {
  const most = Math.max(1, ...rows.map(([, times]) => times));
  const shown = rows.map(([name, times]) => [
    html`<bdi>${name}</bdi>`,
    html`<span class="bar"
      ><meter min="0" max="${most}" value="${times}" aria-label="${head}"></meter><span>${count(times)}</span></span
    >`,
  ]);
  const list = rows.length === 0 ? empty("No questions yet") : table(title, [head, "Answers"], shown);
  return html`<section class="stack" aria-label="${title}">
    <h2>${title}</h2>
    ${list}
  </section>`;
}

/** Feedback on answers, for administrators of the library. Its texts are untrusted. */
export function feedbackView({ feedback }: Pick<Feedback, "feedback">, now: number): Html {
  const rows = feedback.map(({ verdict, words, comment, at }) => [
    verdict,
    html`<bdi>${words}</bdi>`,
    html`<bdi>${comment}</bdi>`,
    age(at, now),
  ]);
  return html`<section class="stack" aria-labelledby="feedback">
    <h2 id="feedback">Feedback on answers</h2>
    ${
      rows.length === 0
        ? empty("None", "Agents give it with report-answer.")
        : table("Feedback on answers", ["Answer", "Words of the question", "Comment", "Given"], rows)
    }
  </section>`;
}

/** Questions without a result, for administrators of the library. */
function missesView({ missedQuestions }: Status, now: number): Html {
  if (missedQuestions === undefined) return nothing;
  const rows = missedQuestions.map(({ words, times, lastAskedAt }) => [
    html`<bdi>${words}</bdi>`,
    times,
    age(lastAskedAt, now),
  ]);
  return html`<section class="stack" aria-labelledby="misses">
    <h2 id="misses">Questions without a result</h2>
    ${
      rows.length === 0
        ? empty("None", "All questions had results.")
        : table("Questions without a result", ["Words", "Times", "Last asked"], rows)
    }
  </section>`;
}
