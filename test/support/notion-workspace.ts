import { longAgo, rich, type Json, type NewBlock } from "./notion-blocks.ts";

/** A block with an id of its own. */
export interface StoredBlock {
  readonly id: string;
  readonly block: Json;
  parent: Json;
  readonly children: string[];
  edited: string;
  isTrashed: boolean;
}

export interface StoredPage {
  readonly id: string;
  title: string;
  parent: Json;
  edited: string;
  readonly created: string;
  isTrashed: boolean;
  isShared: boolean;
  properties: Json;
}

export interface StoredDatabase {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  parent: Json;
  edited: string;
  isTrashed: boolean;
  readonly sources: { readonly id: string; readonly name: string; readonly properties: Json }[];
}

export interface NewPage {
  readonly title: string;
  readonly parent?: { readonly page?: string; readonly block?: string; readonly source?: string };
  readonly blocks?: readonly NewBlock[];
  readonly properties?: Json;
  readonly edited?: string;
  readonly created?: string;
  readonly isShared?: boolean;
}

export interface NewDatabase {
  readonly title: string;
  readonly description?: string;
  readonly parent?: string;
  readonly sources?: readonly { readonly name: string; readonly properties: Json }[];
}

/** A Notion workspace, and what its users do. */
export interface NotionWorkspace {
  readonly workspaceId: string;
  /** Adds a page; its parent is the workspace, a page, a block, or a data source. Returns its id. */
  addPage(page: NewPage): string;
  addDatabase(database: NewDatabase): { readonly id: string; readonly sources: readonly string[] };
  /** Replaces the blocks of a page, except its child pages and databases. */
  write(page: string, blocks: readonly NewBlock[], edited?: string): void;
  edit(
    page: string,
    change: Partial<Pick<StoredPage, "title" | "isTrashed" | "isShared" | "edited" | "properties">>,
  ): void;
  /** Moves a page below another one. */
  move(page: string, to: string, edited?: string): void;
  /** Replaces the children of a block without a change to its page's last_edited_time. */
  replace(block: string, blocks: readonly NewBlock[]): void;
  /** Ids of the child blocks of a page or block, in order. */
  blocksOf(id: string): readonly string[];
}

/** Maximum number of entries of a property in a page object. */
const mostInPage = 25;

/** Properties as in a page object: long lists are cut. */
function cut(properties: Json): Json {
  return Object.fromEntries(
    Object.entries(properties).map(([name, raw]) => {
      const property = raw as Json;
      const type = property["type"] as string;
      if (type === "rollup") {
        const rollup = property["rollup"] as Json;
        if (!Array.isArray(rollup["array"])) return [name, property];
        return [name, { ...property, rollup: { ...rollup, array: rollup["array"].slice(0, mostInPage) } }];
      }
      const held = property[type];
      if (!Array.isArray(held) || type === "multi_select") return [name, property];
      const more = type === "relation" ? { has_more: held.length > mostInPage } : {};
      return [name, { ...property, [type]: held.slice(0, mostInPage), ...more }];
    }),
  );
}

/** The entries of a property as property items. */
export function entriesOf(property: Json): readonly Json[] {
  const type = property["type"] as string;
  const common = { object: "property_item", id: property["id"] };
  const held = type === "rollup" ? (property["rollup"] as Json)["array"] : property[type];
  const single = (one: Json): Json => {
    const own = one["type"] as string;
    return { ...common, ...one, [own]: Array.isArray(one[own]) ? (one[own] as unknown[])[0] : one[own] };
  };
  return (held as Json[]).map((one) => (type === "rollup" ? single(one) : { ...common, type, [type]: one }));
}

