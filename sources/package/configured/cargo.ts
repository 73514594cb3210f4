import { dirname, isAbsolute, join } from "node:path";
import { parse } from "smol-toml";
import { z } from "zod";
import { registries } from "../../../domain/packages.ts";
import {
  certificatesOf,
  placesOf,
  proxyOf,
  readAddress,
  routeOf,
  type ConfiguredProgram,
  type ReadText,
  type Variables,
} from "./program.ts";

const text = z.string().optional();
const configurationSchema = z.object({
  source: z.record(z.string(), z.looseObject({ "replace-with": text, registry: text })).optional(),
  registries: z.record(z.string(), z.looseObject({ index: text, token: text })).optional(),
  http: z.looseObject({ proxy: text, cainfo: text }).optional(),
});
const credentialsSchema = z.object({ registries: z.record(z.string(), z.looseObject({ token: text })).optional() });

/** Cargo with the configuration of its home folder: https://doc.rust-lang.org/cargo/reference/config.html. @throws Error for a wrong setting */
export function cargoProgram(home: string, env: Variables, read: ReadText): ConfiguredProgram {
  /** @throws Error with the path of the file, but not its content, which has tokens */
  function tables<Shape>(schema: z.ZodType<Shape>, name: string): Shape {
    const path = join(home, name);
    try {
      return schema.parse(parse(read(path)));
    } catch {
      throw new Error(`${path} is not a valid configuration of cargo. Check it with cargo itself.`);
    }
  }
  const config = tables(configurationSchema, "config.toml");
  const credentials = tables(credentialsSchema, "credentials.toml");
  const names = new Set([
    ...Object.keys(config.registries ?? {}),
    ...Object.keys(credentials.registries ?? {}),
    ...namesIn(env),
  ]);

  /** The sparse index of a registry or source; undefined for an index in Git or a folder. */
  const indexOf = (name: string): string | undefined => {
    const written = env[variable(name, "INDEX")] ?? config.registries?.[name]?.index ?? config.source?.[name]?.registry;
    if (name === "crates-io" && written === undefined) return registries.crates.url;
    return written?.startsWith("sparse+") ? readAddress(written.slice("sparse+".length))?.url : undefined;
  };
  const tokens = new Map<string, string>();
  for (const name of names) {
    // crates.io needs its token for publishing only.
    const token =
      name === "crates-io"
        ? ""
        : (env[variable(name, "TOKEN")] ??
          credentials.registries?.[name]?.token ??
          config.registries?.[name]?.token ??
          "");
    const index = indexOf(name);
    if (index !== undefined && token !== "") tokens.set(index, token);
  }

  function authorizationFor(place: string, url: URL): string | null {
    return new URL(place).origin === url.origin ? (tokens.get(place) ?? null) : null;
  }

  const standard = indexOf(replaced(config.source ?? {}));
  const indexes = [standard, ...[...names].map(indexOf)].filter((index) => index !== undefined);
  const cainfo = env["CARGO_HTTP_CAINFO"] ?? config.http?.cainfo ?? "";
  return {
    placesOf: () => (standard === undefined ? unreadable : placesOf(indexes, authorizationFor)),
    authorizationFor,
    route: routeOf(
      proxyOf(
        "http.proxy of cargo's configuration",
        env["CARGO_HTTP_PROXY"] ?? config.http?.proxy ?? "",
        env["no_proxy"] ?? env["NO_PROXY"] ?? "",
      ),
      certificatesOf(
        "http.cainfo of cargo's configuration",
        cainfo === "" || isAbsolute(cainfo) ? cainfo : join(dirname(home), cainfo),
        read,
      ),
    ),
  };
}

const unreadable =
  "Cargo's configuration replaces crates.io with an index in Git or a folder, and only sparse indexes are read. Give its sparse+https address.";

/** The source that replaces crates.io, which may be replaced in turn. @throws Error for a cycle */
function replaced(sources: Readonly<Record<string, { readonly "replace-with"?: string | undefined }>>): string {
  const visited = new Set<string>();
  for (let name = "crates-io"; ;) {
    if (visited.has(name)) throw new Error("The sources of cargo's configuration replace each other in a circle.");
    visited.add(name);
    const next = sources[name]?.["replace-with"];
    if (next === undefined) return name;
    name = next;
  }
}

/** The environment variable of a registry's field. */
function variable(name: string, field: string): string {
  return `CARGO_REGISTRIES_${name.toUpperCase().replace(/[-.]/g, "_")}_${field}`;
}

function namesIn(env: Variables): readonly string[] {
  return Object.keys(env).flatMap((name) => {
    const [, registry] = /^CARGO_REGISTRIES_(.+)_INDEX$/.exec(name) ?? [];
    return registry === undefined ? [] : [registry.toLowerCase().replaceAll("_", "-")];
  });
}
