/** What a site of Confluence has, in the terms of its API. A test changes it as people do. */
export interface SitePage {
  readonly id: string;
  title: string;
  /** Key of its space. */
  space: string;
  parent?: string | undefined;
  /** Of a page; else a folder. */
  readonly type: "page" | "folder";
  position: number;
  version: number;
  storage: string;
  /** The Atlas document format, where the storage format does not say all. */
  adf?: string;
  status: "current" | "trashed" | "archived";
  /** Only some may read it. */
  restricted: boolean;
  /** The account of the token is not shown it. */
  hidden: boolean;
  /** Lists leave it out, though it is there. */
  unlisted?: boolean;
}

/** The pages of a site, and what is done with them. */
export interface Space {
  readonly spaces: Map<string, { readonly id: string; readonly name: string }>;
  readonly pages: Map<string, SitePage>;
  /** Adds a page; answers its id. */
  add(title: string, storage: string, more?: Partial<SitePage>): string;
  /** Changes a page; what it says or is called makes a new version. */
  edit(id: string, change: Partial<SitePage>): void;
}

/** What is wrong with a site for a while. */
export interface Trouble {
  /** Requests that are answered 429, with Retry-After, before the next good one. */
  throttled: number;
  /** Lists of more than this number are answered 500. */
  mostListed: number;
  /** Every answer is empty, with status 200, this number of times. */
  empty: number;
  /** The token is accepted no more. */
  revoked: boolean;
  /** Scopes that the token lacks. */
  lacks: Set<string>;
  /** Lists lead back to their second part. */
  circles: boolean;
  /** The search says nothing of restrictions. */
  silent: boolean;
  /** Requests for bodies of these pages are answered 500. */
  broken: Set<string>;
  /** Requests for bodies are not answered until this is called off. */
  hangs: boolean;
}

/** What answers a request: undefined where there is no such place. */
export type Answer = { readonly status: number; readonly body: unknown } | undefined;

/** Which paths need which scope (Confluence Cloud, granular scopes). */
export interface Route {
  readonly path: RegExp;
  readonly scope: string;
  answer(url: URL, match: RegExpExecArray, site: Served): Answer;
}

/** What routes answer from. */
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
