/**
 * Requests and seconds for 2,000 pages of Notion, Confluence Cloud and Confluence Data Center, and for a refresh without changes, beside the
 * fewest requests that each API allows. The servers are on loopback without a rate limit; Notion itself permits three requests a second.
 * Run it with `npm run bench:remote`.
 */
import { startConfluence } from "../../test/support/confluence.ts";
import { adminKey, startLectern, temporaryFolder } from "../../test/support/lectern-process.ts";
import { codeBlock, said, startNotion } from "../../test/support/notion-server.ts";
import { printTable } from "./measure.ts";
import { size } from "./size.ts";

const pages = size({ full: 2000, small: 20 });
const notionPerSecond = 3;

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

const confluence = await startConfluence();
const pageOf = (name: string): string =>
  `<p>This page tells how ${name} is used, and when it is better not to be used.</p><ac:structured-macro ac:name="code">` +
  `<ac:plain-text-body><![CDATA[use("${name}");]]></ac:plain-text-body></ac:structured-macro>`;
const home = confluence.add("Home", pageOf("Home"));
for (let page = 1; page < pages; page += 1) confluence.add(`Page ${page}`, pageOf(`Page${page}`), { parent: home });
const space = { spaceKey: "ENG", spaceName: "Engineering" };
const token = "a-secret-token";

await using folder = await temporaryFolder();
const server = await startLectern(folder.path, {
  NOTION_API_URL: notion.url,
  FETCH_ALLOW: "127.0.0.1",
  HOST_INTERVAL: "0",
});

/** Submits or refreshes a library and waits until it is indexed. Returns the number of requests and seconds. */
async function time(
  asked: { length: number },
  libraryName: string,
  path: string,
  body: object,
): Promise<readonly [requests: number, seconds: number]> {
  asked.length = 0;
  const start = performance.now();
  const response = await fetch(`${server.url}/api${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${adminKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({ ...body, libraryName }),
  });
  if (!response.ok) throw new Error(await response.text());
  const { state } = await server.settled(libraryName);
  if (state !== "finalized") throw new Error(`${libraryName} is ${String(state)}.`);
  return [asked.length, (performance.now() - start) / 1000];
}

const products = [
  {
    name: "Notion",
    asked: notion.asked,
    path: "/v2/add/notion",
    body: { title: "Bench", pageIds: [root], notionToken: [...notion.tokens][0] },
    // A list of the children of each page, of which the root has more than a hundred; then the list of all.
    least: [pages - 1 + Math.ceil((pages + 4) / 100), Math.ceil(pages / 100)],
    perSecond: notionPerSecond,
  },
  {
    name: "Confluence Cloud",
    asked: confluence.requests,
    path: "/v2/add/confluence",
    body: {
      ...space,
      siteUrl: confluence.origin,
      cloudId: confluence.cloudId,
      confluenceCredential: { type: "personal", email: "docs@example.com", token },
    },
    // The space, a list with bodies of 250 at once, and a search for restrictions of 200; then the same without bodies.
    least: [1 + Math.ceil(pages / 250) + Math.ceil(pages / 200), 1 + Math.ceil(pages / 250) + Math.ceil(pages / 200)],
  },
  {
    name: "Confluence Data Center",
    asked: confluence.requests,
    path: "/v2/add/confluence",
    body: { ...space, siteUrl: `${confluence.origin}/confluence`, confluenceCredential: { type: "pat", token } },
    // The space, and a list with bodies and restrictions of 100 at once.
    least: [1 + Math.ceil(pages / 100), 1 + Math.ceil(pages / 100)],
  },
];

try {
  const rows: string[][] = [];
  for (const { name, asked, path, body, least, perSecond } of products) {
    const id = `/${path.split("/").at(-1) ?? ""}/${name.toLowerCase().replaceAll(" ", "-")}`;
    const runs = [await time(asked, id, path, body), await time(asked, id, "/v1/refresh", {})];
    for (const [at, [requests, seconds]] of runs.entries())
      rows.push([
        `${name}, ${at === 0 ? "first" : "unchanged"}`,
        String(requests),
        String(least[at]),
        seconds.toFixed(1),
        perSecond === undefined ? "" : Math.ceil(requests / perSecond).toString(),
      ]);
  }
  printTable(["", "requests", "least", "seconds", "seconds at three a second"], rows);
} finally {
  await server.kill("SIGTERM");
  await notion.close();
  await confluence.close();
}
