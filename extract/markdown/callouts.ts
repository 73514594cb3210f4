import { keysByWord } from "../language.ts";

/** The labels of callouts, and the names of these in generators. */
const kinds = keysByWord({
  Note: "note notes aside callout admonition alert seealso",
  Tip: "tip hint check success protip",
  Info: "info information abstract summary todo",
  Pitfall: "pitfall",
  Warning: "warning warn caution attention deprecated",
  Danger: "danger error bug failure",
  Important: "important",
  Question: "question faq help",
  Example: "example",
  Quote: "quote cite",
});
/** Containers with a title that are not callouts. */
const titled = new Set(
  "details steps step accordion accordion-item collapse collapsible card tab tabs-item".split(" "),
);
/** True for the name of a kind of callout. */
export function isCallout(name: string): boolean {
  return kinds.has(name.toLowerCase());
}

/** A callout's label, `**Tip:**` or `**Tip: Title**`; the title of other titled containers; "" for other containers. */
export function calloutLabel(kind: string, title: string): string {
  const shown = kinds.get(kind.toLowerCase());
  const text = title.replaceAll("*", "").trim().slice(0, 200);
  if (shown !== undefined) return text === "" ? `**${shown}:**` : `**${shown}: ${text}**`;
  return text !== "" && titled.has(kind.toLowerCase()) ? `**${text}**` : "";
}

/** The kind of callout or titled container for a name; "note" for an unknown one. */
export function kindOf(name: string): string {
  const lower = name.toLowerCase();
  if (kinds.has(lower)) return lower;
  if (lower === "accordionitem") return "accordion-item";
  return lower === "expandable" || lower === "update" ? "details" : titled.has(lower) ? lower : "note";
}

const indented =
  /^([ \t]*)(?:!!!|\?\?\?\+?|===[!+]?)[ \t]*(?:([a-z][\w-]*(?: +[\w-]+)*)[ \t]*)?(?:"([^"]*)"[ \t]*|'([^']*)'[ \t]*)?$/i;

/** The label of the marker line of a callout of MkDocs, `!!! note "Title"`; "" without. */
export function indentedLabel(line: string): string {
  const [, , words = "", double, single] = indented.exec(line) ?? [];
  const title = double ?? single ?? "";
  const label = words === "" ? "" : calloutLabel(kindOf(words.split(" ")[0] ?? ""), title);
  return label !== "" || title === "" ? label : `**${title.replaceAll("*", "")}**`;
}
