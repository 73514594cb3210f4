import type { Checkpoint, Earlier } from "../../domain/ports.ts";

/** The earlier state of a source that is read for the first time. */
export const nothingEarlier: Earlier = {
  page: () => undefined,
  found: () => [],
  within: () => [],
  validators: () => undefined,
  fetched: [],
};

/** An empty checkpoint that saves nothing. */
export const noCheckpoint: Checkpoint = { load: async () => [], save: async () => {} };

/** For a library that was not uploaded. */
export const noUpload = (): Promise<Uint8Array> => Promise.reject(new Error("There is no upload."));
