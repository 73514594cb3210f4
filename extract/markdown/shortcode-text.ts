import { calloutLabel, isCallout } from "./callouts.ts";
import type { Attributes } from "./fields.ts";
import type { ValueOf } from "./variables.ts";

/** A shortcode's tag. */
export interface Shortcode {
  readonly at: number;
  readonly end: number;
  readonly name: string;
  readonly closing: boolean;
  readonly rest: string;
  /** Nothing else stands on its lines, and it closes or may be closed. */
  readonly alone: boolean;
  /** Nothing stands before it on its line. */
  readonly leads: boolean;
  /** Its page has a closing tag of that name. */
  readonly isPaired: boolean;
}

const calloutNames = /^(?:alert|admonition|callout|hint|notice|aside|panel)$/;
const titledNames =
  /^(?:details|steps?|accordion|accordion-item|collapse|collapsible|collapsed|expand|expandable|card|cards\/card|spoiler|toggle|dropdown)$/;
const wordNames = /^(?:gloss|term|abbr|kbd|key|button|btn|badge|link|tooltip|hover|req|label|tag|pill)/;
const variableNames =
  /^(?:param|params|var|vars|variable|site-?param|page-?param|get-?param|conref|const|constant|skew|version|config)$/;
const linkNames = /^(?:button|btn|link|a|card|cards\/card|linkcard|link-card|feature|tile)$/;
/** What shows a picture, or nothing. */
const silentNames =
  /^(?:br|hr|clear|toc|icon|icons|fa\w?|anchor|a?id|image|img|picture|svg|video|youtube|vimeo|gist|tweet|x|instagram|asciinema|comment|qr|mermaid|include|readfile|highlight|raw|end\w*|.*[-_./](?:image|img|icon|video|include|start|end|open|close|begin))$/i;
/** Headings of kubernetes.io. */
const headings: Readonly<Record<string, string>> = {
  prerequisites: "Before you begin",
  whatsnext: "What's next",
  cleanup: "Clean up",
  seealso: "See also",
};

/** The Markdown that replaces a shortcode, except for code. `valueOf` finds the values of names in the front matter. */
export function textOf(tag: Shortcode, valueOf: ValueOf): string {
  const { name, closing, rest, alone, leads } = tag;
  const said = attributes(rest);
  const [first = "", second = ""] = words(rest);
  if (/^tabs?$|^tabpane$|^tabs-?item$/.test(name)) {
    const isGroup = name === "tabs" || name === "tabpane";
    if (isGroup) return !alone ? "" : closing ? "{% endtabs %}" : "{% tabs %}";
    if (closing) return "{% endtab %}";
    const label = said["name"] ?? said["header"] ?? said["title"] ?? said["label"] ?? first;
    return leads && said["disabled"] !== "true" ? tabMarker(label) : "";
  }
  const address = addressOf(tag);
  if (closing) return "";
  if (name === "ref" || name === "relref") return said["path"] ?? first;
  if (/^new-in$|^deprecated-in$/.test(name))
    return `**${name.startsWith("n") ? "New" : "Deprecated"} in ${first.replace(/\/$/, "")}:**`;
  if (name === "feature-state") return featureState(said);
  if (name === "heading") return headings[first] ?? first.charAt(0).toUpperCase() + first.slice(1);
  if (variableNames.test(name)) {
    const asked = said["name"] ?? said["key"] ?? (first || name);
    return valueOf(asked) ?? asked;
  }
  if (/^filetree\/(?:folder|file)$/.test(name)) return `- ${said["name"] ?? first}${name.endsWith("r") ? "/" : ""}`;
  const title = said["title"] ?? said["header"] ?? said["summary"] ?? "";
  const behind = alone ? "" : " ";
  if (calloutNames.test(name)) {
    const given = [said["type"], said["color"], said["style"], first].find((word) => isCallout(word ?? ""));
    return calloutLabel(given ?? "note", title || second) + behind;
  }
  if (isCallout(name)) return calloutLabel(name, title || first) + behind;
  if (name === "figure") return said["caption"] ?? title;
  if (address !== "") return linkTo(address, title || (said["text"] ?? ""), said["subtitle"]);
  if (titledNames.test(name)) {
    const label = title || (said["name"] ?? said["label"] ?? first);
    return leads && label !== "" ? `**${label.replaceAll("*", "")}**${behind}` : "";
  }
  return wordsOf(tag, said, first, second, valueOf);
}

/** Where a shortcode that is a link leads; "" without. */
export function addressOf({ name, rest }: Shortcode): string {
  if (!linkNames.test(name)) return "";
  const said = attributes(rest);
  return said["href"] ?? said["relref"] ?? said["ref"] ?? said["link"] ?? said["url"] ?? "";
}

function linkTo(address: string, label: string, subtitle = ""): string {
  const shown = label.replace(/[*[\]]/g, "");
  if (shown === "" || !/^[^\s()]{1,300}$/.test(address)) return shown;
  return `[${shown}](${address})${subtitle === "" ? "" : `: ${subtitle}`}`;
}

/** The words for a shortcode within a sentence, which would have a gap without them. */
function wordsOf(
  { name, alone, isPaired }: Shortcode,
  said: Attributes,
  first: string,
  second: string,
  valueOf: ValueOf,
): string {
  const given = said["text"] ?? said["label"];
  if (given !== undefined) return given;
  if (wordNames.test(name))
    return (
      (/^(?:button|btn|link)$/.test(name) && second !== "" ? second : first) ||
      ((alone ? undefined : said["term_id"]) ?? said["term"] ?? "")
    );
  if (alone || isPaired || silentNames.test(name)) return "";
  const shown = said["title"] ?? said["name"] ?? said["term"] ?? said["page"];
  return shown ?? (first || (valueOf(name) ?? name));
}

/** As kubernetes.io shows it. */
function featureState(said: Attributes): string {
  const version = said["for_k8s_version"];
  const state = said["state"] === undefined ? "" : ` [${said["state"]}]`;
  const gate = said["feature_gate_name"];
  const shown =
    version === undefined ? (gate === undefined ? "" : `feature gate \`${gate}\``) : `Kubernetes ${version}`;
  return shown + state === "" ? "" : `**Feature state:** ${shown}${state}`;
}

/** The marker of a tab, as `createTabs` reads it. */
export function tabMarker(label: string): string {
  return label === "" ? "" : `{% tab title="${label}" %}`;
}

const pair = /([\w-]{1,40})\s*=\s*(?:"([^"]{0,600})"|'([^']{0,600})'|([^\s"']{1,300}))/g;

/** The named parameters. */
export function attributes(rest: string): Attributes {
  return Object.fromEntries(
    [...rest.matchAll(pair)].map(([, key = "", double, single, bare]) => [key, double ?? single ?? bare]),
  );
}

/** The positional parameters, at most three. */
export function words(rest: string): string[] {
  const found = rest.replace(pair, " ").matchAll(/"([^"]{1,300})"|`([^`]{1,300})`|([^\s"`]{1,300})/g);
  return [...found]
    .slice(0, 3)
    .map(([, double, raw, bare]) => double ?? raw ?? bare ?? "")
    .filter((word) => word !== "/");
}
