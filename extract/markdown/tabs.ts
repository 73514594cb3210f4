import type { TabPlace } from "../blocks.ts";
import { keysByWord } from "../language.ts";
import { tagEnd } from "./tags.ts";

/** `whole`: all its code belongs together. `tabs`: holds tabs. `other`: only followed to its end. */
type Kind = "whole" | "tabs" | "tab" | "other";

/**
 * Components of MDX that hold alternatives: those of Docusaurus, Starlight, Nextra, Fumadocs, Mintlify, shadcn and React's
 * documentation.
 */
const components: ReadonlyMap<string, Kind> = keysByWord({
  whole: "CodeGroup Sandpack SandpackRSC SandpackProvider CodeBlockGroup CodeSwitcher RequestExample ResponseExample",
  tabs: "Tabs CodeTabs CodeBlockTabs TabGroup InstallTabs PackageManagerTabs",
  tab: "TabItem Tab Tabs.Tab TabPanel TabsContent Tabs.Content CodeBlockTab CodeTab",
});

/** Containers of colons: those of VitePress, VuePress (hope), Docusaurus and Nuxt Content. */
const containers: ReadonlyMap<string, Kind> = keysByWord({
  whole: "code-group",
  tabs: "code-tabs tabs",
  tab: "tab tabs-item tab-item",
});

/** Tags; containers of colons; tabs of VuePress (`@tab npm`) and vitepress-plugin-tabs (`== npm`); GitBook's blocks. */
const marker =
  /<(?<slash>\/?)(?<tag>(?:Tab|Code|Sand|Install|Package|RequestE|ResponseE)[\w.]*)|^[ \t>]*(?<colons>:{2,})(?<gap>[ \t]*)(?<name>[a-z][\w-]*)?(?<rest>.*)|^[ \t]*(?:@tab(?::\w+)?|==)[ \t]+(?<tab>\S.*)|\{%-?[ \t]*(?<end>end)?(?<block>tabs?|code)\b(?<attributes>[^%\n]{0,300})%\}/gm;

/** Maximum nesting of containers. */
const maxDepth = 30;
/** Maximum number of code blocks in a group. */
const maxTabs = 50;

interface Open {
  readonly kind: Kind;
  /** Name that closes it: a component's, or a block's after "%"; ":" for colons, "=" for MkDocs, "" for a tab without end. */
  readonly name: string;
  readonly colons: number;
  readonly label: string;
  /** Of a group: its number, the names of its tabs if it lists them, and the number of tabs so far. */
  readonly group: number;
  readonly items: readonly string[];
  tabs: number;
}

