import type { Passage } from "./passage.ts";

/** What administrators of a library decided about its quarantine. */
export interface Releases {
  /** `off`: nothing of the library is held back, as it is about such texts. */
  readonly screen?: "off";
  /** Keys of the passages that are served all the same: they stand for what those say and where, at whatever revision. */
  readonly released?: readonly string[];
}

/** A passage in which the screen has found something. */
export interface FoundPassage {
  readonly passage: Passage;
  /** Stands for all that it says; with a word changed, it is another one. */
  readonly releaseKey: string;
}

/** Whether a passage in which the screen has found something is served, by its release key. */
export function isReleased({ screen, released = [] }: Releases, key: string): boolean {
  return screen === "off" || released.includes(key);
}
