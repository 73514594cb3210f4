import type { BodyFormat, Product } from "../../extract/confluence/page.ts";

/** A page as it is listed. Ids are decimal numbers. */
export interface FoundPage {
  readonly id: string;
  readonly title: string;
  readonly version: number;
  /** Id of the space. */
  readonly space: string;
  /** What it stands below, a page or something else; null at the top. */
  readonly parent: ParentRef | null;
  /** Place among its neighbours; null: there is none. */
  readonly position: number | null;
  /** Address below `root`, with a slash before it. */
  readonly path: string;
  /** Whether it has read restrictions of its own; absent where lists do not say. */
  readonly isRestricted?: boolean;
}

/** Something that pages stand below: a page, a folder, a database. */
export interface ParentRef {
  readonly id: string;
  readonly type: string;
}

/** A folder or the like, which has no page of its own. */
export interface FoundParent extends ParentRef {
  /** "" where the account is not told. */
  readonly title: string;
  readonly parent: ParentRef | null;
  /** The account is not told what it stands below. */
  readonly isUntold?: true;
}

export interface FoundSpace {
  readonly id: string;
  readonly key: string;
  readonly name: string;
}

/** A page with what it says; null where the host sends no body in this format. */
export interface FoundBody {
  readonly page: FoundPage;
  readonly body: string | null;
}

/** Part of a list. */
export interface Chunk<T> {
  readonly found: readonly T[];
  /** What the rest is asked for with; null: there is none. */
  readonly next: string | null;
}

/** What is asked of Confluence, in the cloud or in a data center. @throws Failure source_refused, source_unreachable, source_invalid */
export interface ConfluenceApi {
  readonly product: Product;
  /** Where pages are shown, without a slash at its end. */
  readonly root: string;
  /** Formats that pages can be asked for, the one that is asked for first before the others. */
  readonly formats: readonly BodyFormat[];
  /** Pages that are listed at once, and those whose bodies are asked for at once, at most. */
  readonly limits: { readonly list: number; readonly bodies: number };
  /** Asks for something of everything that reading needs, so that a token that lacks a scope is refused. */
  probe(): Promise<void>;
  /** The space of a key; undefined where there is none that the account may see. */
  space(key: string): Promise<FoundSpace | undefined>;
  /** The current pages of a space, in any order. */
  pagesIn(space: FoundSpace, limit: number, after: string | null): Promise<Chunk<FoundPage>>;
  /** Those of the ids that are current pages which the account may see. */
  pagesById(ids: readonly string[]): Promise<readonly FoundPage[]>;
  /** Those of the ids that are in the trash, or archived; and how many were not asked for, where each takes a request of its own. */
  notCurrent(ids: readonly string[]): Promise<{ readonly gone: readonly string[]; readonly unasked: number }>;
  /** The current page of a title; undefined where there is none that the account may see. */
  pageByTitle(spaceKey: string, title: string): Promise<FoundPage | undefined>;
  bodies(ids: readonly string[], format: BodyFormat): Promise<readonly FoundBody[]>;
  /** What a space has, with whether it has read restrictions of its own; null: that is not said. Absent where lists of pages say it. */
  restrictionsIn?(
    space: FoundSpace,
    limit: number,
    after: string | null,
  ): Promise<Chunk<{ readonly id: string; readonly type: string; readonly isRestricted: boolean | null }>>;
  /** Whether a page, or what pages stand below, has read restrictions of its own. */
  isRestricted(id: string): Promise<boolean>;
  /** All that a page stands below, the outermost first. */
  above(id: string): Promise<readonly ParentRef[]>;
  /** A folder or the like; undefined where the account may not see it. */
  parent(ref: ParentRef): Promise<FoundParent | undefined>;
}
