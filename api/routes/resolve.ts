import * as z from "zod";
import { Failure } from "../../domain/failures.ts";
import { createFairQueue } from "../../domain/fair-queue.ts";
import { parseRequestedPackage } from "../../domain/requested-packages.ts";
import { latest, packageName } from "../../domain/kinds/package.ts";
import { maxPackages, registryNames, type Dependency, type Lockfile } from "../../domain/packages.ts";
import { resolvePackages, type ResolvedPackage } from "../../domain/resolving.ts";
import { jsonAnswer, type ApiAnswer } from "../answers.ts";
import { jsonBody, type BodyKind } from "../body.ts";
import { multipartBody } from "../multipart.ts";
import { list, oneOf, text } from "../parameters.ts";
import type { ApiRequest } from "../request.ts";
import { route, success, type Call, type Route } from "../route.ts";
import { clientOf } from "../scheduling.ts";

/** Maximum size of a lockfile in bytes, with a key and without one. The largest projects have about three megabytes. */
const maxLockfile = 20_000_000;
const withoutKey = {
  maxBytes: 4_000_000,
  advice: `Send a key, which allows ${maxLockfile} bytes, or the packages as JSON.`,
};

const packageFields = {
  registry: oneOf(registryNames).default("npm").describe("Kind of registry."),
  name: text(1, 300).describe("The package's name."),
  version: text(1, 200).describe("Installed version, or a range."),
};

const packageParameters = z.object({
  registry: oneOf(registryNames)
    .optional()
    .describe("Kind of registry; default: the one in the name, else npm, else one that has a library of the name."),
  name: text(1, 300).describe(
    "The package's name, with or without a version: `zod@3.25.0`, `requests==2.32.3`, `crates:serde@1.0`, `example.com/owner/module@v1.2.0`.",
  ),
  version: text(1, 200)
    .optional()
    .describe("Installed version, or a range, if the name has none. Default: the newest."),
});

/** The library of a package. */
export const resolvedSchema = z
  .object({
    registry: z.enum(registryNames),
    name: z.string(),
    version: z.string().describe("The requested version."),
    direct: z
      .boolean()
      .nullable()
      .describe("Whether the project depends on it directly; null: the lockfile does not say."),
    dev: z.boolean().nullable().describe("Whether it is for development only; null: the lockfile does not say."),
    libraryId: z.string().describe("ID of the package's library, which may not exist yet."),
    source: z.string().describe("Address of the registry; empty: the server's configuration allows none for it."),
    found: z
      .enum(["exact", "nearest", "none"])
      .describe("`exact`: this version is indexed; `nearest`: another one is; `none`: none is."),
    ask: z
      .string()
      .nullable()
      .describe("Library ID for questions, with the version that answers; null if none is indexed."),
    indexedVersion: z.string().nullable().describe("The indexed version that answers."),
    indexing: z.boolean().describe("Whether it is being indexed now."),
    excluded: z.string().nullable().describe("Why the teamspace's policy excludes the library; null: it does not."),
    get: z
      .object({ method: z.literal("POST"), path: z.string(), body: z.record(z.string(), z.string()) })
      .nullable()
      .describe("The request that indexes the exact version; null: not needed, or not possible."),
  })
  .meta({ id: "ResolvedPackage" });

export const resolvedPackagesSchema = z.object({
  format: z.string().nullable().describe("Format of the lockfile; null for packages as JSON."),
  packages: z.array(resolvedSchema).describe("Direct dependencies first, then by name."),
  others: z.int().describe("Number of entries that are from no registry, or have no plain name."),
  leftOut: z.int().describe(`Number of packages beyond the first ${maxPackages}, which are left out.`),
});

const namedBody = jsonBody(z.object({ packages: list(z.object(packageFields), maxPackages) }).meta({ id: "Packages" }));
const fileBody = multipartBody(
  {
    lockfile: {
      maxBytes: maxLockfile,
      withoutKey,
      description: "A lockfile under its own name, such as package-lock.json.",
    },
  },
  z.object({}),
);
type Named = { readonly packages: readonly z.output<z.ZodObject<typeof packageFields>>[] };
/** A lockfile that is read when it is its turn. */
type Sent = () => ReturnType<typeof fileBody.read>;

/** Lockfiles in memory, which are large: of a client, and of a process. The others wait in their connections. */
const atOnce = createFairQueue<string>({ places: 16, most: () => 2 });

