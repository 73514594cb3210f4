import { firstSentences } from "../sentences.ts";
import { plain } from "./description-text.ts";
import { below, entriesOf, itemsOf, rootOf, type Description, type Located } from "./located.ts";
import { follow } from "./references.ts";
import { toText } from "./values.ts";
import { listOf, objectOf } from "../json.ts";

/** A way to authenticate. */
export interface Scheme {
  readonly name: string;
  /** `http`, `apiKey`, `oauth2`, `openIdConnect` or `mutualTLS`. */
  readonly type: string;
  /** Of `http`: the scheme, such as `bearer`; of an API key: its place. */
  readonly detail: string;
  /** Of an API key: name of the header, query parameter or cookie. */
  readonly parameter: string;
  readonly description: string;
  readonly deprecated: boolean;
  /** Of OAuth 2: flows with their addresses in words; of OpenID Connect: its address. */
  readonly flows: readonly string[];
  readonly scopes: readonly { readonly name: string; readonly meaning: string }[];
}

/** Schemes that are needed together, with their scopes; empty if no authentication is needed. */
export type SecurityChoice = readonly { readonly scheme: Scheme; readonly scopes: readonly string[] }[];

/** Maximum number of scopes of a scheme that are listed. */
const maxScopes = 1000;

/** The place of the schemes in a description. */
export function schemesIn(description: Description): Located {
  const keys = description.version === "2.0" ? ["securityDefinitions"] : ["components", "securitySchemes"];
  return below(rootOf(description), ...keys);
}

/** The schemes of a description by name. */
export function schemesOf(description: Description): ReadonlyMap<string, Scheme> {
  return new Map(
    entriesOf(schemesIn(description)).flatMap(([name, at]) => {
      const scheme = follow(description, at);
      return scheme === undefined ? [] : [[name, toScheme(name, scheme)] as const];
    }),
  );
}

/** Maximum length of what is said of a key where it is needed, in characters. */
const maxForm = 200;

/** The alternatives in `security`. Undefined schemes are left out; of descriptions the first sentences about API keys stay. */
export function toChoices(at: Located, schemes: ReadonlyMap<string, Scheme>): SecurityChoice[] {
  return itemsOf(at).flatMap((choice) => {
    const named = entriesOf(choice);
    const known = named.flatMap(([name, scopes]) => {
      const definition = schemes.get(name);
      if (definition === undefined) return [];
      const form = definition.type === "apiKey" ? firstSentences(plain(definition.description), maxForm) : "";
      const scheme: Scheme = { ...definition, description: form, flows: [], scopes: [] };
      return [{ scheme, scopes: listOf(scopes.value).map(toText).slice(0, maxScopes) }];
    });
    // An alternative with only undefined schemes does not mean that none is needed.
    return named.length > 0 && known.length === 0 ? [] : [known];
  });
}

function toScheme(name: string, { value }: Located): Scheme {
  const fields = objectOf(value);
  const type = toText(fields["type"]);
  // Swagger 2.0 calls HTTP's basic authentication a type of its own.
  const basic = type === "basic";
  const flows = flowsOf(fields);
  return {
    name,
    type: basic ? "http" : type,
    detail: basic ? "basic" : toText(type === "apiKey" ? fields["in"] : fields["scheme"]),
    parameter: toText(fields["name"]),
    description: toText(fields["description"]),
    deprecated: fields["deprecated"] === true,
    flows: flows.map(([, words]) => words),
    scopes: flows
      .flatMap(([flow]) => Object.entries(objectOf(flow["scopes"])))
      .filter(([scope], index, all) => all.findIndex(([other]) => other === scope) === index)
      .slice(0, maxScopes)
      .map(([scope, meaning]) => ({ name: scope, meaning: toText(meaning) })),
  };
}

function flowsOf(scheme: Readonly<Record<string, unknown>>): [Readonly<Record<string, unknown>>, string][] {
  const url = toText(scheme["openIdConnectUrl"]);
  if (url !== "") return [[{}, `OpenID Connect discovery at ${url}`]];
  const flows = Object.entries(objectOf(scheme["flows"])).filter(([name]) => !name.startsWith("x-"));
  const old = toText(scheme["flow"]);
  if (old !== "") flows.push([old, scheme]);
  return flows.map(([name, flow]) => {
    const fields = objectOf(flow);
    const places = [
      ["authorization", fields["authorizationUrl"]],
      ["device authorization", fields["deviceAuthorizationUrl"]],
      ["token", fields["tokenUrl"]],
      ["refresh", fields["refreshUrl"]],
    ].flatMap(([what, address]) => (toText(address) === "" ? [] : [`${toText(what)} at ${toText(address)}`]));
    return [fields, [`flow ${name}`, ...places].join(", ")];
  });
}

/** Ways to authenticate, in words; "" if none is needed. */
export function authenticationWords(choices: readonly SecurityChoice[]): string {
  const ways = choices.map((choice) =>
    choice
      .map(({ scheme, scopes }) => {
        const scopeWords = scopes.length === 0 ? "" : `, ${scopes.map((scope) => `\`${scope}\``).join(", ")}`;
        return `${schemeWords(scheme)[0]} (\`${scheme.name}\`${scopeWords})`;
      })
      .join(" and "),
  );
  const needed = ways.filter((way) => way !== "");
  if (needed.length === 0) return "";
  return `${needed.join(", or ")}${needed.length < ways.length ? ", or none" : ""}`;
}

/** Sentences about the form of API keys, which only descriptions tell; "" for none. */
export function keyWords(choices: readonly SecurityChoice[]): string {
  const schemes = new Map(choices.flat().map(({ scheme }) => [scheme.name, scheme.description]));
  return [...schemes].map(([name, form]) => (form === "" ? "" : ` \`${name}\`: ${form}`)).join("");
}

/** The credential of a scheme in words, and a sentence about it. */
export function schemeWords({ type, detail, parameter }: Scheme): readonly [credential: string, sentence: string] {
  switch (type) {
    case "apiKey":
      return [`API key in ${detail} \`${parameter}\``, `API key, sent as ${detail} \`${parameter}\`.`];
    case "http":
      return [`HTTP ${detail} authentication`, `HTTP ${detail} authentication, in the header \`Authorization\`.`];
    case "oauth2":
      return ["OAuth 2 access token", "OAuth 2, an access token in the header `Authorization`."];
    case "openIdConnect":
      return ["OpenID Connect token", "OpenID Connect."];
    case "mutualTLS":
      return ["client certificate", "A client certificate (mutual TLS)."];
    default:
      return [type, type];
  }
}
