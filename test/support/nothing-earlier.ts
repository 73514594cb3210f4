import type { Earlier } from "../../domain/ports.ts";

/** A source that is read for the first time. */
export const nothingEarlier: Earlier = { page: () => undefined, within: () => [], validators: () => undefined };
