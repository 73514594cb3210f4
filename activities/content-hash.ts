import { createHash, hash, type Hash } from "node:crypto";
import type { Manifest, ManifestPage } from "../domain/generation.ts";
import type { SnippetLine } from "../domain/passage.ts";

/** The facts, besides passages, that the content hash covers. */
export interface HashedFacts extends Pick<Manifest, "claims" | "licences" | "repository"> {
  readonly settings?: Manifest["settings"] | undefined;
  /** The result of `failingPages`. */
  readonly failing?: readonly string[];
  readonly released?: readonly string[] | undefined;
  readonly held?: string | undefined;
}

/** The content hash of a generation, from the hash of its passages. A change of any of the other facts alone is a change too. */
export function hashContent(
  passages: string,
  { settings, claims = [], licences = [], repository, failing = [], released = [], held }: HashedFacts,
): string {
  const listed = claims.length + licences.length + failing.length + released.length;
  if (settings === undefined && repository === undefined && held === undefined && listed === 0) return passages;
  const { title, description, rules, versions } = settings ?? {};
  const offered = versions?.map(({ ref, kind, title: name }) => [ref, kind, name]);
  const facts = [
    title,
    description,
    rules,
    offered,
    ...(failing.length > 0 ? [failing.toSorted()] : []),
    ...(released.length > 0 ? [{ released }] : []),
    ...(claims.length > 0
      ? [{ claims: claims.map(({ name, manifest, description = [] }) => [name, manifest].concat(description)) }]
      : []),
    ...(licences.length > 0 ? [{ licences }] : []),
    ...(held === undefined ? [] : [{ held }]),
    ...(repository ? [{ repository: [repository.url, repository.isConfirmed] }] : []),
  ];
  return createHash("sha256").update(passages).update(JSON.stringify(facts)).digest("hex");
}

/** Failing pages that keep passages, with the number of failures, so that a further failure is a change and gets counted. */
export function failingPages(pages: Iterable<Pick<ManifestPage, "path" | "failures">>): readonly string[] {
  return Array.from(pages).flatMap(({ path, failures }) => (failures === undefined ? [] : [`${path} ${failures}`]));
}

/** The content hash over lines of export format 1. */
interface SnippetsHash {
  add(path: string, snippet: SnippetLine): void;
  /** The hash, hex. `language` is the manifest's. */
  finish(language: string): string;
}

/** Creates a hash; `order` is that of the kind of source. */
export function createSnippetsHash(order: "source" | "key"): SnippetsHash {
  const all = createHash("sha256");
  const pages = new Map<string, Hash>();
  return {
    add(path, snippet) {
      const into = order === "source" ? all : (pages.get(path) ?? createHash("sha256"));
      pages.set(path, into);
      into.update(digestOf(snippet));
      if (order === "source" && snippet.flags?.includes("duplicate") === true) into.update("duplicate");
    },
    finish(language) {
      if (order === "key") {
        const sorted = [...pages].toSorted(([one], [other]) => (one < other ? -1 : 1));
        for (const [path, page] of sorted) all.update(`${path}\0${page.digest("hex")}\n`);
      }
      return all.update(language).digest("hex");
    },
  };
}

function digestOf({
  kind,
  id,
  title,
  description,
  breadcrumb,
  codes,
  content,
  tokens,
  page,
  source,
}: SnippetLine): string {
  // The place of included code counts, its revision does not.
  const plain = codes.map(({ sources, ...code }) =>
    sources === undefined ? code : { ...code, sources: sources.map(({ path, lines }) => ({ path, lines })) },
  );
  // The hash depends on this order.
  const served = JSON.stringify({ kind, id, title, description, breadcrumb, codes: plain, content, tokens });
  const parts = [served, page.title, source.path ?? source.url, ...(source.lines ?? []).map(String)];
  return hash("sha256", parts.join("\0"), "base64url").slice(0, 22);
}
