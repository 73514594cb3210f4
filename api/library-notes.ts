import type { Unread } from "../domain/generation.ts";
import type { ApiPorts } from "./options.ts";
import { remembering } from "./remembering.ts";

/** What of a library was left out of a generation and why, in sentences. */
export type LibraryNotes = (generation: string) => Promise<readonly string[]>;

/** Reads notes from manifests, and remembers those that were read last: a status is asked for again and again. */
export function createLibraryNotes({ manifest }: Pick<ApiPorts, "manifest">): LibraryNotes {
  const notesIn = remembering(async (generation) => {
    const found = await manifest(generation);
    return found && (found.notes ?? []);
  });
  return async (generation) => (await notesIn(generation)) ?? [];
}

/** A generation's documentation files in unsupported formats; undefined if there are none. */
export type UnreadOf = (generation: string) => Promise<Unread | undefined>;

/** Reads from manifests what is not read, and remembers those that were read last. */
export function createUnreadOf({ manifest }: Pick<ApiPorts, "manifest">): UnreadOf {
  const unreadIn = remembering(async (generation) => {
    const found = await manifest(generation);
    return found && { unread: found.unread };
  });
  return async (generation) => (await unreadIn(generation))?.unread;
}