function bodyOf({ headers }: Pick<ApiRequest, "headers">): typeof namedBody | typeof fileBody {
  return /^application\/json\b/i.test(headers["content-type"] ?? "") ? namedBody : fileBody;
}

/** A lockfile in a form, or packages as JSON. */
const body: BodyKind<Named | Sent> = {
  missing: "Send a lockfile as multipart/form-data, or packages as JSON.",
  content: { ...fileBody.content, ...namedBody.content },
  announced: (request) => bodyOf(request).announced(request),
  async read(request, caller) {
    const kind = bodyOf(request);
    return kind === namedBody ? namedBody.read(request, caller) : () => fileBody.read(request, caller);
  },
};

/** Finds the libraries and versions that answer for packages. */
export const resolveRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/api/v2/resolve",
    scope: "anonymous",
    limit: "read",
    about: {
      operationId: "resolvePackages",
      tag: "Reading",
      summary: "Find the libraries of a lockfile",
      description:
        "The library and version that answer for each package of a lockfile or a list: package-lock.json, pnpm-lock.yaml, yarn.lock, bun.lock, requirements.txt, uv.lock, poetry.lock, Cargo.lock, go.sum.",
    },
    body,
    answers: success(resolvedPackagesSchema, "The library of each package."),
    failures: ["payload_too_large", "unsupported_media_type"],
    async handler(call) {
      const { body: sent, options, caller, address, request } = call;
      if (typeof sent === "object") {
        const dependencies = sent.packages.map(toDependency);
        return answer(call, { format: null, dependencies, others: 0, leftOut: 0 });
      }
      const by = { client: clientOf(caller, address), hasKey: caller.keyId !== null, signal: request.signal };
      const read = async (): Promise<Lockfile> => {
        const { name, bytes } = (await sent()).files.lockfile;
        if (bytes.length === 0) throw new Failure("validation_error", "lockfile is empty.");
        return options.readLockfile(name, bytes, by);
      };
      return answer(call, await atOnce.run(by.client, read, { signal: by.signal }));
    },
  }),
  route({
    method: "GET",
    path: "/api/v2/resolve",
    scope: "anonymous",
    limit: "read",
    about: { operationId: "resolvePackage", tag: "Reading", summary: "Find the library of a package" },
    parameters: packageParameters,
    answers: success(resolvedSchema, "The library of the package."),
    failures: [],
    async handler({ caller, options, parameters }) {
      const { ports, settings, countRead } = options;
      const resolved = await resolvePackages(ports, caller, settings.registries, dependenciesOf(parameters));
      const best = resolved.find(({ found }) => found !== "none") ?? resolved[0];
      if (best === undefined) throw new TypeError("A package has an answer.");
      if (best.counted) countRead(best.counted.uid, best.counted.version);
      return jsonAnswer(shown(best));
    },
  }),
];

async function answer(
  { caller, options }: Pick<Call, "caller" | "options">,
  { dependencies, ...lockfile }: Omit<Lockfile, "format"> & { readonly format: string | null },
): Promise<ApiAnswer> {
  const { ports, settings, countRead } = options;
  const resolved = await resolvePackages(ports, caller, settings.registries, dependencies);
  // An installed version counts as read.
  for (const { counted } of resolved) if (counted) countRead(counted.uid, counted.version);
  return jsonAnswer({ ...lockfile, packages: resolved.map(shown) });
}

function toDependency({ registry, name, version }: Named["packages"][number]): Dependency {
  return { registry, name: packageName(registry, name), version, direct: null, dev: null };
}

/** The packages that a name may refer to, in several registries. @throws Failure validation_error */
function dependenciesOf({ registry, name, version }: z.infer<typeof packageParameters>): readonly Dependency[] {
  const parsed = parseRequestedPackage(
    registry === undefined || /^(?:pkg:|\w+:)/.test(name) ? name : `${registry}:${name}`,
  );
  if (parsed === null) return [toDependency({ registry: registry ?? "npm", name, version: version ?? latest })];
  if (parsed.version !== null && version !== undefined)
    throw new Failure("validation_error", "Give the version in name or as version, not both.");
  if (registry !== undefined && !parsed.registries.includes(registry))
    throw new Failure("validation_error", `name is of ${parsed.registries.join(" or ")}, and registry is ${registry}.`);
  return parsed.registries.map((one) =>
    toDependency({ registry: one, name: parsed.nameIn(one), version: parsed.version ?? version ?? latest }),
  );
}

function shown({ counted: _counted, ...resolved }: ResolvedPackage): Omit<ResolvedPackage, "counted"> {
  return resolved;
}
