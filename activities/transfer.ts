import { randomBytes } from "node:crypto";
import { Failure } from "../domain/failures.ts";
import { oneLine } from "../domain/one-line.ts";
import { toPassage, codesOf, isReleased } from "../domain/passage.ts";
import type { SnippetLine, Passage, Releases } from "../domain/passage.ts";
import type { BlobStore, LibraryRecord, Screen } from "../domain/ports.ts";
import type { Manifest } from "../domain/generation.ts";
import { uploadKey, uploadPrefix } from "../domain/submitting.ts";
import { failingPages, hashContent, createSnippetsHash } from "./content-hash.ts";
import { screenedPage } from "./collect-page.ts";
import { describeLibrary } from "./describe-library.ts";
import { exportable, readExport, signLines, writeUpload } from "./export-format.ts";
import { judgeLines, unjudgedNotes } from "./findings.ts";
import { kindOf } from "../domain/kinds/index.ts";
import { createFinisher } from "../extract/finish.ts";
import { countFindings, packFingerprints } from "../extract/fingerprints.ts";
import type { PassageFingerprint } from "../extract/fingerprints.ts";
import { beforeFinishing, screenedAgain, toLine, flagLines, toPageLines } from "../extract/passage-lines.ts";
import {
  createPartWriter,
  generationPrefix,
  manifestFormat,
  manifestOf,
  readPartLines,
  writeManifest,
} from "./parts.ts";
import type { Signer } from "./export-signature.ts";
import { isPlainClaim } from "../sources/lib/tree/manifests.ts";
import { plainUnread } from "../sources/lib/tree/unread-documentation.ts";
import { isCommanding } from "../extract/screened-texts.ts";
import { uploadedFile } from "./collect.ts";

/**
 * A generation as lines of NDJSON: its manifest, the uploaded file that the library is read from, if there is one, the passages as they
 * stand in the parts, and a signature if there is a signer. `owner` is the library now: it may have been renamed since the manifest was
 * written.
 */
export async function* exportGeneration(
  blobs: BlobStore,
  generation: string,
  owner?: Pick<LibraryRecord, "id" | "teamspace" | "source" | "upload">,
  signer?: Signer,
): AsyncGenerator<string> {
  const manifest = await manifestOf(blobs, generation);
  const { id, teamspace, source } = owner ?? { ...manifest.library, source: manifest.source };
  const lines = linesOf(blobs, { ...manifest, library: { teamspace, id }, source }, owner?.upload ?? null);
  for await (const line of signer ? signLines(lines, signer) : lines) yield exportable(line);
}

async function* linesOf(blobs: BlobStore, manifest: Manifest, upload: string | null): AsyncGenerator<string> {
  yield JSON.stringify(manifest);
  if (upload !== null) yield writeUpload(await uploadedFile(blobs, upload, manifest.library.id));
  for (const part of manifest.parts) yield* await readPartLines(blobs, part);
}

/** An export that was imported. */
export interface Imported {
  readonly manifest: Manifest;
  /** The public key that it is signed with; undefined where it is not signed. */
  readonly signedBy: string | undefined;
  /** Id of the uploaded file that the library is read from; null: there is none. */
  readonly upload: string | null;
}

/** The releases of the library that an export is of, if this instance has it. */
type ReleasesOf = (manifest: Manifest) => Promise<Releases>;

/** How the passages of an import are judged. */
export interface ImportRules {
  /** By default nothing is released. */
  readonly releasesOf?: ReleasesOf;
  /** Judges passages besides; absent: the built-in screen alone does. */
  readonly screen?: Screen | undefined;
}

/**
 * Imports exported lines as the generation `generation`, after checking every line, the counts, the content hash and the signature.
 * Everything is screened again: findings and releases in the file do not count.
 * @throws Failure validation_error where the lines are not a whole export; what was written by then is removed
 */
export async function importGeneration(
  blobs: BlobStore,
  lines: AsyncIterable<string>,
  generation: string,
  rules: ImportRules = {},
): Promise<Imported> {
  try {
    return await writeImported(blobs, lines, generation, rules);
  } catch (error) {
    await blobs.removeAll(generationPrefix(generation));
    await blobs.removeAll(uploadPrefix(generation));
    throw error;
  }
}

