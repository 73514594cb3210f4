import { Failure } from "../../domain/failures.ts";

/** A file of an archive, or a link in it. */
export interface ArchiveEntry {
  readonly path: string;
  readonly type: "file" | "link" | "other";
  /** What it unpacks to, as the archive says. */
  readonly size: number;
}

/** A file with its bytes; null where it was not wanted or has more than were asked for. */
export interface ArchiveFile extends ArchiveEntry {
  readonly bytes: Buffer | null;
}

/** How an archive is read. */
export interface ArchiveRules {
  /** Whether the bytes of an entry are wanted. @throws Failure for an entry for which the archive is refused */
  wanted(entry: ArchiveEntry): boolean;
  /** Cap on what all of it unpacks to, in bytes. */
  readonly maxUnpacked: number;
  readonly signal: AbortSignal;
}

/** The failure of an archive that unpacks to more than is read. */
export function tooMuch(name: string, maxUnpacked: number): Failure {
  return new Failure(
    "library_too_large",
    `The archive of ${name} unpacks to more than the ${maxUnpacked} bytes that are read at most. Raise MAX_BYTES.`,
  );
}

/** The failure of an archive that is made to be read otherwise than it seems; `why` is the end of a sentence. */
export function refused(name: string, why: string): Failure {
  return new Failure("source_invalid", `The archive of ${name} is refused: ${why}.`);
}

/** The failure of an archive that cannot be read. */
export function damaged(name: string, cause: unknown): unknown {
  if (cause instanceof Failure || !(cause instanceof Error)) return cause;
  return new Failure(
    "source_invalid",
    `The archive of ${name} is damaged, or in another format than its registry says.`,
    { cause },
  );
}
