import type { Document, Element } from "domhandler";
import type { TabPlace } from "../blocks.ts";
import { ancestorsOf, classesOf, elementsIn, lineOf, walk } from "./tree.ts";

/** The tabs of a page: what stands in each, and the rows of labels, which are no text of their own. */
export interface Tabs {
  readonly panels: ReadonlyMap<Element, TabPlace>;
  readonly labels: ReadonlySet<Element>;
}

/**
 * Sets of tabs that are no `role=tablist`: the class of the set, and that of what stands in a tab; what labels them are its
 * `label` elements. `whole`: it holds nothing but code that belongs together.
 */
const sets: ReadonlyMap<string, { readonly panel: string; readonly whole?: true }> = new Map([
  // VitePress: panels are the elements in its `.blocks`.
  ["vp-code-group", { panel: "blocks", whole: true }],
  // Material for MkDocs, and its older form with a panel behind each label.
  ["tabbed-set", { panel: "tabbed-block tabbed-content" }],
  // sphinx-design and sphinx-inline-tabs.
  ["sd-tab-set", { panel: "sd-tab-content" }],
  ["tab-set", { panel: "tab-content" }],
]);

/** Elements that are looked at to find the panels of one set. */
const maxSearched = 2000;
const maxLabel = 60;

/** Finds the sets of tabs in a page as it was parsed: panels that are not chosen are hidden in it. */
export function findTabs(page: Document): Tabs {
  const panels = new Map<Element, TabPlace>();
  const labels = new Set<Element>();
  const byId = new Map<string, Element>();
  const lists: Element[] = [];
  let group = 0;
  const add = (names: readonly string[], found: readonly Element[], whole: boolean): void => {
    group++;
    for (const [tab, panel] of found.entries())
      if (!panels.has(panel)) panels.set(panel, { group, whole, tab: tab + 1, label: names[tab] ?? "" });
  };
  for (const element of walk(page)) {
    const { id, role } = element.attribs;
    if (id !== undefined && role === "tabpanel") byId.set(id, element);
    if (role === "tablist") lists.push(element);
    const set = classesOf(element).find((one) => sets.has(one));
    if (set === undefined) continue;
    const { panel, whole = false } = sets.get(set) ?? { panel: "" };
    const { found, named } = partsOf(element, new Set(panel.split(" ")));
    if (found.length === 0) continue;
    for (const label of named) labels.add(label);
    add(
      named.map((label) => lineOf(label, maxLabel * 2).slice(0, maxLabel)),
      found,
      whole,
    );
  }
  for (const list of lists) {
    const tabs = [...walk(list)].filter(({ attribs }) => attribs["role"] === "tab").slice(0, 100);
    const found = panelsOf(list, tabs, byId);
    if (found.length === 0) continue;
    labels.add(list);
    // Tabs that show the same panel are a filter.
    if (found.length < tabs.length && found.length === 1 && isFilter(tabs)) continue;
    add(namesOf(tabs, found), found, false);
  }
  return { panels, labels };
}

function isFilter(tabs: readonly Element[]): boolean {
  return new Set(tabs.map(({ attribs }) => attribs["aria-controls"])).size === 1;
}

/** The labels and panels of a set, without those of sets within its panels. */
function partsOf(set: Element, panel: ReadonlySet<string>): { readonly found: Element[]; readonly named: Element[] } {
  const found: Element[] = [];
  const named: Element[] = [];
  const isPanel = (element: Element): boolean => classesOf(element).some((one) => panel.has(one));
  let searched = 0;
  for (const element of walk(
    set,
    (one) => (searched < maxSearched && one.name !== "label" && !isPanel(one)) || isFrame(one),
  )) {
    if (searched++ > maxSearched) break;
    if (element.name === "label") named.push(element);
    else if (isPanel(element) && !isFrame(element)) {
      if (classesOf(element).includes("blocks")) found.push(...elementsIn(element));
      else found.push(element);
    }
  }
  return { found, named };
}

/** The newer form of Material for MkDocs has `.tabbed-block` in a `.tabbed-content`. */
function isFrame(element: Element): boolean {
  return (
    classesOf(element).includes("tabbed-content") &&
    elementsIn(element).some((child) => classesOf(child).includes("tabbed-block"))
  );
}

/** The panels of a `role=tablist`: those that its tabs name, else those beside it. */
function panelsOf(list: Element, tabs: readonly Element[], byId: ReadonlyMap<string, Element>): readonly Element[] {
  const controlled = new Set(
    tabs.flatMap(
      ({ attribs }) => byId.get(attribs["aria-controls"] ?? (attribs["href"] ?? "").replace(/^#/, "")) ?? [],
    ),
  );
  if (controlled.size > 0 && controlled.size >= tabs.length) return [...controlled];
  for (const place of ancestorsOf(list, 3)) {
    const found: Element[] = [];
    let searched = 0;
    const enter = (element: Element): boolean =>
      element !== list && element.attribs["role"] !== "tabpanel" && searched < maxSearched;
    for (const element of walk(place, enter)) {
      if (searched++ > maxSearched || (element !== list && element.attribs["role"] === "tablist")) break;
      if (element.attribs["role"] === "tabpanel") found.push(element);
    }
    if (found.length > 0) return found;
  }
  return [...controlled];
}

function namesOf(tabs: readonly Element[], panels: readonly Element[]): readonly string[] {
  const nameOf = (tab: Element | undefined): string =>
    tab === undefined ? "" : lineOf(tab, maxLabel * 2).slice(0, maxLabel);
  if (tabs.length === panels.length) return tabs.map(nameOf);
  return panels.map(({ attribs }, at) => {
    const named = tabs.find(
      (tab) => tab.attribs["id"] !== undefined && tab.attribs["id"] === attribs["aria-labelledby"],
    );
    const controlling = tabs.find(
      (tab) => (tab.attribs["aria-controls"] ?? "") !== "" && tab.attribs["aria-controls"] === attribs["id"],
    );
    const chosen = tabs.find((tab) => tab.attribs["aria-selected"] === "true");
    return nameOf(named ?? controlling ?? (panels.length === 1 ? chosen : tabs[at]));
  });
}
