import type { BodyFormat, Product } from "../../extract/confluence/page.ts";

/** A page in a list. Ids are decimal numbers. */
export interface FoundPage {
  readonly id: string;
  readonly title: string;
  readonly version: number;
  /** Id of the space; in a data center its key. */
  readonly space: string;
  /** The page, folder or other parent that it is in; null at the top. */
  readonly parent: ParentRef | null;
  /** Position among its siblings; null: none is set. */
  readonly position: number | null;
  /** Path below `root`, with a leading slash. */
  readonly path: string;
  /** Whether it has read restrictions of its own; absent where the list does not say. */
  readonly isRestricted?: boolean;
}

/** A parent of pages: a page, a folder, a database. */
export interface ParentRef {
  readonly id: string;
  readonly type: string;
}

/** A parent that is not a page. */
export interface FoundParent extends ParentRef {
  /** "" where the account may not see it. */
  readonly title: string;
  readonly parent: ParentRef | null;
  /** The account may not see its parent. */
  readonly isUntold?: true;
}

export interface FoundSpace {
  readonly id: string;
  readonly key: string;
  readonly name: string;
}

/** A page with its body; null where that is empty or not available in the format. */
export interface FoundBody {
  readonly page: FoundPage;
  readonly body: string | null;
}

/** Part of a list. */
export interface Chunk<T> {
  readonly found: readonly T[];
  /** Cursor of the next part; null: this is the last. */
  readonly next: string | null;
}

/** The requests that reading needs, to Confluence Cloud or Data Center. @throws Failure source_refused, source_unreachable, source_invalid */
export interface ConfluenceApi {
  readonly product: Product;
  /** Address below which pages are shown, without a trailing slash. */
  readonly root: string;
  /** Formats of bodies that can be requested, the preferred first. */
  readonly formats: readonly BodyFormat[];
  /** Maximum number of pages in one list, and of bodies in one request. */
  readonly limits: { readonly list: number; readonly bodies: number };
  /** Sends one request of each kind that reading needs. @throws Failure source_refused for a token that lacks a scope */
  probe(): Promise<void>;
  /** The space with a key; undefined if it does not exist or the account may not see it. */
  space(key: string): Promise<FoundSpace | undefined>;
  /** The current pages of a space, in any order. */
  pagesIn(space: FoundSpace, limit: number, after: string | null): Promise<Chunk<FoundPage>>;
  /** The current pages among the ids that the account may see. */
  pagesById(ids: readonly string[]): Promise<readonly FoundPage[]>;
  /** The ids of pages that are in the trash or archived, and the number of ids that were not looked up to save requests. */
  notCurrent(ids: readonly string[]): Promise<{ readonly gone: readonly string[]; readonly unasked: number }>;
  /** The current page with a title; undefined if it does not exist or the account may not see it. */
  pageByTitle(spaceKey: string, title: string): Promise<FoundPage | undefined>;
  bodies(ids: readonly string[], format: BodyFormat): Promise<readonly FoundBody[]>;
  /** The contents of a space, and whether they have read restrictions of their own, null if unknown. Absent if `pagesIn` says it. */
  restrictionsIn?(
    space: FoundSpace,
    limit: number,
    after: string | null,
  ): Promise<Chunk<{ readonly id: string; readonly type: string; readonly isRestricted: boolean | null }>>;
  /** Whether a page or other parent has read restrictions of its own. */
  isRestricted(id: string): Promise<boolean>;
  /** The ancestors of a page, the outermost first. */
  ancestors(id: string): Promise<readonly ParentRef[]>;
  /** A parent that is not a page; undefined if the account may not see it. */
  parent(ref: ParentRef): Promise<FoundParent | undefined>;
}
