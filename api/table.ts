import { addRoute, createRouter, findRoute } from "rou3";

import type { ApiRequest } from "./request.ts";
import type { Route } from "./route.ts";

/** What there is under a path: its methods, and what the path says, percent-encoded. */
export interface MatchedPath {
  readonly methods?: ReadonlyMap<string, Route>;
  readonly inPath?: Readonly<Record<string, string>> | undefined;
}

/** Finds routes by path; what a path names itself comes before what any text fits. Pages are there for browsers only. */
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
    // The router takes these for the path without the slash; two addresses of one thing are one too many.
    if (!path.startsWith("/") || (path !== "/" && path.endsWith("/"))) return {};
    const found = findRoute(router, "", path);
    if (!found) return {};
    // Pages share no path with operations of the API.
    for (const { forBrowsers } of found.data.values()) if (forBrowsers?.takes(request) === false) return {};
    return { methods: found.data, inPath: found.params };
  };
}
