/**
 * Requests and seconds for 2,000 pages of Notion, all below one page, and for a refresh of them where nothing has changed, beside
 * the least that the API allows. The workspace is on loopback and asked as fast as it answers: Notion itself lets three requests a
 * second pass. Run it with `npm run bench:notion`.
 */
import { adminKey, startLectern, temporaryFolder } from "../test/support/lectern-process.ts";
import { codeBlock, said, startNotion } from "../test/support/notion-server.ts";
import { printTable } from "./measure.ts";

const pages = 2000;
const perSecond = 3;
const listed = Math.ceil(pages / 100);

const notion = await startNotion();
const blocksOf = (name: string) => [
  said("paragraph", `This page tells how ${name} is used, and when it is better not to be used.`),
  codeBlock(`use("${name}");`, "javascript"),
  said("heading_2", `More of ${name}`),
  said("paragraph", `There is more to be said of ${name} than stands above.`),
  codeBlock(`more("${name}");\n`, "typescript"),
];
const root = notion.addPage({ title: "Root", blocks: blocksOf("root") });
for (let page = 1; page < pages; page += 1)
  notion.addPage({ title: `Page ${page}`, parent: { page: root }, blocks: blocksOf(`page${page}`) });

await using folder = await temporaryFolder();
const server = await startLectern(folder.path, {
  NOTION_API_URL: notion.url,
  FETCH_ALLOW: "127.0.0.1",
  HOST_INTERVAL: "0",
});
try {
  const [notionToken = ""] = notion.tokens;
  const time = async (path: string, body: object): Promise<[requests: number, seconds: number]> => {
    notion.asked.length = 0;
    const start = performance.now();
    await fetch(`${server.url}/api${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${adminKey}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    await server.settled("/notion/bench");
    return [notion.asked.length, (performance.now() - start) / 1000];
  };
  const named = { libraryName: "/notion/bench" };
  const first = await time("/v2/add/notion", { ...named, pageIds: [root], notionToken });
  const again = await time("/v1/refresh", named);
  // A list of the children of each page, of which the root has more than a hundred; then the list of all.
  const least = [pages - 1 + Math.ceil((pages + 4) / 100), listed];
  printTable(
    ["", "requests", "least", "seconds", "seconds at three a second"],
    [first, again].map(([requests, seconds], at) => [
      at === 0 ? "first" : "unchanged",
      String(requests),
      String(least[at]),
      seconds.toFixed(1),
      Math.ceil(requests / perSecond).toString(),
    ]),
  );
} finally {
  await server.kill("SIGTERM");
  await notion.close();
}
