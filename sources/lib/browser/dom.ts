/** The part of the DOM that is used: the types of a Node program have none. */
interface PageNode {
  readonly nodeType: number;
  readonly childNodes: Iterable<PageNode>;
  readonly data: string;
  readonly localName: string;
  readonly namespaceURI: string | null;
  readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
  readonly shadowRoot: PageNode | null;
  readonly contentDocument: PageDocument | null;
  readonly href?: string;
  readonly src?: string;
  assignedNodes?(options: { flatten: boolean }): readonly PageNode[];
}

interface PageDocument {
  readonly URL: string;
  readonly contentType: string;
  readonly readyState: string;
  readonly documentElement: PageNode | null;
  readonly body: PageNode | null;
}

/** What a document shows. */
export interface Shown {
  readonly url: string;
  readonly mediaType: string;
  /** Whether all of the document was received. */
  readonly complete: boolean;
  /** Characters of text, without blanks. */
  readonly length: number;
  /** Equal for documents with the same text. */
  readonly hash: number;
  /** Absent where it was not asked for, or is longer than the limit. */
  readonly html?: string;
}

/**
 * Reads a document as it is shown: with open shadow roots in their hosts, and the content of same-origin frames in place of the
 * frames; without scripts, styles, templates and comments. With `maxLength` its HTML is made too, if it has no more
 * characters than that; 0 asks for the text alone. This function is sent to the page as text: it may use nothing outside itself.
 */
export function readDom(page: object, maxLength: number): Shown {
  const left = new Set(["script", "style", "noscript", "template", "noembed", "noframes", "object", "embed", "applet"]);
  const empty = new Set("area base br col hr img input link meta param source track wbr".split(" "));
  // The parser reads what is in these as text, and would not find the elements that a script has put into them.
  const renamed: Readonly<Record<string, string>> = { xmp: "pre", listing: "pre", plaintext: "pre" };
  const document = page as PageDocument;
  const parts: string[] = [];
  let size = 0;
  let length = 0;
  let hash = 0;

  const write = (text: string): void => {
    if (maxLength === 0 || size > maxLength) return;
    size += text.length;
    parts.push(text);
  };
  const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => escapes[character] ?? "");

  const readText = (text: string): void => {
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 32 || (code >= 9 && code <= 13)) continue;
      length += 1;
      hash = (Math.imul(hash, 31) + code) | 0;
    }
    if (maxLength > 0) write(escape(text));
  };
  const childrenOf = (node: PageNode): readonly PageNode[] => {
    if (node.shadowRoot !== null && node.shadowRoot !== undefined) return [...node.shadowRoot.childNodes];
    const assigned = node.localName === "slot" ? (node.assignedNodes?.({ flatten: true }) ?? []) : [];
    return assigned.length > 0 ? assigned : [...node.childNodes];
  };
  /** Links in a frame are relative to the frame's own address. */
  const valueOf = (node: PageNode, name: string, value: string, framed: boolean): string => {
    const absolute = framed && (name === "href" || name === "src") ? node[name] : undefined;
    return typeof absolute === "string" && absolute !== "" ? absolute : value;
  };
  const open = (node: PageNode, name: string, framed: boolean): void => {
    write(`<${name}`);
    for (const attribute of node.attributes)
      if (/^[^\s"'<>/=]+$/.test(attribute.name))
        write(` ${attribute.name}="${escape(valueOf(node, attribute.name, attribute.value, framed))}"`);
    write(">");
  };

  // Elements may be nested deeper than calls can be.
  type Step = { readonly node: PageNode; readonly framed: boolean } | string;
  const steps: Step[] = [];
  const push = (nodes: readonly PageNode[], framed: boolean): void => {
    for (let at = nodes.length - 1; at >= 0; at -= 1) {
      const node = nodes[at];
      if (node !== undefined) steps.push({ node, framed });
    }
  };
  if (document.documentElement !== null) push([document.documentElement], false);
  write("<!doctype html>");
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    if (typeof step === "string") {
      write(step);
      continue;
    }
    const { node, framed } = step;
    if (node.nodeType === 3 || node.nodeType === 4) readText(node.data);
    if (node.nodeType !== 1 || left.has(node.localName)) continue;
    const frame = node.localName === "iframe" || node.localName === "frame" ? node.contentDocument : undefined;
    const inner = frame?.body ? [...frame.body.childNodes] : undefined;
    const isHtml = node.namespaceURI === "http://www.w3.org/1999/xhtml";
    const name = frame === undefined ? (isHtml ? (renamed[node.localName] ?? node.localName) : node.localName) : "div";
    if (!/^[a-z][^\s"'<>/=]*$/i.test(name)) continue;
    if (frame === undefined) open(node, name, framed);
    else if (inner === undefined) continue;
    else write("<div>");
    if (isHtml && empty.has(name)) continue;
    const children = inner ?? childrenOf(node);
    // The parser drops a line break that comes first.
    const first = children[0];
    if ((name === "pre" || name === "textarea") && first?.nodeType === 3 && first.data.startsWith("\n")) write("\n");
    steps.push(`</${name}>`);
    push(children, framed || frame !== undefined);
  }
  const isShort = maxLength > 0 && size <= maxLength;
  return {
    url: document.URL,
    mediaType: document.contentType,
    complete: document.readyState !== "loading",
    length,
    hash,
    ...(isShort && { html: parts.join("") }),
  };
}
