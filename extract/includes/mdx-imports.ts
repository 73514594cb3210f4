import { aliased, type Written } from "./forms.ts";
import { attributesOf, toRanges } from "./arguments.ts";

/** An include that replaces the text between two offsets, `to` excluded. */
export interface TagInclude {
  readonly from: number;
  readonly to: number;
  readonly written: Written;
}

const statement =
  /^[ \t]*import[ \t]+([A-Za-z_$][\w$]{0,80})(?:[ \t]*,[ \t]*\{[^}\n]{0,200}\})?[ \t]+from[ \t]+(["'])([^"'\n]{1,500})\2/gm;

/**
 * Finds files that MDX imports as text and shows: `import X from '!!raw-loader!./x.ts'` or `'./x.ts?raw'` as
 * `<CodeBlock>{X}</CodeBlock>` or `<Code code={X} />` (Docusaurus, Astro), and pages imported as `<Part />` (MDX, Mintlify).
 */
export function findTags(source: string): TagInclude[] {
  if (!source.includes("import")) return [];
  const raw = new Map<string, string>();
  const parts = new Map<string, string>();
  for (const [, name = "", , from = ""] of source.matchAll(statement)) {
    const path = from.slice(from.lastIndexOf("!") + 1);
    const query = path.indexOf("?");
    if (/raw-loader/.test(from) || path.slice(query < 0 ? path.length : query).includes("raw"))
      raw.set(name, query < 0 ? path : path.slice(0, query));
    else if (/\.(?:mdx?|markdown)$/.test(path)) parts.set(name, path);
  }
  if (raw.size === 0 && parts.size === 0) return [];
  return [...source.matchAll(tag)].flatMap((match): TagInclude[] => {
    const [whole, name = "", attributes = "", selfClosing] = match;
    const written = parts.get(name);
    const from = match.index;
    if (written !== undefined) {
      const end = from + whole.length;
      const closing = `</${name}>`;
      const to = selfClosing === "/" ? end : source.startsWith(closing, end) ? end + closing.length : -1;
      return to < 0 ? [] : [{ from, to, written: { ...aliased(written), selection: {}, asCode: false } }];
    }
    const child = selfClosing === "/" ? undefined : childOf(source, from + whole.length, name);
    const inAttribute = /(?:^|\s)(?:code|source|content|children|text|raw)=\{([A-Za-z_$][\w$]{0,80})(?:\.trim\(\))?\}/;
    const shown = child?.shown ?? inAttribute.exec(attributes)?.[1];
    const path = shown === undefined ? undefined : raw.get(shown);
    if (path === undefined) return [];
    // If the code is in an attribute, the content of the element is kept.
    const to = child?.to ?? from + whole.length;
    return [{ from, to, written: toWritten(path, attributes) }];
  });
}

/** An opening tag of a component; attributes in quotes or braces may contain anything but a tag. */
const tag =
  /<([A-Z][\w$.]{0,80})((?:\s{1,200}(?:[\w:-]{1,60}(?:=(?:"[^"]{0,500}"|'[^']{0,500}'|\{[^{}]{0,500}(?:\{[^{}]{0,300}\}[^{}]{0,100})?\}))?|\{[^{}]{0,200}\})){0,30})\s{0,200}(\/?)>/g;

function childOf(source: string, at: number, name: string): { shown: string; to: number } | undefined {
  const child = /^\s{0,200}\{\s{0,20}([A-Za-z_$][\w$]{0,80})(?:\.trim\(\))?\s{0,20}\}\s{0,200}<\/([\w$.]{1,81})>/.exec(
    source.slice(at, at + 800),
  );
  return child?.[1] === undefined || child[2] !== name ? undefined : { shown: child[1], to: at + child[0].length };
}

function toWritten(path: string, attributes: string): Written {
  const { language, lang, className = "", title, metastring = "", filename } = attributesOf(attributes);
  const named = language ?? lang ?? /\blanguage-([\w+#-]+)/.exec(className)?.[1];
  const label = title ?? filename ?? /title=["']?([^"'\s]+)/.exec(metastring)?.[1];
  const lines = toRanges(/\{([\d,\s-]+)\}/.exec(metastring)?.[1] ?? "");
  return {
    ...aliased(path),
    selection: {},
    asCode: true,
    ...(!/\.\w+$/.test(path) && { endings: ["", ".ts", ".js", ".tsx", ".jsx"] }),
    ...(named !== undefined && named !== "" && { language: named }),
    ...(label !== undefined && label !== "" && { label }),
    ...(lines.length > 0 && { highlight: { lines, ofFile: false } }),
  };
}
