import * as z from "zod";
import { authorize, may } from "../../domain/authorizing.ts";
import { Failure } from "../../domain/failures.ts";
import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import { packageName } from "../../domain/kinds/package.ts";
import {
  parsePackage,
  registries,
  registryNames,
  type RegistryAccess,
  type RegistryPlace,
} from "../../domain/packages.ts";
import { jsonBody } from "../body.ts";
import { oneOf, text, truth } from "../parameters.ts";
import { commonFields, form, optionsForm, placeIn, submissionOf, type KindForms } from "./form.ts";

const options = {
  version: text(1, 200).optional().describe("Version or tag of the default version; default: the newest release."),
};

const packageBody = z
  .object({
    name: text(1, 300).describe("The package's name, such as zod, @types/node or github.com/spf13/cobra."),
    registry: oneOf(registryNames)
      .default("npm")
      .describe("The kind of registry that has it. Its address is the server's configuration."),
    registryUrl: text(1, 2000)
      .optional()
      .describe("Address of a configured registry, if several have the name. For administrators of the instance."),
    ...options,
    ...commonFields,
    private: truth()
      .optional()
      .describe("Belongs to the key's teamspace. Default: true if the server has credentials for the registry."),
  })
  .meta({ id: "Package" });

const path = "/v2/add/package";

/** Packages of registries. */
export const packageForms: KindForms<never> = {
  noun: "package",
  plural: "packages",
  forms: [
    form({
      path,
      address: "name",
      scope: "submit",
      about: {
        operationId: "addPackage",
        summary: "Submit a package",
        description: `The documentation of a package at a version, and the API that it declares. From ${registryNames.map((name) => registries[name].label).join(", ")}.`,
      },
      body: jsonBody(packageBody),
      failures: ["duplicate_library", "forbidden"],
      async toSubmission({ caller, body: fields, options: { settings } }) {
        const source = toSpec(fields, settings.registries, may(caller, "registry.submit"));
        if (source.named === true) authorize(caller, "registry.submit");
        if (source.restricted) {
          authorize(caller, "registry.submit");
          if (fields.private === false)
            throw new Failure(
              "validation_error",
              `${source.url} is read with the server's credentials, and its packages are never public. Leave private out.`,
            );
        }
        const isPrivate = source.restricted || (fields.private ?? false);
        return submissionOf(source, fields, { title: source.name, private: isPrivate });
      },
    }),
  ],
  credential: null,
  options: optionsForm(options, (spec: PackageSourceSpec, given) => ({
    ...spec,
    ...("version" in given && { version: given.version ?? null }),
  })),
  typed(address) {
    const { registry, name, version } = parsePackage(address) ?? {};
    if (registry === undefined) return null;
    return { path, body: { registry, name, ...(version !== null && { version }) } };
  },
  place: (source) =>
    placeIn<PackageSourceSpec>(source, ({ name, registry, url, named }) => ({
      name,
      registry,
      ...(named === true && { registryUrl: url }),
    })),
  fields: {},
};

/**
 * The spec of a requested package: of the named registry, else of the first that the caller may submit from.
 * @throws Failure validation_error
 */
function toSpec(
  { registry, name: given, version, registryUrl }: z.infer<typeof packageBody>,
  access: RegistryAccess,
  mayRestricted: boolean,
): PackageSourceSpec {
  const name = packageName(registry, given);
  const places = access.placesOf(registry, name);
  if (typeof places === "string") throw new Failure("validation_error", places);
  const { url, restricted } = placeOf(places, registryUrl, mayRestricted);
  return {
    kind: "package",
    registry,
    name,
    version: version ?? null,
    url,
    restricted,
    ...(registryUrl !== undefined && { named: true }),
  };
}

function placeOf(
  places: readonly RegistryPlace[],
  registryUrl: string | undefined,
  mayRestricted: boolean,
): RegistryPlace {
  if (registryUrl === undefined) {
    const [first] = places;
    const place = mayRestricted ? first : (places.find(({ restricted }) => !restricted) ?? first);
    if (place === undefined) throw new TypeError("A package has one place at least.");
    return place;
  }
  const address = URL.parse(registryUrl)?.href.replace(/(?<!\/)\/*$/, "/");
  const named = places.find(({ url }) => url === address);
  if (named) return named;
  throw new Failure(
    "validation_error",
    "registryUrl is not a configured registry of this server. Give a configured one, or leave it out.",
  );
}
