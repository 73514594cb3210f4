import type { ConfluenceSourceSpec } from "../../domain/kinds/index.ts";
import type { ReadContext } from "../../domain/ports.ts";
import type { Memory } from "../lib/remote/memory.ts";
import type { ConfluenceApi } from "./api.ts";

/** One reading of a space. */
export interface ConfluenceRun {
  readonly spec: ConfluenceSourceSpec;
  readonly api: ConfluenceApi;
  readonly memory: Memory;
  readonly context: ReadContext;
}
