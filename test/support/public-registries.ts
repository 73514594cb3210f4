import { registries, type RegistryAccess } from "../../domain/packages.ts";

/** Access to the public registries, without credentials. */
export const publicRegistries: RegistryAccess = {
  placesOf: (registry) => [{ url: registries[registry].url, restricted: false }],
  authorizationFor: () => null,
  routeOf: () => ({}),
};
