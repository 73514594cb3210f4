/** A page or folder of a Confluence site, in the terms of its API. Tests change it as users would. */
export interface SitePage {
  readonly id: string;
  title: string;
  /** Key of its space. */
  space: string;
  parent?: string | undefined;
  readonly type: "page" | "folder";
  position: number;
  version: number;
  storage: string;
  /** Atlas Document Format, for content that the storage format lacks. */
  adf?: string;
  status: "current" | "trashed" | "archived";
  /** It has a read restriction. */
  restricted: boolean;
  /** The token's account may not see it. */
  hidden: boolean;
  /** Lists leave it out, though it exists. */
  unlisted?: boolean;
}

/** The spaces and pages of a site. */
export interface Space {
  readonly spaces: Map<string, { readonly id: string; readonly name: string }>;
  readonly pages: Map<string, SitePage>;
  /** Adds a page; returns its id. */
  add(title: string, storage: string, more?: Partial<SitePage>): string;
  /** Changes a page; a change of title or content makes a new version. */
  edit(id: string, change: Partial<SitePage>): void;
}

/** Faults of a site, switched on by tests. */
export interface Trouble {
  /** Number of requests to answer with 429 and Retry-After. */
  throttled: number;
  /** Requests with a higher `limit` are answered 500. */
  maxLimit: number;
  /** Number of answers of status 200 to send without a body. */
  empty: number;
  /** The token is refused. */
  revoked: boolean;
  /** Scopes that the token lacks. */
  lacks: Set<string>;
  /** Lists lead back to their second part. */
  circles: boolean;
  /** The search answers without restrictions. */
  silent: boolean;
  /** Requests for bodies of these pages are answered 500. */
  broken: Set<string>;
  /** Requests for bodies are never answered. */
  hangs: boolean;
}

/** An answer; undefined for 404. */
export type Answer = { readonly status: number; readonly body: unknown } | undefined;

/** A path, and the granular scope that it needs on Confluence Cloud. */
export interface Route {
  readonly path: RegExp;
  readonly scope: string;
  answer(url: URL, match: RegExpExecArray, site: Served): Answer;
}

/** The site as the routes see it. */
export interface Served extends Space {
  readonly origin: string;
  readonly trouble: Trouble;
}

/** Makes a site with one space, ENG. */
export function createSpace(): Space {
  const pages = new Map<string, SitePage>();
  let last = 100_000;
  return {
    spaces: new Map([["ENG", { id: "4001", name: "Engineering" }]]),
    pages,
    add(title, storage, more = {}) {
      const id = String((last += 1));
      const common = { version: 1, status: "current", restricted: false, hidden: false } as const;
      pages.set(id, { id, title, storage, space: "ENG", type: "page", position: last, ...common, ...more });
      return id;
    },
    edit(id, change) {
      const page = pages.get(id);
      if (!page) throw new Error(`There is no page ${id}.`);
      const isNew = change.storage !== undefined || change.title !== undefined || change.adf !== undefined;
      Object.assign(page, change, isNew ? { version: page.version + 1 } : {});
    },
  };
}
