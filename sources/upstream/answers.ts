import { Failure } from "../../domain/failures.ts";
import { parseLibraryId } from "../../domain/library.ts";
import { oneLine } from "../../domain/one-line.ts";
import { estimateTokens } from "../../domain/tokens.ts";
import type { UpstreamAnswer, UpstreamContext, UpstreamFound, UpstreamLibrary } from "../../domain/upstream.ts";
import { screen, screenText } from "../../extract/screen/index.ts";
import { blocksOf, example } from "./blocks.ts";

/** Between the items of the text form. */
const separator = /\n{2}-{32}\n{2}/;

/** What is read of an answer at most: libraries, versions of each, items, and characters of a name, of a description, and of a note. */
const most = { libraries: 30, versions: 100, items: 200, notes: 10, name: 200, description: 1000, note: 1000 };

/**
 * What a server of this API writes above the rules that its administrators or a library have. Those of the upstream are not ours, and
 * nothing may pass for ours.
 */
const feigned =
  /^(?:Rules for .{1,600}, set by the administrators of this server:|What \S{1,600} advises about itself\.)/m;

/** An answer as it came, and what is wanted of it. */
export interface ReceivedAnswer {
  readonly text: string;
  readonly type: "txt" | "json";
  /** Budget of the whole answer, in tokens, and of items. */
  readonly tokens: number;
  readonly limit: number;
}

/**
 * Reads an answer to a question: items that read like orders to agents are withheld, and so is what the budget has no room for.
 * @throws Failure source_invalid
 */
export function readAnswer({ text, type, tokens, limit }: ReceivedAnswer): UpstreamAnswer {
  return type === "json" ? readContext(text, tokens, limit) : readText(text, tokens, limit);
}

/** Reads what a search has found. Libraries without a sound ID, or that cannot be read yet, are left out. @throws Failure source_invalid */
export function readFound({ text }: { readonly text: string }): UpstreamFound {
  const { results, searchFilterApplied } = parseObject(text);
  if (!Array.isArray(results)) throw invalid("has no list of results");
  const libraries = results.slice(0, most.libraries).flatMap((one: unknown) => readLibrary(one) ?? []);
  return { libraries, filtered: searchFilterApplied === true };
}

/** The ID that an answer 301 names, with its version; undefined where it names none. */
export function readRedirect(text: string): { readonly id: string; readonly version: string } | undefined {
  const { redirectUrl } = parseObject(text);
  return typeof redirectUrl === "string" ? soundId(redirectUrl) : undefined;
}

/** The code of an error body; "" where there is none. */
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
    (item) => !feigned.test(item) && screen({ title: "", breadcrumb: [], blocks: blocksOf(item) }).length === 0,
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
      !feigned.test(content) &&
      screen({ title: "", breadcrumb: [breadcrumb], blocks: blocksOf(content) }, pageId).length === 0,
  );
  const kept = within<(typeof soundCodes)[0] | (typeof soundInfos)[0]>(
    [...soundCodes, ...soundInfos],
    tokens,
    limit,
    (one) => ("codeList" in one ? one.codeTokens : one.contentTokens),
  );
  const told = list(notes)
    .slice(0, most.notes)
    .flatMap((note) => (typeof note === "string" ? [oneLine(note).slice(0, most.note)] : []));
  const body: UpstreamContext = {
    codeSnippets: kept.flatMap((one) => ("codeList" in one ? [one] : [])),
    infoSnippets: kept.flatMap((one) => ("codeList" in one ? [] : [one])),
    notes: told.filter((note) => screenText(note).length === 0),
  };
  return { body, withheld: codes.length + infos.length - soundCodes.length - soundInfos.length };
}

function readCodeSnippet(snippet: unknown): UpstreamContext["codeSnippets"][0] {
  const { codeTitle, codeDescription, codeLanguage, codeId, pageTitle, codeList } = toObject(snippet);
  if (!Array.isArray(codeList)) throw invalid("has a snippet without code");
  const codes = codeList.map((one: unknown) => {
    const { language, code } = toObject(one);
    if (typeof code !== "string") throw invalid("has code that is no text");
    return { language: name(language), code: plain(code) };
  });
  const description = textOf(codeDescription);
  return {
    codeTitle: name(codeTitle),
    codeDescription: description,
    codeLanguage: name(codeLanguage),
    // Counted here: what a model reads is not for the upstream to say.
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

/** States of a library that has something to read; one that tells none has. */
const readable: ReadonlySet<unknown> = new Set(["finalized", undefined]);

function readLibrary(one: unknown): UpstreamLibrary | undefined {
  if (typeof one !== "object" || one === null) return undefined;
  const told = toObject(one);
  const sound = typeof told["id"] === "string" ? soundId(told["id"]) : undefined;
  if (!sound || sound.version !== "" || !readable.has(told["state"])) return undefined;
  const { id } = sound;
  const date = Date.parse(textOf(told["lastUpdateDate"]));
  const title = name(told["title"]);
  const description = oneLine(textOf(told["description"])).slice(0, most.description);
  const stars = whole(told["stars"], Number.MAX_SAFE_INTEGER);
  const trustScore = whole(told["trustScore"], 10);
  const branch = name(told["branch"]);
  const versions = list(told["versions"]).flatMap((version) => (typeof version === "string" ? [name(version)] : []));
  return {
    id,
    title: title === "" || screenText(title).length > 0 ? id : title,
    description: screenText(description).length > 0 ? "" : description,
    branch: screenText(branch).length > 0 ? "" : branch,
    ...(!Number.isNaN(date) && { lastUpdateDate: new Date(date).toISOString() }),
    totalTokens: whole(told["totalTokens"], Number.MAX_SAFE_INTEGER) ?? -1,
    totalSnippets: whole(told["totalSnippets"], Number.MAX_SAFE_INTEGER) ?? -1,
    ...(stars !== undefined && { stars }),
    ...(trustScore !== undefined && { trustScore }),
    versions: versions.filter((version) => version !== "" && screenText(version).length === 0).slice(0, most.versions),
  };
}

/** An ID that can be asked for here; undefined for anything else, such as an address. */
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

/** The first items that the budget has room for, one at least. */
function within<T>(items: readonly T[], tokens: number, limit: number, cost: (item: T) => number): readonly T[] {
  let left = tokens;
  const end = items.findIndex((item, at) => at >= limit || ((left -= cost(item)) < 0 && at > 0));
  return end === -1 ? items : items.slice(0, end);
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw invalid("is no JSON", cause);
  }
  return toObject(parsed);
}

function toObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalid("has something else than an object");
  return value as Readonly<Record<string, unknown>>;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? plain(value) : "";
}

function name(value: unknown): string {
  return oneLine(textOf(value)).slice(0, most.name);
}

/** An address of the web, or a place without a scheme; "" for anything else, such as a script. */
function address(value: unknown): string {
  const text = oneLine(textOf(value)).slice(0, 2000);
  return /^[a-z][a-z\d+.-]*:/i.test(text) && !/^https?:\/\//i.test(text) ? "" : text;
}

function whole(value: unknown, largest: number): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= largest ? value : undefined;
}

/** Text without the control characters that terminals obey. */
function plain(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(/[^\P{Cc}\n\t]/gu, "");
}

function invalid(what: string, cause?: unknown): Failure {
  return new Failure("source_invalid", `The answer of the upstream ${what}.`, cause === undefined ? {} : { cause });
}
