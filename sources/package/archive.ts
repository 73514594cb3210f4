import { Failure } from "../../domain/failures.ts";

/** An entry in the directory of an archive. */
export interface ArchiveEntry {
  readonly path: string;
  readonly type: "file" | "link" | "other";
  /** Unpacked size in bytes, as the archive claims. */
  readonly size: number;
}

/** An unpacked file. */
export interface ArchiveFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/** How an archive is read. */
export interface ArchiveRules {
  /** Whether an entry is unpacked; called for each. @throws Failure for an entry for which the archive is refused */
  wanted(entry: ArchiveEntry): boolean;
  /** Cap on the unpacked size, in bytes. */
  readonly maxUnpacked: number;
}

/** The failure for an archive that unpacks to more than is read. */
export function tooLarge(name: string, maxUnpacked: number): Failure {
  return new Failure(
    "library_too_large",
    `The archive of ${name} unpacks to more than the ${maxUnpacked} bytes that are read at most. Raise MAX_BYTES.`,
  );
}

/** The failure for a hostile archive; `why` ends its sentence. */
export function refused(name: string, why: string): Failure {
  return new Failure("source_invalid", `The archive of ${name} is refused: ${why}.`);
}

/** The error to throw where reading an archive failed: a Failure as it is, anything else as a damaged archive. */
export function toArchiveFailure(name: string, cause: unknown): unknown {
  if (cause instanceof Failure || !(cause instanceof Error)) return cause;
  return new Failure(
    "source_invalid",
    `The archive of ${name} is damaged, or in another format than its registry says.`,
    { cause },
  );
}
