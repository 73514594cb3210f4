import { expect, it, onTestFinished, vi } from "vitest";
import type { Progress } from "../../domain/steps.ts";
import { page, setup } from "./website-setup.ts";

it("loses no page if the host drops connections, before or within a response, or is out of reach for a while", async () => {
  const links = ["/before", "/within", "/down", "/dead", "/good"];
  const { index, site } = await setup({ "/": page("Start", links), "/good": page("Good") });
  const counts = new Map<string, number>();
  const times = (path: string): number => {
    counts.set(path, (counts.get(path) ?? 0) + 1);
    return counts.get(path) ?? 0;
  };
  site.pages.set("/before", (response) => {
    if (times("/before") === 1) response.socket?.destroy();
    else response.writeHead(200, { "content-type": "text/html" }).end(page("Before"));
  });
  site.pages.set("/within", (response) => {
    const text = page("Within");
    response.writeHead(200, { "content-type": "text/html", "content-length": text.length });
    if (times("/within") > 1) return void response.end(text);
    response.write(text.slice(0, 100), () => response.socket?.destroy());
  });
  site.pages.set("/down", (response) => {
    response.writeHead(times("/down") < 2 ? 502 : 200, { "content-type": "text/html" }).end(page("Down"));
  });
  site.pages.set("/dead", (response) => void response.writeHead(502).end());
  const { read, left, requests } = await index("/");
  expect(read).toEqual(["/", "/before", "/down", "/good", "/within"]);
  expect(left).toEqual({ "/dead": "source_unreachable" });
  expect(requests.filter((request) => request === "/dead 502")).toHaveLength(2);
  // They are requested again after all others.
  expect(requests.slice(-3)).toContain("/down 200");
});

it("is read by its links if its sitemaps are out of reach, with a note", async () => {
  const { index, site } = await setup({ "/": page("Start", ["/a"]), "/a": page("Alpha") }, { hosts: ["127.0.0.1:1"] });
  site.pages.set(
    "/robots.txt",
    `User-agent: *\nAllow: /\nSitemap: http://127.0.0.1:1/sitemap.xml\nSitemap: ${site.origin}/s.xml\n`,
  );
  site.pages.set("/s.xml", { status: 503 });
  const { read, manifest } = await index("/");
  expect(read).toEqual(["/", "/a"]);
  expect(manifest.notes?.filter((note) => note.startsWith("A list of pages could not be read: "))).toHaveLength(2);
});

it("requests again what was out of reach if the last attempt was killed right before that", async () => {
  const links = ["/down", ...Array.from({ length: 99 }, (_, at) => `/p${"x".repeat(at + 1)}`)];
  const pages = Object.fromEntries(links.map((path) => [path, page(`Page ${path}`)]));
  const { index, site } = await setup({ "/": page("Start", links), ...pages }, { limits: { pages: 200 } });
  const stop = new AbortController();
  let requests = 0;
  site.pages.set("/down", (response) => {
    requests += 1;
    if (requests === 2) stop.abort(new Error("killed"));
    response.writeHead(requests < 3 ? 502 : 200, { "content-type": "text/html" }).end(page("Down"));
  });
  await expect(index("/", { maxPages: 200 }, { signal: stop.signal })).rejects.toThrow("killed");
  const { read } = await index("/", { maxPages: 200 }, { attempt: 2 });
  expect(read).toHaveLength(101);
  expect(read).toContain("/down");
});

it("goes on if many pages answer 500, and does not request all of them again if the first ones still do", async () => {
  const links = Array.from({ length: 45 }, (_, at) => `/p${"x".repeat(at + 1)}`);
  const { index, site } = await setup({ "/": page("Start", links) });
  for (const [at, path] of links.entries()) site.pages.set(path, at % 3 === 0 ? page(path) : { status: 500 });
  const { read, left, requests } = await index("/");
  expect(read).toHaveLength(16);
  expect(Object.values(left)).toEqual(Array.from({ length: 30 }, () => "source_unreachable"));
  // Four requests run at once.
  expect(requests.filter((request) => request.endsWith("500")).length).toBeLessThan(45);
  for (const path of links) site.pages.set(path, page(path));
  expect((await index("/")).read).toHaveLength(46);
});

it("adds to the counts of answers of earlier attempts and passes", async () => {
  const { index } = await setup({ "/": page("Start", ["/a"]), "/a": page("Alpha") });
  let reported: Readonly<Record<string, number>> = {};
  const report = ({ answers = {} }: Progress): void => void (reported = answers);
  await index("/", {}, { report });
  const once = reported;
  await index("/", {}, { report, answers: { "200": 100, none: 7 } });
  expect(reported).toEqual({ ...once, "200": 100 + (once["200"] ?? 0), none: 7 });
});

it("does not request the other pages if only the first one answers for two minutes", async () => {
  const links = Array.from({ length: 90 }, (_, at) => `/p${"x".repeat(at + 1)}`);
  const { index, site } = await setup({ "/": page("Start", links) });
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const requested = new Set<string>();
  for (const path of links)
    site.pages.set(path, (response) => {
      requested.add(path);
      // The timeout for a silent host.
      vi.advanceTimersByTime(7500);
      response.socket?.destroy();
    });
  const { read, left, manifest } = await index("/");
  expect(read).toEqual(["/"]);
  expect(Object.values(left)).toEqual(links.map(() => "source_unreachable"));
  // Sixteen in two minutes, those that run at once, and some of them once more.
  expect(requested.size).toBeLessThan(40);
  expect(JSON.stringify(manifest.pages)).toContain("The page was not requested");
});