/** A workspace, with its objects in the form of the API. */
export function createWorkspace() {
  let count = 0;
  const newId = (): string => {
    const hex = (++count).toString(16).padStart(12, "0");
    return `1a2b3c4d-0000-4000-8000-${hex}`;
  };
  const pages = new Map<string, StoredPage>();
  const databases = new Map<string, StoredDatabase>();
  const blocks = new Map<string, StoredBlock>();
  const tops = new Map<string, string[]>();
  const workspaceId = "0f0e0d0c-0000-4000-8000-00000000aaaa";

  const dashed = (id: string): string =>
    id.includes("-") ? id : id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

  function put(block: NewBlock, parent: Json, edited: string): string {
    const id = newId();
    const { children = [], ...own } = block;
    const stored: StoredBlock = { id, block: own, parent, children: [], edited, isTrashed: false };
    blocks.set(id, stored);
    for (const child of children) stored.children.push(put(child, { type: "block_id", block_id: id }, edited));
    return id;
  }

  const user = { object: "user", id: "aaaaaaaa-0000-4000-8000-000000000001" };
  const stamps = (edited: string, isTrashed: boolean, created = longAgo): Json => ({
    created_time: created,
    created_by: user,
    last_edited_time: edited,
    last_edited_by: user,
    in_trash: isTrashed,
    archived: isTrashed,
  });

  const pageJson = ({ id, title, parent, edited, created, isTrashed, properties }: StoredPage): Json => ({
    object: "page",
    id,
    ...stamps(edited, isTrashed, created),
    is_archived: false,
    is_locked: false,
    icon: null,
    cover: null,
    parent,
    properties: { ...cut(properties), Name: { id: "title", type: "title", title: rich(title) } },
    url: `https://www.notion.so/${title.replaceAll(/\W+/g, "-")}-${id.replaceAll("-", "")}`,
    public_url: null,
  });
  const sourceJson = (database: StoredDatabase, source: StoredDatabase["sources"][number]): Json => ({
    object: "data_source",
    id: source.id,
    ...stamps(database.edited, database.isTrashed),
    title: rich(source.name),
    description: [],
    parent: { type: "database_id", database_id: database.id },
    database_parent: database.parent,
    properties: { ...source.properties, Name: { id: "title", name: "Name", type: "title", title: {} } },
    url: `https://www.notion.so/${database.id.replaceAll("-", "")}`,
  });
  const databaseJson = (database: StoredDatabase): Json => ({
    object: "database",
    id: database.id,
    ...stamps(database.edited, database.isTrashed),
    title: rich(database.title),
    description: database.description === "" ? [] : rich(database.description),
    parent: database.parent,
    is_inline: false,
    data_sources: database.sources.map(({ id, name }) => ({ id, name })),
    url: `https://www.notion.so/${database.id.replaceAll("-", "")}`,
  });
  const blockJson = (id: string): Json => {
    const page = pages.get(id);
    if (page) {
      const has = (tops.get(id)?.length ?? 0) > 0;
      const { title, parent, edited, isTrashed } = page;
      return {
        object: "block",
        id,
        type: "child_page",
        child_page: { title },
        parent,
        has_children: has,
        ...stamps(edited, isTrashed),
      };
    }
    const database = databases.get(id);
    if (database) {
      const { title, parent, edited, isTrashed } = database;
      return {
        object: "block",
        id,
        type: "child_database",
        child_database: { title },
        parent,
        has_children: false,
        ...stamps(edited, isTrashed),
      };
    }
    const { block, parent, children, edited, isTrashed } = blocks.get(id) as StoredBlock;
    const of = (block["synced_block"] as Json | undefined)?.["synced_from"] as Json | null | undefined;
    const mirrored = of ? (blocks.get(dashed(of["block_id"] as string))?.children.length ?? 0) : 0;
    return {
      object: "block",
      id,
      ...block,
      parent,
      has_children: children.length > 0 || mirrored > 0,
      ...stamps(edited, isTrashed),
    };
  };

  const pageOfBlock = (id: string): string => {
    for (let at = id; ;) {
      if (pages.has(at)) return at;
      const parent = blocks.get(at)?.parent;
      if (parent === undefined) return "";
      at = String(parent["page_id"] ?? parent["block_id"]);
    }
  };
  const isReadable = (page: StoredPage | undefined): page is StoredPage => page?.isShared === true;
  const isShown = (page: StoredPage): boolean => isReadable(page) && !page.isTrashed;

  const siblings = (parent: Json): string[] => {
    const page = parent["page_id"];
    if (typeof page === "string") return tops.get(page) ?? [];
    return blocks.get(String(parent["block_id"]))?.children ?? [];
  };
  function write(id: string, content: readonly NewBlock[], edited = new Date().toISOString()): void {
    const page = pages.get(id);
    if (!page) throw new Error(`There is no page ${id}.`);
    const kept = (tops.get(id) ?? []).filter((one) => pages.has(one) || databases.has(one));
    tops.set(id, [...content.map((block) => put(block, { type: "page_id", page_id: id }, edited)), ...kept]);
    page.edited = edited;
  }

  const workspace: NotionWorkspace = {
    workspaceId,
    addPage({
      title,
      parent = {},
      blocks: content = [],
      properties = {},
      edited = longAgo,
      created = longAgo,
      isShared = true,
    }) {
      const id = newId();
      const database = [...databases.values()].find(({ sources }) =>
        sources.some((source) => source.id === parent.source),
      );
      const place: Json =
        parent.page !== undefined
          ? { type: "page_id", page_id: parent.page }
          : parent.block !== undefined
            ? { type: "block_id", block_id: parent.block }
            : parent.source !== undefined
              ? { type: "data_source_id", data_source_id: parent.source, database_id: database?.id }
              : { type: "workspace", workspace: true };
      pages.set(id, { id, title, parent: place, edited, created, isTrashed: false, isShared, properties });
      tops.set(id, []);
      siblings(place).push(id);
      write(id, content, edited);
      return id;
    },
    addDatabase({ title, description = "", parent, sources = [{ name: title, properties: {} }] }) {
      const id = newId();
      const place: Json =
        parent === undefined ? { type: "workspace", workspace: true } : { type: "page_id", page_id: parent };
      const made = sources.map((source) => ({ id: newId(), ...source }));
      databases.set(id, { id, title, description, parent: place, edited: longAgo, isTrashed: false, sources: made });
      siblings(place).push(id);
      return { id, sources: made.map((source) => source.id) };
    },
    write,
    edit(id, change) {
      const page = pages.get(id);
      if (!page) throw new Error(`There is no page ${id}.`);
      Object.assign(page, change);
    },
    move(id, to, edited = new Date().toISOString()) {
      const page = pages.get(id);
      if (!page) throw new Error(`There is no page ${id}.`);
      const before = siblings(page.parent);
      before.splice(before.indexOf(id), 1);
      page.parent = { type: "page_id", page_id: to };
      siblings(page.parent).push(id);
      const target = pages.get(to);
      if (target) target.edited = edited;
    },
    replace(id, content) {
      const stored = blocks.get(id);
      if (!stored) throw new Error(`There is no block ${id}.`);
      stored.children.splice(
        0,
        stored.children.length,
        ...content.map((block) => put(block, { type: "block_id", block_id: id }, new Date().toISOString())),
      );
    },
    blocksOf: (id) => tops.get(id) ?? blocks.get(id)?.children ?? [],
  };
  return {
    workspace,
    pages,
    databases,
    blocks,
    tops,
    user,
    dashed,
    pageJson,
    sourceJson,
    databaseJson,
    blockJson,
    pageOfBlock,
    isReadable,
    isShown,
  };
}
