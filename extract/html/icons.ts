import { isTag, type Element } from "domhandler";
import { ancestorsOf, lineOf, walk } from "./tree.ts";

/** Maximum length of an accessible name, in characters. */
const maxLabel = 80;

/** The accessible name of an icon; "" for other elements. */
function labelOf({ name, attribs, children }: Element): string {
  if (!/^(?:i|span|svg|img|em|b|abbr)$/.test(name) || attribs["aria-hidden"] === "true") return "";
  const { title, "aria-label": label = title, alt } = attribs;
  const written = children.find((child) => isTag(child) && child.name === "title");
  const text = (name === "img" ? alt : label) ?? label ?? (written ? lineOf(written) : "");
  return text.length > maxLabel ? "" : text.replace(/\s+/g, " ").trim();
}

/** Replaces a labelled drawing in the cell of a table by its label, which is shown in a cell without text; false for others. */
export function keepIcon(picture: Element): boolean {
  if (picture.name !== "svg") return false;
  const label = labelOf(picture);
  if (label === "" || ![...ancestorsOf(picture, 4)].some(({ name }) => name === "td" || name === "th")) return false;
  Object.assign(picture, { name: "span", attribs: { "aria-label": label }, children: [] });
  return true;
}

/** The labels of the icons in a cell that has no text. */
export function labelsIn(cell: Element): string {
  const labels: string[] = [];
  const isContent = ({ name, attribs }: Element): boolean =>
    name !== "a" && name !== "table" && attribs["aria-hidden"] !== "true";
  for (const element of walk(cell, (one) => isContent(one) && labelOf(one) === "")) {
    const label = labelOf(element);
    if (label !== "" && labels.length < 10) labels.push(label);
  }
  return labels.join(", ");
}
