import type { Scope } from "../../../domain/access.ts";
import type { Html } from "../html.ts";
import type { AssetName } from "../assets.ts";
import type { Visit } from "../page.ts";
import type { Status } from "../../answer-types.ts";

/** Parameters of the page of a library: the tab, and the parameters of tabs. */
export interface LibraryParameters {
  readonly tab?: string | undefined;
  readonly outcome?: string | undefined;
  readonly cursor?: string | undefined;
  readonly days?: string | undefined;
}

/** A tab of the page of a library, at `/<id>?tab=<name>`. */
export interface LibraryTab {
  readonly name: string;
  readonly label: string;
  /** Scope that sees the tab; default `read`. The API checks each request. */
  readonly scope?: Scope;
  /** Whether it is shown for a status; default always. */
  isFor?(status: Status): boolean;
  count?(status: Status): number | undefined;
  /** `id` is the requested library ID, with its version. */
  show(visit: Visit<LibraryParameters>, status: Status, id: string): Promise<Html>;
  readonly assets?: readonly AssetName[];
}
