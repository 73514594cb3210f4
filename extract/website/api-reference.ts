import { Parser } from "htmlparser2";

/** Attributes with the address of a description, by element: Redoc, Stoplight Elements, RapiDoc. */
const elements: Readonly<Record<string, string>> = {
  redoc: "spec-url",
  "elements-api": "apidescriptionurl",
  "rapi-doc": "spec-url",
};

/** Scripts in which Swagger UI is set up, as its distribution has them. */
const setUp = /(?:^|\/)swagger-initializer\.js(?:\?|$)/;

/** In every such page. Most pages have none of it, and are not parsed for it. */
const traces = /swagger|redoc|rapi-doc|elements-api|api-reference|createApiReference/i;

/** How much of a script is examined, in characters. */
const maxScript = 100_000;

/** Where a page that shows an API has its description. */
export interface ApiReference {
  /** Address of the description, as written. */
  readonly description?: string;
  /** Address of the script that has it. */
  readonly script?: string;
}

/** The description that a page of Swagger UI, Redoc, Scalar, Stoplight Elements or RapiDoc shows; undefined for other pages. */
export function apiReferenceOf(html: string): ApiReference | undefined {
  if (!traces.test(html)) return undefined;
  let found: ApiReference | undefined;
  let script: string[] | undefined;
  const parser = new Parser({
    onopentag(name, attributes) {
      const own = Object.hasOwn(elements, name) ? attributes[elements[name] ?? ""] : undefined;
      const scalar = name === "script" && attributes["id"] === "api-reference" ? attributes["data-url"] : undefined;
      const description = own ?? scalar;
      if (description !== undefined && description !== "") found ??= { description };
      if (name !== "script") return;
      const { src } = attributes;
      if (src !== undefined && setUp.test(src)) found ??= { script: src };
      script = [];
    },
    ontext: (text) => void script?.push(text),
    onclosetag(name) {
      if (name !== "script") return;
      const description = descriptionInScript(script?.join("") ?? "");
      if (description !== undefined) found ??= { description };
      script = undefined;
    },
  });
  parser.end(html);
  return found;
}

/** The address of the description in a script that sets up one of these; undefined for others. */
export function descriptionInScript(script: string): string | undefined {
  const text = script.slice(0, maxScript);
  const [, redoc] = /Redoc\.init\(\s{0,20}["']([^"'\s]{1,1000})["']/.exec(text) ?? [];
  if (redoc !== undefined) return redoc;
  if (!/SwaggerUIBundle|createApiReference/.test(text)) return undefined;
  return /\burl["']?\s{0,20}:\s{0,20}["']([^"'\s]{1,1000})["']/.exec(text)?.[1];
}
