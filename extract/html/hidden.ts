import type { Element } from "domhandler";
import { classesOf } from "./tree.ts";

/** Detection of text that a page's own markup hides. Style sheets are not read. */

/** Classes of text for screen readers: Bootstrap, Tailwind, WordPress, Angular CDK, Foundation, Drupal and others. */
const forScreenReaders = new Set(
  "sr-only visually-hidden visuallyhidden visually-hidden-focusable sr-only-focusable screen-reader-text screen-reader-only screenreader-only hidden-visually u-visually-hidden is-visually-hidden is-sr-only a11y-hidden cdk-visually-hidden assistive-text show-for-sr element-invisible offscreen off-screen".split(
    " ",
  ),
);
/** Classes that hide, unless another class shows the element on larger screens. */
const hiding = new Set("hidden invisible d-none is-hidden display-none opacity-0 uk-hidden collapse-hidden".split(" "));
const shownElsewhere =
  /^(?:[\w-]+:|d-(?:xs|sm|md|lg|xl|xxl|print)-)(?:block|flex|inline|grid|table|contents|visible|list-item|opacity-)/;

const suspicious =
  /none|hidden|collapse|opacity|font|clip|indent|transform|scale|width|height|transparent|zoom|filter|mask|visibility|background|[-:]\s*-\s*\d|(?:left|top|right|bottom)\s*:|translate|\\|\/\*/i;
const zero = /^[+-]?(?:0+(?:\.0*)?|\.0+)(?:[a-z]{1,4}|%)?$/;
/** A distance that moves an element off any screen. */
const away = /^[+-]?(?:\d{4,}(?:\.\d*)?(?:px|pt|em|rem|vw|vh|%)?|\d{3,}(?:\.\d*)?(?:em|rem|vw|vh|%))$/;
const movedAway = /translate[xyz3d]*\([^)]{0,40}\d{4,}px|translate[xyz3d]*\([^)]{0,40}-\s*\d{3,}(?:%|v[wh]|em|rem)/;

/** True for an element that its own attributes, inline style or classes hide. Ancestors are not examined. */
export function isHidden(element: Element): boolean {
  const { hidden, style, popover } = element.attribs;
  if (hidden !== undefined || popover !== undefined) return true;
  if (style !== undefined && suspicious.test(style) && hides(style)) return true;
  if (element.attribs["class"] === undefined) return false;
  const classes = classesOf(element);
  if (classes.some((one) => forScreenReaders.has(one))) return true;
  return classes.some((one) => hiding.has(one)) && !classes.some((one) => shownElsewhere.test(one));
}

function hides(style: string): boolean {
  const values = declarations(style);
  const value = (name: string): string => values.get(name) ?? "";
  const isZero = (name: string): boolean => zero.test(value(name));
  if (/^none\b/.test(value("display")) || /^(?:hidden|collapse)\b/.test(value("visibility"))) return true;
  if (value("content-visibility") === "hidden" || isZero("opacity") || isZero("font-size") || isZero("zoom"))
    return true;
  if (/(?:^|\s)0(?:px|pt|em|rem|%)?(?=[\s/]|$)/.test(value("font"))) return true;
  // A gradient is drawn through the letters.
  const isPainted = (values.get("background-clip") ?? value("-webkit-background-clip")).includes("text");
  if (
    !isPainted &&
    /^(?:transparent|#(?:[\da-f]{3}0|[\da-f]{6}00)|(?:rgb|hsl)a\([^)]*,\s*0(?:\.0*)?%?\s*\))$/.test(value("color"))
  )
    return true;
  if (isCovered(value("color"), value("background-color") || value("background"))) return true;
  if (/opacity\(\s*0(?:\.0*)?%?\s*\)/.test(value("filter"))) return true;
  if (isClipped(value("clip"), value("clip-path"))) return true;
  if (/scale[xy3d]*\(\s*0(?:\.0*)?\s*[,)]/.test(value("transform")) || isZero("scale")) return true;
  if (movedAway.test(value("transform"))) return true;
  const isCut = /^(?:hidden|clip)/.test(value("overflow")) || /^(?:hidden|clip)/.test(value("overflow-x"));
  const tiny = /^[01](?:\.\d*)?(?:px|pt)?$/;
  if (isCut && ["width", "height", "max-width", "max-height"].some((name) => tiny.test(value(name)))) return true;
  return ["text-indent", "margin-left", "margin-top", "margin-right", "left", "top", "right", "bottom"].some((name) => {
    // A large positive margin may be meant for layout.
    return away.test(value(name)) && (value(name).startsWith("-") || !name.startsWith("margin"));
  });
}

function isClipped(clip: string, path: string): boolean {
  if (/^rect\( ?[01](?:px)? [01](?:px)? [01](?:px)? [01](?:px)? ?\)/.test(clip.replace(/[\s,]+/g, " "))) return true;
  return /^inset\(\s*(?:[5-9]\d|100)(?:\.\d*)?%|^circle\(\s*0|^polygon\(\s*0\s+0\s*,\s*0\s+0/.test(path);
}

/** Text in the colour of its background. */
function isCovered(color: string, background: string): boolean {
  return color !== "" && color !== "inherit" && color !== "currentcolor" && colorOf(color) === colorOf(background);
}

function colorOf(value: string): string {
  const name = value.replace(/\s+/g, "");
  if (name === "white" || /^rgb\(255,255,255\)$/.test(name)) return "#ffffff";
  if (name === "black" || /^rgb\(0,0,0\)$/.test(name)) return "#000000";
  return /^#[\da-f]{3}$/.test(name) ? name.replace(/[\da-f]/g, "$&$&") : name;
}

/** The properties of an inline style, lower-case; the last declaration of each. */
function declarations(style: string): ReadonlyMap<string, string> {
  let text = style;
  if (text.includes("/*")) text = text.replace(/\/\*[^*]*(?:\*(?!\/)[^*]*)*(?:\*\/|$)/g, "");
  if (text.includes("\\"))
    text = text.replace(/\\([\da-f]{1,6})\s?|\\/gi, (_, hex: string | undefined) =>
      hex === undefined ? "" : String.fromCodePoint(Math.min(Number.parseInt(hex, 16), 0x10ffff)),
    );
  const values = new Map<string, string>();
  for (const declaration of text.toLowerCase().split(";")) {
    const colon = declaration.indexOf(":");
    if (colon < 0) continue;
    const value = declaration.slice(colon + 1).trim();
    const end = value.indexOf("!");
    values.set(declaration.slice(0, colon).trim(), (end < 0 ? value : value.slice(0, end)).trim());
  }
  return values;
}
