import type { Passage } from "./passage.ts";

/** Decisions of administrators about the quarantine of a library. */
export interface Releases {
  /** `off`: nothing of the library is quarantined, such as of one about such texts. */
  readonly screen?: "off";
  /** Release keys: they identify passages by text and page, at any revision. */
  readonly released?: readonly string[];
}

/** A passage with findings of the screen. */
export interface FoundPassage {
  readonly passage: Passage;
  /** A hash of its text and page: a changed word gives another one. */
  readonly releaseKey: string;
}

/** Whether a passage with findings is served, by its release key. */
export function isReleased({ screen, released = [] }: Releases, key: string): boolean {
  return screen === "off" || released.includes(key);
}
