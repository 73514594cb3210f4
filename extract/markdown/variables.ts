/** Finds the value of a name; undefined without one. `isBraced`: it is in double braces, so it may be a variable of the site. */
export type ValueOf = (name: string, isBraced?: boolean) => string | undefined;

/** Prefixes of a page's own values, which are in its front matter, and of its site's. */
const own = /^(?:page|\$?frontmatter|\$page\.frontmatter|params|meta|\.?Params|\.Page\.Params)\./;
const site = /^(?:site|config|book|extra|vars?|variables|product|theme|project|env|\.Site|\$site|\$themeConfig)\./;
const token =
  /(?<!`)`+[^`\n]{1,500}`+|\{\{-?[ \t]{0,5}(?<name>[\w.$-]{1,80}|"(?<text>[^"{}\n]{1,200})"|'(?<quoted>[^'{}\n]{1,200})')(?:[ \t]{0,5}\|[^{}\n]{0,200})?[ \t]{0,5}-?\}\}(?<slash>\/?)|\{%-?[ \t]{1,5}(?:link|post_url)[ \t]{1,5}(?<link>[^\s%{}]{1,200})[ \t]{1,5}-?%\}|\{(?<expression>(?:props|frontmatter)\.[\w.-]{1,80})\}|\$\{(?<shell>\w{1,60})\}|%(?<percent>[A-Za-z][\w.-]{0,60})%|\{\{(?:(?<part>[/>!^][^{}\n]{0,200})|~?(?:#\s{0,5})?[\w-]{1,40}(?<args>(?:\s{1,5}(?:"[^"{}\n]{1,300}"|\d{1,4})){1,4})|(?:~|#)[^{}\n]{0,200})\s{0,5}~?\}\}|(?<control>\{%-?[ \t]{0,5}(?:(?:end)?(?:for|if|unless|case|capture|tablerow|macro)|elsif|elif|else|when|assign|set|import|increment|decrement|cycle|include|include_relative|include_cached|render)(?![\w-])[^%\n]{0,300}%\})|(?<![|\w<])\|(?<bars>[a-z][\w-]{1,40})\|(?![|\w>])|(?<![\w:`])\{(?<role>[a-z][\w:+-]{1,30})\}`(?<content>[^`\n]{1,300})`|(?<![\w:])(?::(?<kind>badge|kbd|button|icon|abbr|tooltip|u-[a-z-]{1,20})(?=[[{])(?:\[(?<label>[^[\]\n]{0,100})\])?(?:\{(?<options>[^{}\n]{0,200})\})?)/g;
const quick =
  /\{\{|\{%|\{[a-z]|\$\{|%[A-Za-z]|\|[a-z][\w-]{1,40}\||:(?:badge|kbd|button|icon|abbr|tooltip|u-)[\w-]{0,20}[[{]/;
/** Roles whose content is code, in any domain. */
const codeRoles =
  /^(?:func|function|class|meth|method|mod|module|attr|attribute|data|exc|obj|object|const|file|program|option|envvar|code|command|kbd|samp|makevar|token|type|macro|member|enum|struct|var|property|decorator|dir|role|literal|py|c|cpp|js)$/;
/** Roles whose content is text; so are others with a hyphen or domain in their names. */
const textRoles =
  /^(?:ref|doc|term|numref|any|eq|abbr|guilabel|menuselection|download|cite|sub|sup|pep|rfc|strong|emphasis|external|[a-z]{1,20}[-:+].{1,30})$/;
/** Stands before the name of a label whose section's title is wanted as its value. */
export const labelMark = "(label)";
/** The same for the name of a page. */
export const pageMark = "(page)";

/** Roles of pictures. */
const icons = /^(?:octicon|icon|fa[brs]?|material-\w{1,20})$/;

/**
 * Replaces variables of Jekyll, MkDocs, VitePress, Vue, MyST and Writerside by their values, else by their names; roles of MyST and
 * inline directives of Nuxt Content by their text. Code spans stay as they are.
 */
export function fillVariables(markdown: string, valueOf: ValueOf): string {
  if (!quick.test(markdown)) return markdown;
  return markdown.replace(token, (whole: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    const { name, slash = "", link, expression, bars, role, content, args } = groups;
    const word = groups["text"] ?? groups["quoted"];
    if (word !== undefined) return word + slash;
    if (name !== undefined) return (valueOfName(name, valueOf) ?? whole.slice(0, whole.length - slash.length)) + slash;
    if (link !== undefined) return link;
    if (groups["control"] !== undefined) return "";
    if (args !== undefined) return [...args.matchAll(/"([^"]*)"/g)].map(([, value = ""]) => value).join(", ");
    if (groups["part"] !== undefined || /^\{\{[~#]/.test(whole)) return "";
    if (expression !== undefined) return valueOfName(expression.replace(/^props\./, ""), valueOf) ?? whole;
    const plain = groups["shell"] ?? groups["percent"];
    if (plain !== undefined) return valueOf(plain) ?? whole;
    if (bars !== undefined) return isRow(rest) ? whole : (valueOf(bars) ?? bars);
    if (role !== undefined && content !== undefined) return roleText(role, content, valueOf);
    if (groups["kind"] !== undefined)
      return groups["label"] ?? /(?:value|label|text)="([^"]*)"/.exec(groups["options"] ?? "")?.[1] ?? "";
    return whole;
  });
}

/** The value of a variable, or its name; undefined for a text about templates, not a variable. */
function valueOfName(name: string, valueOf: ValueOf): string | undefined {
  if (/\b(?:base_?url|relativeurl|root)$/i.test(name) && site.test(name)) return "";
  const value = valueOf(name.replace(own, ""), true);
  if (value !== undefined) return value;
  return own.test(name) || site.test(name) ? name.replace(/^[.$]+/, "") : undefined;
}

/** True for a bar in a table, which delimits a cell. `rest` are the arguments of `replace`. */
function isRow(rest: readonly unknown[]): boolean {
  const [offset, text] = rest.slice(-3, -1);
  if (typeof offset !== "number" || typeof text !== "string") return true;
  const around = text.slice(Math.max(0, offset - 300), offset + 300);
  const middle = Math.min(offset, 300);
  const line = around.slice(around.lastIndexOf("\n", middle - 1) + 1, (around.indexOf("\n", middle) + 1 || 601) - 1);
  return line.trimStart().startsWith("|") || line.split("|").length % 2 === 0 || /\| {0,5}--|-- {0,5}\|/.test(around);
}

/** ``{ref}`text <target>` `` as its text, ``{func}`name` `` as code, ``{math}`x_1` `` as a formula. */
function roleText(role: string, content: string, valueOf: ValueOf): string {
  const shown = /^([^<]{1,200}?)[ \t]{0,5}<[^<>]{1,200}>$/.exec(content)?.[1] ?? content;
  const name = role.split(/[:+]/).at(-1) ?? "";
  if (role === "math") return `$${content}$`;
  if (icons.test(role)) return "";
  if (role === "sub-ref") return valueOf(content) ?? content;
  if (role === "ref" && shown === content) return valueOf(labelMark + content) ?? content;
  if (role === "doc" && shown === content) return valueOf(pageMark + content) ?? content;
  if (role === "numref") return shown.replace(/[ \t]{0,5}(?:%s|\{number\})/, "");
  if (codeRoles.test(name)) return `\`${shown.replace(/^[~!]/, "")}\``;
  return textRoles.test(role) ? shown : `{${role}}\`${content}\``;
}
