import { randomBytes } from "node:crypto";
import { Failure } from "../domain/failures.ts";
import { oneLine } from "../domain/one-line.ts";
import { toPassage, codesOf, isReleased, type SnippetLine, type Passage, type Releases } from "../domain/passage.ts";
import type { BlobStore, LibraryRecord, Screen } from "../domain/ports.ts";
import type { Manifest } from "../domain/generation.ts";
import { uploadKey, uploadPrefix } from "../domain/submitting.ts";
import { failingPages, hashContent, createSnippetsHash } from "./content-hash.ts";
import { screenedPage } from "./collect-page.ts";
import { describeLibrary } from "./describe-library.ts";
import { exportable, readExport, signLines, writeUpload } from "./export-format.ts";
import { judgeLines, unjudgedNotes } from "./findings.ts";
import { kindOf } from "../domain/kinds/index.ts";
import { boilerplateNotes, edgesOf } from "../extract/boilerplate.ts";
import { countLanguages, createFinisher } from "../extract/finish.ts";
import { countFindings, packFingerprints, type PassageFingerprint } from "../extract/fingerprints.ts";
import { beforeFinishing, rescreened, toLine, flagLines, toPageLines } from "../extract/passage-lines.ts";
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
 * A generation as lines of NDJSON: the manifest, the uploaded file of the library, if any, the lines of the parts, and a signature if
 * `signer` is given. `owner` is the current library, which may have been renamed since the manifest was written.
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

/** An imported export. */
export interface Imported {
  readonly manifest: Manifest;
  /** The public key that it is signed with; undefined: not signed. */
  readonly signedBy: string | undefined;
  /** ID of the uploaded file, or null. */
  readonly upload: string | null;
}

/** The releases of the exported library, if this instance has it. */
type ReleasesOf = (manifest: Manifest) => Promise<Releases>;

/** How an import is screened. */
export interface ImportRules {
  readonly releasesOf?: ReleasesOf;
  /** A classifier that judges passages in addition to the built-in screen. */
  readonly screen?: Screen | undefined;
}

/**
 * Imports exported lines as the generation `generation`. It checks every line, the content hash and the signature, and screens everything
 * again: findings and releases in the file do not count.
 * @throws Failure validation_error if the lines are not a complete export; everything written is removed
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
  // Under a new ID: this server may have the exported library already.
  if (file !== undefined) await blobs.put(uploadKey(generation), file);
  const releases = await releasesOf(manifest);
  const writer = createPartWriter(blobs, generation, randomBytes(4).toString("hex"));
  const { order } = kindOf(manifest.source);
  // The first two compute the hash in the manifest.
  const theirs = createFinisher({ order });
  const theirSnippets = createSnippetsHash(order);
  const ours = createFinisher({ order, isReleased: (key) => isReleased(releases, key) });
  const known = new Map(manifest.pages.map((page) => [page.url, page]));
  let total = 0;
  let unjudged = 0;
  for await (const { path, lines: read } of inPages(passages)) {
    total += read.length;
    const all = read.map(toPassage);
    const url = all[0]?.page.url ?? "";
    const { title = "", generated = false } = known.get(url) ?? {};
    const page = {
      path,
      title,
      languages: countLanguages(path, all.flatMap(codesOf)),
      ...(generated && { generated }),
    };
    for (const line of read) if (!("blocks" in line)) theirSnippets.add(path, line);
    theirs.take(page, packFingerprints(all.map(fingerprintOf)));
    const screened = toPageLines(all.map((passage) => toLine(rescreened(inLines(beforeFinishing(passage))))));
    const judged = screen ? await judgeLines(screen, screened, new AbortController().signal) : screened;
    unjudged += judged ? 0 : 1;
    const { lines: imported, fingerprints } = judged ?? screened;
    const flags = ours.take(page, fingerprints, edgesOf(manifest.source, all).edges);
    await writer.write(
      { path, url, outcome: "indexed" },
      flagLines(imported, flags),
      read.length,
      countFindings(fingerprints),
    );
  }
  const { parts } = await writer.close();
  const failing = failingPages(manifest.pages);
  const passagesHash = manifest.format === 1 ? theirSnippets.finish(manifest.language) : theirs.finish().contentHash;
  if (hashContent(passagesHash, { ...manifest, failing }) !== manifest.contentHash) {
    const message = `The ${total} passages in the file do not match the manifest's checksum. Export the library again.`;
    throw new Failure("validation_error", message);
  }
  const { contentHash, counts, folds, cuts, released, held } = ours.finish();
  const {
    released: _released,
    held: _held,
    folds: _folds,
    cuts: _cuts,
    notes: _notes,
    unread: exportedUnread,
    claims: claimed = [],
    ...rest
  } = manifest;
  const claims = claimed.filter(isPlainClaim);
  const unread = exportedUnread && plainUnread(exportedUnread);
  const described = describedAgain(manifest);
  const notes = [...(described.notes ?? []), ...unjudgedNotes(unjudged), ...boilerplateNotes(cuts)];
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
    counts: { ...manifest.counts, ...counts, ...(unread?.isMost && { isPartial: unread.isMost }) },
    generation,
    ...(claims.length > 0 && { claims }),
    parts,
    // Places refer to parts of another generation. Without keys the next refresh reads all pages.
    pages: manifest.pages.map(({ key: _key, place: _place, includes: _includes, ...page }) => screenedPage(page)),
    ...(folds.length > 0 && { folds }),
    ...(cuts.length > 0 && { cuts }),
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

/** The fingerprint of a passage as the exporting instance computed it. */
function fingerprintOf(passage: Passage): PassageFingerprint {
  const releaseKey = passage.flags?.includes("quarantined") === true ? "-".repeat(22) : "";
  return { ...toLine(beforeFinishing(passage)), releaseKey };
}

/** A passage with titles on one line each, as the extraction makes them. */
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
function describedAgain(manifest: Manifest): Pick<Manifest, "title" | "description" | "notes" | "settings"> {
  const { title, description, source, library } = manifest;
  const named = { spec: source, title: library.id, description: "" };
  const settings = harmless(manifest.settings);
  return {
    ...describeLibrary(named, { title: "", description: "", hasOwnReadme: false }, { title, description }),
    ...(settings && { settings }),
  };
}

/** Settings without rules that look like orders to agents. */
function harmless(settings: Manifest["settings"]): Manifest["settings"] {
  if (settings?.rules === undefined) return settings;
  const { rules, ...rest } = settings;
  const kept = rules.filter((rule) => !isCommanding(rule, true));
  return kept.length === 0 ? rest : { ...rest, rules: kept };
}
