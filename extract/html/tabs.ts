import type { Document, Element } from "domhandler";
import type { TabPlace } from "../blocks.ts";
import { ancestorsOf, classesOf, elementsIn, lineOf, walk } from "./tree.ts";

/** The panels of a page's tabs with their places, and the rows of labels, which are not content. */
export type Tabs = ReturnType<typeof findTabs>;

/**
 * Sets of tabs without `role=tablist`, by the class of the set: the class of its panels, which its `label` elements name.
 * `whole`: the set holds only code that belongs together.
 */
const sets: ReadonlyMap<string, { readonly panel: string; readonly whole?: true }> = new Map([
  // VitePress: panels are the elements in its `.blocks`.
  ["vp-code-group", { panel: "blocks", whole: true }],
  // Material for MkDocs, and its older form with a panel after each label.
  ["tabbed-set", { panel: "tabbed-block tabbed-content" }],
  // sphinx-design and sphinx-inline-tabs.
  ["sd-tab-set", { panel: "sd-tab-content" }],
  ["tab-set", { panel: "tab-content" }],
]);

/** Maximum number of elements searched for the panels of one set. */
const maxSearched = 2000;
const maxLabel = 60;

/** Finds the tabs in a page that is not cleaned yet, as cleaning would remove the hidden panels. */
export function findTabs(page: Document) {
  const panels = new Map<Element, TabPlace>();
  const labels = new Set<Element>();
  const byId = new Map<string, Element>();
  const lists: Element[] = [];
  let group = 0;
  const add = (names: readonly string[], members: readonly Element[], whole: boolean): void => {
    group++;
    for (const [tab, panel] of members.entries())
      if (!panels.has(panel)) panels.set(panel, { group, whole, tab: tab + 1, label: names[tab] ?? "" });
  };
  for (const element of walk(page)) {
    const { id, role } = element.attribs;
    if (id !== undefined && role === "tabpanel") byId.set(id, element);
    if (role === "tablist") lists.push(element);
    const set = classesOf(element).find((one) => sets.has(one));
    if (set === undefined) continue;
    const { panel, whole = false } = sets.get(set) ?? { panel: "" };
    const parts = partsOf(element, new Set(panel.split(" ")));
    if (parts.panels.length === 0) continue;
    for (const label of parts.labels) labels.add(label);
    add(parts.labels.map(labelText), parts.panels, whole);
  }
  for (const list of lists) {
    const tabs = [...walk(list)].filter(({ attribs }) => attribs["role"] === "tab").slice(0, 100);
    const members = panelsOf(list, tabs, byId);
    if (members.length === 0) continue;
    labels.add(list);
    // Several tabs that show the same panel are a filter.
    const controlled = new Set(tabs.map(({ attribs }) => attribs["aria-controls"]));
    if (tabs.length > 1 && members.length === 1 && controlled.size === 1) continue;
    add(namesOf(tabs, members), members, false);
  }
  return { panels, labels };
}

function labelText(element: Element): string {
  return lineOf(element, maxLabel * 2).slice(0, maxLabel);
}

/** The labels and panels of a set, without those of sets within its panels. */
function partsOf(set: Element, panelClasses: ReadonlySet<string>) {
  const panels: Element[] = [];
  const labels: Element[] = [];
  const isPanel = (element: Element): boolean => classesOf(element).some((one) => panelClasses.has(one));
  let searched = 0;
  for (const element of walk(
    set,
    (one) => (searched < maxSearched && one.name !== "label" && !isPanel(one)) || isFrame(one),
  )) {
    if (searched++ > maxSearched) break;
    if (element.name === "label") labels.push(element);
    else if (isPanel(element) && !isFrame(element)) {
      if (classesOf(element).includes("blocks")) panels.push(...elementsIn(element));
      else panels.push(element);
    }
  }
  return { panels, labels };
}

/** Whether a `.tabbed-content` holds the `.tabbed-block`s of newer versions of Material for MkDocs. */
function isFrame(element: Element): boolean {
  return (
    classesOf(element).includes("tabbed-content") &&
    elementsIn(element).some((child) => classesOf(child).includes("tabbed-block"))
  );
}

/** The panels of a `role=tablist`: those that its tabs name, else those next to it. */
function panelsOf(list: Element, tabs: readonly Element[], byId: ReadonlyMap<string, Element>): readonly Element[] {
  const controlled = new Set(
    tabs.flatMap(
      ({ attribs }) => byId.get(attribs["aria-controls"] ?? (attribs["href"] ?? "").replace(/^#/, "")) ?? [],
    ),
  );
  if (controlled.size > 0 && controlled.size >= tabs.length) return [...controlled];
  for (const place of ancestorsOf(list, 3)) {
    const panels: Element[] = [];
    let searched = 0;
    const enter = (element: Element): boolean =>
      element !== list && element.attribs["role"] !== "tabpanel" && searched < maxSearched;
    for (const element of walk(place, enter)) {
      if (searched++ > maxSearched || (element !== list && element.attribs["role"] === "tablist")) break;
      if (element.attribs["role"] === "tabpanel") panels.push(element);
    }
    if (panels.length > 0) return panels;
  }
  return [...controlled];
}

function namesOf(tabs: readonly Element[], panels: readonly Element[]): readonly string[] {
  if (tabs.length === panels.length) return tabs.map(labelText);
  return panels.map(({ attribs }, at) => {
    const named = tabs.find(
      (tab) => tab.attribs["id"] !== undefined && tab.attribs["id"] === attribs["aria-labelledby"],
    );
    const controlling = tabs.find(
      (tab) => (tab.attribs["aria-controls"] ?? "") !== "" && tab.attribs["aria-controls"] === attribs["id"],
    );
    const chosen = tabs.find((tab) => tab.attribs["aria-selected"] === "true");
    const tab = named ?? controlling ?? (panels.length === 1 ? chosen : tabs[at]);
    return tab === undefined ? "" : labelText(tab);
  });
}
