import type { Checkpoint, Earlier } from "../../domain/ports.ts";

/** A source that is read for the first time. */
export const nothingEarlier: Earlier = {
  page: () => undefined,
  found: () => [],
  within: () => [],
  validators: () => undefined,
  fetched: [],
};

/** The checkpoint of a first attempt, which nobody reads again. */
export const noCheckpoint: Checkpoint = { load: async () => [], save: async () => {} };

/** The source of a library that was not uploaded. */
export const noUpload = (): Promise<Uint8Array> => Promise.reject(new Error("There is no upload."));
