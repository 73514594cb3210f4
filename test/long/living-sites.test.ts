import { describe, expect, it, onTestFinished } from "vitest";
import { codesOf, type Passage } from "../../domain/passage.ts";
import { page } from "../sources/website-setup.ts";
import { startSite, type SitePage } from "../support/site.ts";
import { startServers } from "../e2e/setup.ts";

const { server, refresh, linesOf, outcomes } = await startServers(() => ({ HOST_INTERVAL: "0" }));

/** A page of a site, with code that names its number and edition. */
const text = (number: number, edition: number): string => page(`Page ${number} edition ${edition}`);
const codeOf = (number: number, edition: number): string => `page_${number}_edition_${edition}();`;
const logIn = page("Log in").replace("</main>", '<form><input type="password"></form></main>');

/** A site whose first page links to all others, and its library. */
async function living(name: string, count: number) {
  const site = await startSite({}, { etags: true });
  onTestFinished(() => site.close());
  const editions = new Map(Array.from({ length: count }, (_, number) => [number, 1]));
  const faults = new Map<string, SitePage>();
  let fault: (path: string) => SitePage | undefined = () => undefined;
  const home = (): string =>
    page(
      "Start",
      [...editions.keys()].map((number) => `/p${number}`),
    );
  const { get } = site.pages;
  site.pages.get = (path) => {
    const number = Number(/^\/p(\d+)$/.exec(path)?.[1] ?? Number.NaN);
    const edition = editions.get(number);
    const whole = path === "/" ? home() : edition === undefined ? get.call(site.pages, path) : text(number, edition);
    return fault(path) ?? faults.get(path) ?? whole;
  };
  const libraryName = `/websites/${name}`;
  await server.call("POST", "/v2/add/website", { websiteUrl: `${site.origin}/`, libraryName });
  const served = async (): Promise<readonly string[]> => {
    const lines = await linesOf(libraryName);
    const codes = lines.flatMap((line) => codesOf(JSON.parse(line) as Passage).map(({ code }) => code.trim()));
    return codes.filter((code) => code.startsWith("page_")).toSorted();
  };
  const wanted = () => [...editions].map(([number, edition]) => codeOf(number, edition)).toSorted();
  expect(await served()).toEqual(wanted());
  return {
    site,
    editions,
    wanted,
    served,
    break: (how: typeof fault) => void (fault = how),
    /** Refreshes; returns the outcome. */
    async refreshed(): Promise<string | null | undefined> {
      await refresh(libraryName);
      return (await outcomes(libraryName))[0];
    },
    status: () => server.settled(libraryName),
  };
}

describe("a website is served exactly as it is, over three refreshes,", () => {
  it("while one connection in twenty is dropped", async () => {
    const { editions, wanted, served, refreshed, ...one } = await living("dropping", 60);
    let requests = 0;
    one.break((path) => {
      requests += 1;
      if (requests % 20 !== 0) return undefined;
      return (response) =>
        path === "/"
          ? response.socket?.destroy()
          : response.writeHead(200, { "content-length": 999 }).write("<p>", () => response.socket?.destroy());
    });
    for (const edition of [2, 3]) {
      expect(await refreshed()).toBe("unchanged");
      for (const number of editions.keys()) if (number % 3 === 0) editions.set(number, edition);
      expect(await refreshed()).toBe("published");
      expect(await served()).toEqual(wanted());
    }
    expect(requests).toBeGreaterThan(200);
  });

  it("while a third of the pages answer 500, another third each time", async () => {
    const { editions, wanted, served, refreshed, ...one } = await living("failing", 45);
    for (const round of [0, 1, 2]) {
      one.break((path) => (path.startsWith("/p") && Number(path.slice(2)) % 3 === round ? { status: 500 } : undefined));
      for (const number of editions.keys())
        if (number % 3 !== round && number % 5 === 0) editions.set(number, round + 2);
      expect(await refreshed()).toBe("published");
      expect(await served()).toEqual(wanted());
      expect(await one.status()).toMatchObject({ live: { counts: { pagesFailed: 15 } } });
    }
    one.break(() => undefined);
    expect(await refreshed()).toBe("published");
    expect(await one.status()).toMatchObject({ live: { counts: { pagesFailed: 0 } } });
    expect(await served()).toEqual(wanted());
  });

  it.each([
    ["to a page of the site", "inside", (): SitePage => ({ status: 302, headers: { location: "/login" } })],
    [
      "in a loop",
      "loop",
      (path: string): SitePage => ({
        status: 302,
        headers: { location: path.startsWith("/sso") ? "/p1" : `/sso?next=${path}` },
      }),
    ],
  ])("while all pages redirect to a login, %s, until they are public again", async (_, name, away) => {
    const { editions, wanted, served, refreshed, site, ...one } = await living(`guarded-${name}`, 40);
    site.pages.set("/login", logIn);
    const before = wanted();
    one.break((path) => (path === "/" || path.startsWith("/p") || path.startsWith("/sso") ? away(path) : undefined));
    for (const edition of [2, 3]) {
      editions.set(7, edition);
      expect(["held", "failed"]).toContain(await refreshed());
      expect(await served()).toEqual(before);
      expect(await one.status()).toMatchObject({ title: "Start" });
    }
    one.break(() => undefined);
    expect(await refreshed()).toBe("published");
    expect(await served()).toEqual(wanted());
  });

  it("while pages change, go and come", async () => {
    const { editions, wanted, served, refreshed } = await living("moving", 40);
    for (const number of [1, 5, 9]) editions.set(number, 2);
    expect(await refreshed()).toBe("published");
    expect(await served()).toEqual(wanted());
    for (const number of [2, 5, 30]) editions.delete(number);
    expect(await refreshed()).toBe("published");
    expect(await served()).toEqual(wanted());
    for (const number of [2, 41, 42]) editions.set(number, 7);
    expect(await refreshed()).toBe("published");
    expect(await served()).toEqual(wanted());
    expect(await refreshed()).toBe("unchanged");
  });
});
