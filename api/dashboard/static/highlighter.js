"use strict";
// A worker that colours code: hostile code delays nothing but its own colours. Its name is the address of the grammars.
importScripts(self.name);

/** The kind of code by the first word of a scope, as the grammars name it. */
const kinds = {
  comment: "comment",
  quote: "comment",
  keyword: "keyword",
  built_in: "keyword",
  literal: "number",
  number: "number",
  symbol: "number",
  string: "string",
  regexp: "string",
  addition: "string",
  title: "title",
  section: "title",
  name: "title",
  type: "title",
  "selector-tag": "title",
  "selector-class": "title",
  "selector-id": "title",
  attr: "attribute",
  attribute: "attribute",
  property: "attribute",
  variable: "attribute",
  "template-variable": "attribute",
  meta: "comment",
  deletion: "keyword",
};

/** The kinds of code with their places: markup of the grammars, read as spans and characters. */
function placesOf(markup) {
  const places = [];
  const open = [];
  let at = 0;
  for (const [part, scope] of markup.matchAll(
    /<span class="(?:hljs-)?([\w-]*)[^"]*">|<\/span>|&(?:amp|lt|gt|quot|#x27);|[^<&]+/g,
  )) {
    if (scope !== undefined) open.push(kinds[scope] ?? open.at(-1));
    else if (part === "</span>") open.pop();
    else {
      const end = at + (part.startsWith("&") ? 1 : part.length);
      if (open.at(-1)) places.push([open.at(-1), at, end]);
      at = end;
    }
  }
  return { places, length: at };
}

self.onmessage = ({ data: { code, language } }) => {
  const isKnown = hljs.getLanguage(language) !== undefined;
  const { places, length } = placesOf(isKnown ? hljs.highlight(code, { language }).value : "");
  self.postMessage(length === code.length ? places : []);
};
