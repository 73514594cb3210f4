import { Failure } from "../../domain/failures.ts";
import { parseLibraryId } from "../../domain/library.ts";
import { oneLine } from "../../domain/one-line.ts";
import { estimateTokens } from "../../domain/tokens.ts";
import type { UpstreamAnswer, UpstreamContext, UpstreamFound, UpstreamLibrary } from "../../domain/upstream.ts";
import { screen, screenText } from "../../extract/screen/index.ts";
import { isObject, jsonOf, objectOf, type Json } from "../../extract/json.ts";
import { closesFence, readFenceLine } from "../../extract/markdown/fences.ts";
import { arrayOf } from "../lib/fetch/json.ts";
import type { ExtractedBlock } from "../../extract/page.ts";

/** Separates the items of the text form. */
const separator = /\n{2}-{32}\n{2}/;

/** Maximum numbers of libraries, versions of each, items and notes; maximum characters of a name, description and note. */
const most = { libraries: 30, versions: 100, items: 200, notes: 10, name: 200, description: 1000, note: 1000 };

/**
 * The headings that a server of this API writes above rules of its administrators or of a library. Rules of the upstream must not look like
 * those of this server.
 */
const rulesHeading =
  /^(?:Rules for .{1,600}, set by the administrators of this server:|What \S{1,600} advises about itself\.)/m;

/** An answer, and limits for the part of it that is kept. */
export interface ReceivedAnswer {
  readonly text: string;
  readonly type: "txt" | "json";
  /** Maximum number of tokens, and of items. */
  readonly tokens: number;
  readonly limit: number;
}

/**
 * Reads an answer to a question within the limits, without items that read like instructions to agents.
 * @throws Failure source_invalid
 */
export function readAnswer({ text, type, tokens, limit }: ReceivedAnswer): UpstreamAnswer {
  return type === "json" ? readContext(text, tokens, limit) : readText(text, tokens, limit);
}

/** Reads the results of a search, without libraries that have an invalid ID or cannot be read yet. @throws Failure source_invalid */
export function readFound({ text }: { readonly text: string }): UpstreamFound {
  const { results, searchFilterApplied } = parseObject(text);
  if (!Array.isArray(results)) throw invalid("has no list of results");
  const libraries = results.slice(0, most.libraries).flatMap((one: unknown) => readLibrary(one) ?? []);
  return { libraries, filtered: searchFilterApplied === true };
}

/** The library ID and version in an answer 301; undefined without one. */
export function readRedirect(text: string): { readonly id: string; readonly version: string } | undefined {
  const { redirectUrl } = parseObject(text);
  return typeof redirectUrl === "string" ? soundId(redirectUrl) : undefined;
}

/** The code in an error body; "" without one. */
export function readCode(text: string): string {
  const { error } = parseObject(text);
  return typeof error === "string" ? error : "";
}

function readText(text: string, tokens: number, limit: number): UpstreamAnswer {
  const items = plain(text)
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== "")
    .slice(0, most.items);
  const sound = items.filter(
    (item) => !rulesHeading.test(item) && screen({ title: "", breadcrumb: [], blocks: blocksOf(item) }).length === 0,
  );
  return { body: within(sound, tokens, limit, estimateTokens), withheld: items.length - sound.length };
}

function readContext(text: string, tokens: number, limit: number): UpstreamAnswer {
  const { codeSnippets, infoSnippets, notes } = parseObject(text);
  if (!Array.isArray(codeSnippets) || !Array.isArray(infoSnippets)) throw invalid("has no lists of snippets");
  const codes = codeSnippets.slice(0, most.items).map(readCodeSnippet);
  const infos = infoSnippets.slice(0, most.items).map(readInfoSnippet);
  const soundCodes = codes.filter(
    ({ codeTitle, codeDescription, pageTitle, codeId, codeList }) =>
      screen(
        {
          title: codeTitle,
          breadcrumb: [],
          blocks: [example(codeDescription, codeList)],
          page: { title: pageTitle },
        },
        codeId,
      ).length === 0,
  );
  const soundInfos = infos.filter(
    ({ breadcrumb, content, pageId }) =>
      !rulesHeading.test(content) &&
      screen({ title: "", breadcrumb: [breadcrumb], blocks: blocksOf(content) }, pageId).length === 0,
  );
  const kept = within<(typeof soundCodes)[0] | (typeof soundInfos)[0]>(
    [...soundCodes, ...soundInfos],
    tokens,
    limit,
    (one) => ("codeList" in one ? one.codeTokens : one.contentTokens),
  );
  const texts = (arrayOf(notes) ?? [])
    .slice(0, most.notes)
    .flatMap((note) => (typeof note === "string" ? [oneLine(note).slice(0, most.note)] : []));
  const body: UpstreamContext = {
    codeSnippets: kept.flatMap((one) => ("codeList" in one ? [one] : [])),
    infoSnippets: kept.flatMap((one) => ("codeList" in one ? [] : [one])),
    notes: texts.filter((note) => screenText(note).length === 0),
  };
  return { body, withheld: codes.length + infos.length - soundCodes.length - soundInfos.length };
}