async function writeImported(
  blobs: BlobStore,
  lines: AsyncIterable<string>,
  generation: string,
  { releasesOf = async () => ({}), screen }: ImportRules,
): Promise<Imported> {
  const { manifest, signedBy, file, passages } = await readExport(lines);
  // An id of its own: the export may be of a library that this server has.
  if (file !== undefined) await blobs.put(uploadKey(generation), file);
  const releases = await releasesOf(manifest);
  const writer = createPartWriter(blobs, generation, randomBytes(4).toString("hex"));
  const { order } = kindOf(manifest.source);
  // The first two compute the hash that the exporting instance has written.
  const theirs = createFinisher({ order });
  const theirSnippets = createSnippetsHash(order);
  const ours = createFinisher({ order, isReleased: (key) => isReleased(releases, key) });
  const known = new Map(manifest.pages.map((page) => [page.url, page]));
  let taken = 0;
  let unjudged = 0;
  for await (const { path, lines: read } of inPages(passages)) {
    taken += read.length;
    const all = read.map(toPassage);
    const url = all[0]?.page.url ?? "";
    const { title = "", generated = false } = known.get(url) ?? {};
    const page = { path, title, languages: languagesOf(all), ...(generated && { generated }) };
    for (const line of read) if (!("blocks" in line)) theirSnippets.add(path, line);
    theirs.take(page, packFingerprints(all.map(fingerprintOf)));
    const screened = toPageLines(all.map((passage) => toLine(screenedAgain(inLines(beforeFinishing(passage))))));
    const judged = screen ? await judgeLines(screen, screened, new AbortController().signal) : screened;
    unjudged += judged ? 0 : 1;
    const { lines: own, fingerprints } = judged ?? screened;
    const flags = ours.take(page, fingerprints);
    await writer.write(
      { path, url, outcome: "indexed" },
      flagLines(own, flags),
      read.length,
      countFindings(fingerprints),
    );
  }
  const { parts } = await writer.close();
  const failing = failingPages(manifest.pages);
  const said = manifest.format === 1 ? theirSnippets.finish(manifest.language) : theirs.finish().contentHash;
  if (hashContent(said, { ...manifest, failing }) !== manifest.contentHash) {
    const message = `The ${taken} passages in the file do not match the manifest's checksum. Export the library again.`;
    throw new Failure("validation_error", message);
  }
  const { contentHash, counts, folds, released, held } = ours.finish();
  const {
    released: _released,
    held: _held,
    folds: _folds,
    notes: _notes,
    unread: toldUnread,
    claims: claimed = [],
    ...rest
  } = manifest;
  const claims = claimed.filter(isPlainClaim);
  const unread = toldUnread && plainUnread(toldUnread);
  const described = describedAgain(manifest);
  const notes = [...(described.notes ?? []), ...unjudgedNotes(unjudged)];
  const own: Manifest = {
    ...rest,
    format: manifestFormat,
    ...described,
    ...(notes.length > 0 && { notes }),
    contentHash: hashContent(contentHash, {
      ...manifest,
      settings: harmless(manifest.settings),
      claims,
      failing,
      released,
      held,
    }),
    counts: { ...manifest.counts, ...counts },
    generation,
    ...(claims.length > 0 && { claims }),
    parts,
    // Their place is in parts of another generation. Without a key the next refresh reads all of them.
    pages: manifest.pages.map(({ key: _key, place: _place, includes: _includes, ...page }) => screenedPage(page)),
    ...(folds.length > 0 && { folds }),
    ...(released.length > 0 && { released }),
    ...(held !== undefined && { held }),
    ...(unread && { unread }),
  };
  await writeManifest(blobs, own);
  return { manifest: own, signedBy, upload: file === undefined ? null : generation };
}

type Line = Passage | SnippetLine;

/** The lines of each page together. */
async function* inPages(
  lines: AsyncIterable<Line>,
): AsyncGenerator<{ readonly path: string; readonly lines: readonly Line[] }> {
  let path = "";
  let page: Line[] = [];
  for await (const line of lines) {
    const next = line.source.path ?? line.page.url;
    if (page.length > 0 && next !== path) {
      yield { path, lines: page };
      page = [];
    }
    path = next;
    page.push(line);
  }
  if (page.length > 0) yield { path, lines: page };
}

/** The mark of a passage in the finishing pass of the exporting instance. */
function fingerprintOf(passage: Passage): PassageFingerprint {
  const releaseKey = passage.flags?.includes("quarantined") === true ? "-".repeat(22) : "";
  return { ...toLine(beforeFinishing(passage)), releaseKey };
}

function inLines(passage: Passage): Passage {
  const { title, breadcrumb, blocks, page } = passage;
  return {
    ...passage,
    title: oneLine(title),
    breadcrumb: breadcrumb.map(oneLine),
    blocks: blocks.map((block) =>
      block.type === "prose"
        ? block
        : { ...block, title: oneLine(block.title), description: oneLine(block.description) },
    ),
    page: { ...page, title: oneLine(page.title) },
  };
}

/** Title, description and settings of a library, without injected instructions. */
function describedAgain(
  manifest: Manifest,
): Pick<Manifest, "title" | "description" | "notes"> & Pick<Manifest, "settings"> {
  const { title, description, source, library } = manifest;
  const named = { spec: source, title: library.id, description: "" };
  const settings = harmless(manifest.settings);
  return {
    ...describeLibrary(named, { title: "", description: "", hasOwnReadme: false }, { title, description }),
    ...(settings && { settings }),
  };
}

function harmless(settings: Manifest["settings"]): Manifest["settings"] {
  if (settings?.rules === undefined) return settings;
  const { rules, ...rest } = settings;
  const kept = rules.filter((rule) => !isCommanding(rule, true));
  return kept.length === 0 ? rest : { ...rest, rules: kept };
}

function languagesOf(passages: readonly Passage[]): Record<string, number> {
  const languages: Record<string, number> = {};
  for (const { language } of passages.flatMap(codesOf)) languages[language] = (languages[language] ?? 0) + 1;
  return languages;
}
