import type { Scope } from "../../domain/access.ts";
import type { Html } from "../html.ts";
import type { AssetName } from "../assets.ts";
import type { Visit } from "../page.ts";
import type { Status } from "../types.ts";

/** What the page of a library may be asked for: the tab, and what tabs read from the address. */
export interface LibraryParameters {
  readonly tab?: string | undefined;
  readonly outcome?: string | undefined;
  readonly cursor?: string | undefined;
  /** Days that figures are of. */
  readonly days?: string | undefined;
}

/** A part of a library's page, at `/<id>?tab=<name>`. */
export interface LibraryTab {
  readonly name: string;
  readonly label: string;
  /** Who sees it named; what it shows is what the API says to who asks. `read` unless told. */
  readonly scope?: Scope;
  /** Whether it is of use to who asks, as far as the status says; always, unless told. */
  isFor?(status: Status): boolean;
  /** How many there are of what it shows, beside its label. */
  count?(status: Status): number | undefined;
  /** `id` is the library as it was asked for, with its version. */
  show(visit: Visit<LibraryParameters>, status: Status, id: string): Promise<Html>;
  /** Files that it needs beyond those of every page. */
  readonly assets?: readonly AssetName[];
}