function readCodeSnippet(snippet: unknown): UpstreamContext["codeSnippets"][0] {
  const { codeTitle, codeDescription, codeLanguage, codeId, pageTitle, codeList } = toObject(snippet);
  if (!Array.isArray(codeList)) throw invalid("has a snippet without code");
  const codes = codeList.map((one: unknown) => {
    const { language, code } = toObject(one);
    if (typeof code !== "string") throw invalid("has code that is not a string");
    return { language: name(language), code: plain(code) };
  });
  const description = textOf(codeDescription);
  return {
    codeTitle: name(codeTitle),
    codeDescription: description,
    codeLanguage: name(codeLanguage),
    // Counted here, as the upstream's count is untrusted.
    codeTokens: estimateTokens([name(codeTitle), description, ...codes.map(({ code }) => code)].join("\n")),
    codeId: address(codeId),
    pageTitle: name(pageTitle),
    codeList: codes,
  };
}

function readInfoSnippet(snippet: unknown): UpstreamContext["infoSnippets"][0] {
  const { pageId, breadcrumb, content } = toObject(snippet);
  if (typeof content !== "string") throw invalid("has a snippet without content");
  const text = plain(content);
  return { pageId: address(pageId), breadcrumb: name(breadcrumb), content: text, contentTokens: estimateTokens(text) };
}

/** States of a library that can be read. The state may be absent. */
const readable: ReadonlySet<unknown> = new Set(["finalized", undefined]);

function readLibrary(one: unknown): UpstreamLibrary | undefined {
  const library = objectOf(one);
  const sound = typeof library["id"] === "string" ? soundId(library["id"]) : undefined;
  if (!sound || sound.version !== "" || !readable.has(library["state"])) return undefined;
  const { id } = sound;
  const date = Date.parse(textOf(library["lastUpdateDate"]));
  const title = name(library["title"]);
  const description = oneLine(textOf(library["description"])).slice(0, most.description);
  const stars = whole(library["stars"], Number.MAX_SAFE_INTEGER);
  const trustScore = whole(library["trustScore"], 10);
  const branch = name(library["branch"]);
  const versions = (arrayOf(library["versions"]) ?? []).flatMap((version) =>
    typeof version === "string" ? [name(version)] : [],
  );
  return {
    id,
    title: title === "" || screenText(title).length > 0 ? id : title,
    description: screenText(description).length > 0 ? "" : description,
    branch: screenText(branch).length > 0 ? "" : branch,
    ...(!Number.isNaN(date) && { lastUpdateDate: new Date(date).toISOString() }),
    totalTokens: whole(library["totalTokens"], Number.MAX_SAFE_INTEGER) ?? -1,
    totalSnippets: whole(library["totalSnippets"], Number.MAX_SAFE_INTEGER) ?? -1,
    ...(stars !== undefined && { stars }),
    ...(trustScore !== undefined && { trustScore }),
    versions: versions.filter((version) => version !== "" && screenText(version).length === 0).slice(0, most.versions),
  };
}

/** A valid library ID; undefined for anything else, such as an address. */
function soundId(text: string): { readonly id: string; readonly version: string } | undefined {
  try {
    const { id, version } = parseLibraryId(text);
    const isPlain = !`${id}${version}`.includes("*") && screenText(id.replaceAll("/", " ")).length === 0;
    return isPlain ? { id, version } : undefined;
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** The first items within the limits, at least one. */
function within<T>(items: readonly T[], tokens: number, limit: number, cost: (item: T) => number): readonly T[] {
  let left = tokens;
  const end = items.findIndex((item, at) => at >= limit || ((left -= cost(item)) < 0 && at > 0));
  return end === -1 ? items : items.slice(0, end);
}

function parseObject(text: string): Json {
  const parsed = jsonOf(text);
  if (parsed === undefined) throw invalid("is not JSON");
  return toObject(parsed);
}

function toObject(value: unknown): Json {
  if (!isObject(value)) throw invalid("has another value in place of an object");
  return value;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? plain(value) : "";
}

function name(value: unknown): string {
  return oneLine(textOf(value)).slice(0, most.name);
}

/** An http or https address, or text without a scheme; "" for any other scheme. */
function address(value: unknown): string {
  const text = oneLine(textOf(value)).slice(0, 2000);
  return /^[a-z][a-z\d+.-]*:/i.test(text) && !/^https?:\/\//i.test(text) ? "" : text;
}

function whole(value: unknown, largest: number): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= largest ? value : undefined;
}

/** Text without control characters, which terminals would interpret. */
function plain(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(/[^\P{Cc}\n\t]/gu, "");
}

function invalid(what: string): Failure {
  return new Failure("source_invalid", `The answer of the upstream ${what}.`);
}

/** The prose and code of Markdown for the screen, in which text in fences has less weight. */
function blocksOf(markdown: string): readonly ExtractedBlock[] {
  const blocks: ExtractedBlock[] = [];
  let lines: string[] = [];
  let open = "";
  let language = "";
  const end = (): void => {
    const text = lines.join("\n");
    lines = [];
    if (text.trim() === "") return;
    blocks.push(open === "" ? { type: "prose", markdown: text } : example("", [{ language, code: text }]));
  };
  for (const line of markdown.split("\n")) {
    const opened = open === "" && /^ {0,3}\S/.test(line) ? readFenceLine(line) : undefined;
    if (opened === undefined && (open === "" || !closesFence(line.trim(), open))) {
      lines.push(line);
      continue;
    }
    // The info string of a fence is screened too.
    if (opened) lines.push(opened.info);
    end();
    [open, language] = [opened?.marker ?? "", opened?.info.trim() ?? ""];
  }
  end();
  return blocks;
}

function example(
  description: string,
  codes: readonly { readonly language: string; readonly code: string }[],
): ExtractedBlock {
  return { type: "code", title: "", description, codes, lines: [1, 1] };
}
