/**
 * How well extraction reads ten large API descriptions from npm packages, fetched with `npm pack`: operations that have a page
 * with a request that a shell accepts, bodies that ajv finds valid, and time and memory of the largest beside those of parsing it. Run it with `npm run bench:openapi`.
 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { openApiPartType } from "../../extract/formats.ts";
import { extractPage, formatOf } from "../../extract/index.ts";
import { cutDescription } from "../../extract/openapi/cut.ts";
import type { OperationPart, Part } from "../../extract/openapi/part.ts";
import { isObject } from "../../extract/openapi/values.ts";
import { temporaryFolder } from "../../test/support/lectern-process.ts";
import { curlArguments } from "../../test/support/shell.ts";
import { printTable, residentMegabytes } from "./measure.ts";
import { checkBodies } from "./openapi-bodies.ts";
import { descriptions, fetchDescriptions, nameOf } from "./openapi-packages.ts";

const run = promisify(execFile);
const root = "https://bench.example/openapi.json";
const methods = new Set(["get", "put", "post", "delete", "options", "head", "patch", "trace"]);

const [mode, file] = process.argv.slice(2);
if (mode === "--parse" || mode === "--extract") await measureHere(mode, file ?? "");
else await compareAll();

async function compareAll(): Promise<void> {
  await using folder = await temporaryFolder();
  const files = await fetchDescriptions(descriptions, folder.path);
  const rows: string[][] = [];
  for (const [at, one] of descriptions.entries()) rows.push(await toRow(nameOf(one), files[at] ?? ""));
  printTable(
    [
      "description",
      "MB",
      "operations",
      "with a page",
      "curl accepted",
      "bodies by example",
      "bodies made",
      "valid",
      "contradict themselves",
      "seconds",
    ],
    rows,
  );
  // The largest comes first.
  for (const each of ["--parse", "--extract"]) {
    const { stdout } = await run(process.execPath, [import.meta.filename, each, files[0] ?? ""]);
    process.stdout.write(stdout);
  }
}

async function toRow(name: string, path: string): Promise<string[]> {
  const bytes = new Uint8Array(await readFile(path));
  const text = new TextDecoder().decode(bytes);
  const start = performance.now();
  const { pages } = cutDescription({ root, base: root, files: new Map([[root, bytes]]) });
  const format = await formatOf(openApiPartType);
  const requests: string[] = [];
  for (const page of pages) {
    const result = extractPage({ path: page.key, mediaType: openApiPartType, bytes: page.bytes }, format);
    if (result.outcome === "skipped" || !isOfOperation(page.key)) continue;
    const request = result.passages
      .flatMap(({ blocks }) => blocks.flatMap((block) => (block.type === "code" ? block.codes : [])))
      .find(({ language, madeFrom }) => language === "bash" && madeFrom === page.url);
    if (request !== undefined) requests.push(request.code);
  }
  const seconds = (performance.now() - start) / 1000;
  const parts = pages.map((page) => JSON.parse(new TextDecoder().decode(page.bytes)) as Part);
  const operations = parts.filter((part): part is OperationPart => part.type === "operation");
  const { examples, made, valid, contradicted, unchecked } = checkBodies(text, operations);
  return [
    name,
    (bytes.length / 1e6).toFixed(1),
    String(countOperations(JSON.parse(text))),
    String(requests.length),
    String(countAccepted(requests)),
    String(examples),
    `${made}${unchecked > 0 ? ` (${unchecked} unchecked)` : ""}`,
    made === unchecked ? "-" : `${((valid / (made - unchecked)) * 100).toFixed(1)} %`,
    String(contradicted),
    seconds.toFixed(1),
  ];
}

function isOfOperation(key: string): boolean {
  return /#\/(?:paths|webhooks|x-webhooks)\//.test(key);
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

/** How many commands a shell accepts: with variables set, each calls curl once, with an address among its words. */
function countAccepted(commands: readonly string[]): number {
  const names = commands.flatMap((command) =>
    [...command.matchAll(/\$\{?([A-Z_]\w*)/g)].map(([, name = ""]) => [name, "https://x.example/"] as const),
  );
  const calls = curlArguments(commands, Object.fromEntries(names));
  return calls.filter((words) => words.some((word) => /^https?:\/\//.test(word))).length;
}

/** Time and peak memory of this process with one file: parsed only, or cut and extracted from. */
async function measureHere(what: string, path: string): Promise<void> {
  const bytes = new Uint8Array(await readFile(path));
  const start = performance.now();
  let made = "";
  if (what === "--parse") JSON.parse(new TextDecoder().decode(bytes));
  else {
    const { pages } = cutDescription({ root, base: root, files: new Map([[root, bytes]]) });
    const cut = (performance.now() - start) / 1000;
    const format = await formatOf(openApiPartType);
    for (const page of pages) extractPage({ path: page.key, mediaType: openApiPartType, bytes: page.bytes }, format);
    made = `, ${pages.length} pages, ${cut.toFixed(1)} s of it for cutting`;
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const processor = (process.cpuUsage().user / 1e6).toFixed(1);
  const memory = (await residentMegabytes(process.pid, "peak")).toFixed(0);
  console.log(
    `${what === "--parse" ? "JSON.parse alone" : "Cut and extracted"}: ${seconds} s, ${processor} s of the processor, ${memory} MB at most${made}`,
  );
}
