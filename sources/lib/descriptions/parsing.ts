import SwaggerParser from "@apidevtools/swagger-parser";
import {
  cutDescription,
  type CutDescription,
  type CutLimits,
  type DescriptionFiles,
  type PartPage,
} from "../../../extract/openapi/cut.ts";
import { findFileReferences, type FileReference, type ReferringFile } from "../../../extract/openapi/references.ts";
import { parseFile, versionOf } from "../../../extract/openapi/parse.ts";
import { toLimitFailure, type ThreadPool } from "../threads/thread-pool.ts";

/** Processing of a description on a thread, as it takes seconds for a large one. */
export interface DescriptionThread {
  /** The files that one of its files refers to. @throws Failure source_invalid */
  findReferences(file: ReferringFile): Promise<readonly FileReference[]>;
  /** Its defects, in sentences. They don't prevent reading it. */
  validate(files: DescriptionFiles): Promise<readonly string[]>;
  /** Its parts as pages. @throws Failure source_invalid, no_code_found, or library_too_large beyond the limits */
  cut(files: DescriptionFiles, warnings: readonly string[], limits: CutLimits): Promise<PackedDescription>;
}

/** A part of a description, whose bytes are copied on demand. */
export interface PackedPart extends Omit<PartPage, "bytes"> {
  /** Size in bytes. */
  readonly length: number;
  bytes(): Uint8Array;
}

/** A description that was cut on a thread. */
export interface PackedDescription extends Omit<CutDescription, "pages"> {
  readonly parts: readonly PackedPart[];
}

/** Maximum processor time of one task, in milliseconds: five times that of the largest known descriptions. */
const maxCpu = 90_000;
const maxValidationCpu = 30_000;

const module = new URL(import.meta.url);

/** Maximum number of findings that are listed, and maximum length of each in characters. */
const maxFindings = 20;
const maxFindingLength = 300;

/** Creates the processing on threads of a pool. */
export function createDescriptionThread(pool: ThreadPool, signal: AbortSignal): DescriptionThread {
  const run = async <Result>(name: string, input: unknown, root: string): Promise<Result> => {
    try {
      return await pool.run<unknown, Result>({ module, name }, input, { signal, maxCpu, group: signal });
    } catch (error) {
      throw toLimitFailure(error, root, " Split the description.") ?? error;
    }
  };
  return {
    findReferences: (file) => run("findReferences", file, file.name),
    async cut(files, warnings, limits) {
      const input = { files, warnings, limits };
      const { pages, buffer, ...description } = await run<Packed>("cutFiles", input, files.root);
      const all = new Uint8Array(buffer);
      let start = 0;
      const parts = pages.map(({ length, ...page }): PackedPart => {
        const from = start;
        start += length;
        return { ...page, length, bytes: () => all.slice(from, from + length) };
      });
      return { ...description, parts };
    },
    async validate({ root, base, files }) {
      // Only the submitted file is validated.
      const submittedOnly: DescriptionFiles = {
        root,
        base,
        files: new Map([...files].filter(([name]) => name === root)),
      };
      const limits = { signal, maxCpu: maxValidationCpu, group: signal };
      try {
        return await pool.run({ module, name: "validateFiles" }, submittedOnly, limits);
      } catch (error) {
        if (toLimitFailure(error, root) === undefined) throw error;
        return [`${root} was not validated: it is too large, or its references are nested too deeply.`];
      }
    },
  };
}

interface CutInput {
  readonly files: DescriptionFiles;
  readonly warnings: readonly string[];
  readonly limits: CutLimits;
}

/** A cut description with the bytes of all its pages in one shared buffer, so that nothing is copied between threads. */
interface Packed extends Omit<CutDescription, "pages"> {
  readonly pages: readonly (Omit<PartPage, "bytes"> & { readonly length: number })[];
  readonly buffer: SharedArrayBuffer;
}

/** Finds the files that a file refers to. */
export const findReferences = findFileReferences;

/** Cuts a description. */
export function cutFiles({ files, warnings, limits }: CutInput): Packed {
  const { pages, ...description } = cutDescription(files, warnings, limits);
  const buffer = new SharedArrayBuffer(pages.reduce((sum, { bytes }) => sum + bytes.length, 0));
  const all = new Uint8Array(buffer);
  let start = 0;
  const packed = pages.map(({ bytes, ...page }) => {
    all.set(bytes, start);
    start += bytes.length;
    return { ...page, length: bytes.length };
  });
  return { ...description, pages: packed, buffer };
}

/**
 * Validates a description against the schema of its version with swagger-parser, which supports versions up to 3.1 with paths or
 * webhooks; others have no findings. It fetches nothing and leaves references to other files as they are.
 */
export async function validateFiles({ root, files }: DescriptionFiles): Promise<readonly string[]> {
  const bytes = files.get(root);
  const value = bytes && (parseFile(bytes, root) as { readonly paths?: unknown; readonly webhooks?: unknown });
  const version = versionOf(value, root);
  if (value === undefined || version === "3.2") return [];
  if (value.paths === undefined && (version !== "3.1" || value.webhooks === undefined)) return [];
  try {
    // swagger-parser changes its input.
    await SwaggerParser.validate("description.json", value as never, { resolve: { external: false } });
    return [];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return findingsOf(error, `${root} is not valid OpenAPI ${version}`);
  }
}

/** A sentence for each invalid place. Of nested places only the innermost has one, as it makes the outer ones invalid. */
function findingsOf(error: Error, what: string): readonly string[] {
  const details = "details" in error && Array.isArray(error.details) ? (error.details as readonly unknown[]) : [];
  const places = new Map<string, Set<string>>();
  for (const detail of details) {
    const { instancePath, message } = detail as { instancePath?: unknown; message?: unknown };
    if (typeof instancePath !== "string" || typeof message !== "string") continue;
    const messages = places.get(instancePath) ?? new Set();
    places.set(instancePath, messages.add(message));
  }
  const outer = outerPlaces(places.keys());
  const findings = [...places].filter(([place]) => !outer.has(place));
  if (findings.length === 0) {
    const [first = ""] = error.message.split("\n");
    return [`${what}: ${first.replace(/\.$/, "").slice(0, maxFindingLength)}.`];
  }
  const more = findings.length - maxFindings;
  return [
    ...findings
      .slice(0, maxFindings)
      .map(
        ([place, messages]) => `${what} at ${`#${place}: ${[...messages].join(", or ")}`.slice(0, maxFindingLength)}.`,
      ),
    ...(more > 0 ? [`${what} at ${more} more ${more === 1 ? "place" : "places"}.`] : []),
  ];
}

/** Every place that contains another one. */
function outerPlaces(places: Iterable<string>): ReadonlySet<string> {
  const outer = new Set<string>();
  for (const place of places)
    for (let end = place.lastIndexOf("/"); end >= 0; end = place.lastIndexOf("/", end - 1)) {
      const above = place.slice(0, end);
      if (outer.has(above)) break;
      outer.add(above);
    }
  return outer;
}
