import { addRoute, createRouter, findRoute } from "rou3";

import type { ApiRequest } from "./request.ts";
import type { Route } from "./route.ts";

/** The routes of a path by method, and the parameters of the path, percent-encoded. */
export interface MatchedPath {
  readonly methods?: ReadonlyMap<string, Route>;
  readonly inPath?: Readonly<Record<string, string>> | undefined;
}

/** Finds routes by path; literal segments before parameters. Pages are found by browsers only. */
export function createTable(routes: readonly Route[]): (request: Pick<ApiRequest, "path" | "headers">) => MatchedPath {
  const router = createRouter<Map<string, Route>>();
  const byPath = Map.groupBy(
    routes.flatMap((one) => [one, ...(one.aliases ?? []).map((path) => ({ ...one, path }))]),
    ({ path }) => path,
  );
  for (const [path, all] of byPath) {
    addRoute(router, "", path.replaceAll(/\{(\w+)\}/g, ":$1"), new Map(all.map((one) => [one.method, one])));
  }
  return (request) => {
    const { path } = request;
    // The router ignores a trailing slash; the dispatcher has removed one, and more are another path.
    if (!path.startsWith("/") || (path !== "/" && path.endsWith("/"))) return {};
    const found = findRoute(router, "", path);
    if (!found) return {};
    // Pages and operations have different paths.
    for (const { forBrowsers } of found.data.values()) if (forBrowsers?.takes(request) === false) return {};
    return { methods: found.data, inPath: found.params };
  };
}