/** Follows the containers of a page from top to bottom, to determine the tab and group of each block of code. */
export function createTabs() {
  const stack: Open[] = [];
  let groups = 0;
  let lastGroup = 0;
  let lastTabs = 0;
  let file: string | undefined;

  const push = (open: Pick<Open, "kind" | "name"> & Partial<Open>): void => {
    if (stack.length >= maxDepth) return;
    const group = open.kind === "whole" || open.kind === "tabs" ? ++groups : 0;
    const holder = open.kind === "tab" ? stack.findLast(({ kind }) => kind === "tabs") : undefined;
    if (holder !== undefined) holder.tabs++;
    const label = cleanLabel(open.label || (holder?.items[holder.tabs - 1] ?? ""));
    stack.push({ colons: 0, items: [], tabs: 0, ...open, label, group });
  };
  const closeTo = (index: number): void => {
    if (index >= 0) stack.length = index;
  };
  const closeTab = (): void => closeTo(stack.findLastIndex(({ kind, name }) => kind === "tab" && name === ""));

  function component(text: string, at: number, name: string, closing: boolean): void {
    const kind = components.get(name);
    if (kind === undefined) return;
    if (closing) return closeTo(stack.findLastIndex((open) => open.name === name));
    const end = tagEnd(text, at);
    const tag = text.slice(at, end > 0 ? end : at + 200);
    if (!tag.endsWith("/>")) push({ kind, name, label: labelOf(tag), items: kind === "tabs" ? itemsOf(tag) : [] });
  }

  function container(colons: number, gap: string, name: string | undefined, rest: string): void {
    if (name === undefined) {
      if (gap === "" && rest.trim() === "")
        closeTo(stack.findLastIndex((open) => open.colons > 1 && open.colons <= colons));
      return;
    }
    if (colons === 2 && (gap !== "" || rest.includes("::"))) return;
    const kind = containers.get(name) ?? "other";
    push({ kind, name: ":", colons, label: kind === "tab" ? labelOf(rest) || rest.trim().slice(0, 60) : "" });
  }

  function block(name: string, closing: boolean, attributes: string): void {
    if (name === "code") {
      file = closing ? undefined : labelOf(attributes) || undefined;
      return;
    }
    const open = stack.findLastIndex((one) => one.name === `%${name}`);
    if (closing) return closeTo(open);
    // A tab directly in another one, without a group of its own, is its successor.
    if (name === "tab" && open > stack.findLastIndex(({ kind }) => kind === "tabs")) closeTo(open);
    push({ kind: name === "tabs" ? "tabs" : "tab", name: `%${name}`, label: labelOf(attributes) });
  }

  return {
    /** Reads the text of a paragraph or of HTML, with the containers that it opens and closes. */
    read(text: string): void {
      for (const { index, groups: parts = {} } of text.matchAll(marker)) {
        const { tag, slash, colons, gap = "", name, rest = "", tab, block: blockName, end, attributes = "" } = parts;
        if (tag !== undefined) component(text, index, tag, slash === "/");
        else if (colons !== undefined) container(colons.length, gap, name, rest);
        else if (blockName !== undefined) block(blockName, end !== undefined, attributes);
        else if (tab !== undefined && stack.some(({ kind }) => kind === "tabs")) {
          closeTab();
          push({ kind: "tab", name: "", label: tab.trim().slice(0, 60) });
        }
      }
    },
    /** Opens a tab whose group has no marker, as in MkDocs; `joins`: it follows another tab of its group. */
    open(label: string, joins: boolean): void {
      push({ kind: "tabs", name: "=" });
      const holder = stack.at(-1);
      if (holder !== undefined && joins) {
        stack[stack.length - 1] = { ...holder, group: lastGroup, tabs: lastTabs };
      }
      push({ kind: "tab", name: "=", label });
    },
    /** Closes the last opened tab. */
    close(): void {
      const index = stack.findLastIndex(({ kind, name }) => kind === "tabs" && name === "=");
      lastGroup = stack[index]?.group ?? 0;
      lastTabs = stack[index]?.tabs ?? 0;
      closeTo(index);
    },
    /** A heading ends groups that hold only code. */
    heading(): void {
      closeTo(stack.findIndex(({ kind }) => kind === "whole"));
    },
    /** The place of a block of code at this point; undefined outside of groups. */
    place(): TabPlace | undefined {
      const at = stack.findLastIndex(({ kind }) => kind === "whole" || kind === "tabs");
      const group = stack[at];
      if (group === undefined || group.tabs > maxTabs) return undefined;
      const tab = stack.slice(at).find(({ kind }) => kind === "tab");
      return { group: group.group, whole: group.kind === "whole", tab: group.tabs, label: tab?.label ?? "" };
    },
    /** The file name from a marker for the next block of code, once. */
    file(): string | undefined {
      const name = file;
      file = undefined;
      return name;
    },
  };
}

/** A label without the icons and marks that MkDocs and VitePress allow. */
function cleanLabel(label: string): string {
  return label.includes(":") || label.includes("`") ? label.replace(/:[a-z][\w-]*:|`/g, "").trim() : label;
}

const attribute = (names: string): RegExp =>
  new RegExp(`\\b(?:${names})\\s*=\\s*\\{?\\s*(?:"([^"]{1,60})"|'([^']{1,60})')`);
const named = attribute("label|title");
const valued = attribute("value|name");

function labelOf(tag: string): string {
  const label = named.exec(tag) ?? valued.exec(tag);
  return (label?.[1] ?? label?.[2] ?? "").trim();
}

function itemsOf(tag: string): readonly string[] {
  const list = /\bitems\s*=\s*\{\s*\[([^\]]*)\]/.exec(tag)?.[1] ?? "";
  return [...list.matchAll(/"([^"]{1,60})"|'([^']{1,60})'/g)].map(([, double, single]) => double ?? single ?? "");
}
