import type * as z from "zod";
import { isSourceCode } from "../domain/addresses.ts";
import { showLibrary } from "../domain/library.ts";
import { registries } from "../domain/packages.ts";
import { versionsOf, type FoundLibrary } from "../domain/linked-packages.ts";
import type { ClaimedName } from "../domain/source.ts";
import type { CodeBlock, ExampleBlock, Passage } from "../domain/passage.ts";
import type { UpstreamLibrary } from "../domain/upstream.ts";
import { estimateTokens } from "../domain/tokens.ts";
import { splitPassage } from "../domain/snippets.ts";
import { headingsOf } from "../domain/markdown.ts";
import type { contextSchema, librarySchema } from "./schemas/reading.ts";

type Context = z.infer<typeof contextSchema>;
type Snippets = Pick<Context, "codeSnippets" | "infoSnippets">;

/** Maximum number of linked libraries in a description. */
const maxLinked = 3;

/** The JSON form of passages, best first: examples with the prose that explains them, and all other prose. */
export function renderJson(passages: readonly Passage[]): Snippets {
  const split = passages.map((passage) => ({ passage, ...splitPassage(passage) }));
  return {
    codeSnippets: split.flatMap(({ passage, examples }) =>
      examples.map(({ example, description }) => codeSnippet(passage, example, description)),
    ),
    infoSnippets: split.flatMap(({ passage, prose }) => (prose === "" ? [] : [infoSnippet(passage, prose)])),
  };
}

function codeSnippet(
  { title, page, source }: Passage,
  example: ExampleBlock,
  explanation: string,
): Context["codeSnippets"][0] {
  const codes = example.codes.map(toCode);
  const marks = example.codes.flatMap((code) => code.marks ?? []);
  const description = [explanation, marks.join(" ")].filter((text) => text !== "").join("\n\n");
  return {
    codeTitle: example.title || title,
    codeDescription: description,
    codeLanguage: codes[0]?.language ?? "",
    codeTokens: estimateTokens([example.title, description, ...codes.map(({ code }) => code)].join("\n")),
    codeId: example.url,
    pageTitle: page.title,
    codeList: codes,
    ...includedFrom(example, source.path),
  };
}

/** The file from which all code of an example is, if that is one file of sources: one that the page includes, or the page itself. */
function includedFrom(
  { codes }: ExampleBlock,
  page: string | undefined,
): Pick<Context["codeSnippets"][0], "isDynamic" | "sourceFile"> {
  const files = new Set(codes.flatMap(({ sources }) => (sources ?? [{ path: page }]).map(({ path }) => path)));
  const [sourceFile] = files;
  if (files.size !== 1 || sourceFile === undefined) return {};
  return sourceFile === page && !isSourceCode(page) ? {} : { isDynamic: true, sourceFile };
}

function toCode({
  language,
  code,
  file,
  label,
  sources,
  madeFrom,
}: CodeBlock): Context["codeSnippets"][0]["codeList"][0] {
  return {
    language,
    code,
    ...(file !== undefined && { file }),
    ...(label !== undefined && { label }),
    ...(sources && { sources: sources.map(({ url }) => url) }),
    ...(madeFrom !== undefined && { madeFrom }),
  };
}

function infoSnippet({ source, breadcrumb, page }: Passage, content: string): Context["infoSnippets"][0] {
  const headings = [page.title, ...headingsOf(breadcrumb, page.title)].filter((heading) => heading !== "");
  return { pageId: source.url, breadcrumb: headings.join(" > "), content, contentTokens: estimateTokens(content) };
}

/** A library of the upstream as an item of search results. */
export function renderUpstream(library: UpstreamLibrary, host: string): z.infer<typeof librarySchema> {
  return { ...library, state: "finalized", versions: [...library.versions], source: `upstream: ${host}` };
}

/** A library as an item of search results; `claim` is the package name by which it was found. */
export function renderLibrary(found: FoundLibrary, claim?: ClaimedName): z.infer<typeof librarySchema> {
  const { entry, asked, linked } = found;
  return {
    // The ID has the requested version; the answer says if another one is used instead.
    id: asked ? showLibrary(entry.id, found.package ? asked.wanted : asked.version) : entry.id,
    title: entry.title,
    description: [aboutPackage(found), entry.description].filter((text) => text !== "").join(" "),
    branch: entry.branch,
    lastUpdateDate: new Date(entry.updatedAt).toISOString(),
    state: "finalized",
    totalTokens: entry.totalTokens,
    totalSnippets: entry.totalSnippets,
    ...(entry.stars !== undefined && { stars: entry.stars }),
    ...(entry.trust !== null && { trustScore: Math.round(entry.trust) }),
    versions: versionsOf(entry, found.package !== undefined).filter((version) => version !== ""),
    ...(claim && { package: { name: claim.name, manifest: claim.manifest } }),
    ...(found.package && { registry: { kind: found.package.registry, url: found.package.url } }),
    ...(linked.length > 0 && {
      linked: linked.map(({ libraryId, relation, isConfirmed }) => ({ libraryId, relation, isConfirmed })),
    }),
    ...(asked && { answering: { version: asked.version, isAsked: asked.isAsked } }),
    source: entry.source,
  };
}

/** Sentences on a package and its links, for an agent that chooses a library; "" for none. */
function aboutPackage({ package: own, linked, asked }: FoundLibrary): string {
  const ids = linked.map(({ libraryId }) => libraryId);
  const listed = ids.slice(0, maxLinked).join(", ");
  if (!own) return ids.length === 0 ? "" : `The repository of the package ${listed}.`;
  const where = linked.some((one) => one.isConfirmed) ? "its repository is" : "it names as its repository";
  const version =
    asked && !asked.isAsked
      ? ` Version ${asked.wanted} is not indexed; the nearest that is: ${asked.version}.`
      : asked && asked.wanted !== asked.version
        ? ` "${asked.wanted}" stands for ${asked.version}.`
        : "";
  return `The ${registries[own.registry].label} package ${own.name}${listed === "" ? "" : `; ${where} ${listed}`}.${version}`;
}
