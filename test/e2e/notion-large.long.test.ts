import { expect, it, onTestFinished } from "vitest";
import { residentMegabytes } from "../../tools/bench/measure.ts";
import { textOf } from "../support/notion-pages.ts";
import { amount } from "../support/endurance.ts";
import { startLectern, temporaryFolder } from "../support/lectern-process.ts";
import { codeBlock, textBlock, startNotion, type NewBlock } from "../support/notion-server.ts";

/** Number of rows of the data source, and the smaller number that one query returns. */
const rows = amount({ short: 450, long: 10_200 });
const limit = amount({ short: 200, long: 10_000 });

it("a database of ten thousand rows and a page of three thousand blocks are read whole, in few requests and little memory", async () => {
  const notion = await startNotion();
  const folder = await temporaryFolder();
  onTestFinished(async () => {
    await notion.close();
    await folder[Symbol.asyncDispose]();
  });
  const root = notion.addPage({ title: "Root", blocks: textOf("Root") });
  const { sources } = notion.addDatabase({
    title: "Rows",
    description: "What was ever written down, row by row.",
    parent: root,
  });
  for (let row = 0; row < rows; row += 1)
    notion.addPage({
      title: `Row ${row}`,
      parent: { source: sources[0] ?? "" },
      created: new Date(Date.UTC(2026, 0, 1, 0, row)).toISOString(),
      properties: { State: { id: "s", type: "select", select: { name: `State ${row % 7}` } } },
      blocks: row % 50 === 0 ? textOf(`Row${row}`) : [],
    });
  const blocks = Array.from({ length: 3000 }, (_, at): NewBlock =>
    at % 3 === 0
      ? codeBlock(`call(${at});`, "javascript")
      : textBlock("paragraph", `Paragraph ${at} tells what comes next.`),
  );
  notion.addPage({ title: "Long", parent: { page: root }, blocks });
  notion.limit = limit;

  const [notionToken = ""] = notion.tokens;
  const server = await startLectern(folder.path, {
    NOTION_API_URL: notion.url,
    FETCH_ALLOW: "127.0.0.1",
    PARSE_THREADS: "2",
    HOST_INTERVAL: "0",
  });
  onTestFinished(() => server.kill("SIGTERM").then(() => undefined));
  const count = (pattern: RegExp): number => notion.requests.filter(({ path }) => pattern.test(path)).length;
  const libraryName = "/notion/large";
  await server.call("POST", "/v2/add/notion", { pageIds: [root], title: "Large", notionToken });
  const pages = rows + 3;
  expect(await server.settled(libraryName)).toMatchObject({ state: "finalized", live: { counts: { pages } } });
  // The blocks of each row, as only they show whether it has any; those of the long page in hundreds.
  expect(count(/\/children$/)).toBe(rows + 1 + 30);
  // A query begins at the time where the one before ended, so they overlap.
  expect(count(/\/query$/)).toBeLessThanOrEqual(Math.ceil(rows / 100) + 3);
  expect(notion.requests.length).toBeLessThan(rows * 1.03 + 60);
  const answer = await server.call("GET", `/v2/context?libraryId=${libraryName}&query=row${rows - 50}&tokens=500`);
  expect(JSON.stringify(answer.body)).toContain("State");

  notion.requests.length = 0;
  await server.call("POST", "/v1/refresh", { libraryName });
  expect(await server.settled(libraryName)).toMatchObject({ runs: [{ outcome: "unchanged" }, {}] });
  expect(count(/\/children$/)).toBe(0);
  expect(notion.requests.length).toBeLessThan(rows / 40 + 20);
  expect(await residentMegabytes(server.pid, "peak")).toBeLessThan(700);
});
