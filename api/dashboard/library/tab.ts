import * as z from "zod";
import type { Html } from "../html.ts";
import type { AssetName } from "../assets.ts";
import type { Visit } from "../page.ts";
import type { Status } from "../../answer-types.ts";

/** Parameters of the page of a library: the tab, and the parameters of tabs. */
export const libraryParameters = z.object({
  tab: z.string().max(40).optional(),
  outcome: z.enum(["indexed", "skipped", "failed"]).optional(),
  cursor: z.string().max(500).optional(),
  days: z.string().max(4).optional(),
});
export type LibraryParameters = z.infer<typeof libraryParameters>;

/** A tab of the page of a library, at `/<id>?tab=<name>`. */
export interface LibraryTab {
  readonly name: string;
  readonly label: string;
  /** Whether it is shown for a status; default always. The API checks each request. */
  isFor?(status: Status): boolean;
  count?(status: Status): number | undefined;
  /** `id` is the requested library ID, with its version. */
  show(visit: Visit<LibraryParameters>, status: Status, id: string): Promise<Html>;
  readonly assets?: readonly AssetName[];
}
