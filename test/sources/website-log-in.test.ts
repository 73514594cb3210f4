import { expect, it, onTestFinished } from "vitest";
import { startSite } from "../support/site.ts";
import { page, setup } from "./website-setup.ts";

const to = (location: string) => ({ status: 302, headers: { location } });
const logIn = page("Log in").replace("</main>", '<form><input type="password"></form></main>');

it("names the log-in page in a loop of redirects, for any page and the first one", async () => {
  const { index, site } = await setup({
    "/": page("Start", ["/a", "/b", "/c"]),
    "/a": to("/door?next=%2Fa"),
    "/door?next=%2Fa": to("/a"),
    "/b": to("/account/sign-in"),
    "/account/sign-in": to("/b"),
    "/c": page("Gamma"),
  });
  const { manifest, left } = await index("/");
  expect(left).toEqual({ "/a": "source_refused", "/b": "source_refused" });
  const reasons = manifest.pages.flatMap(({ reason = "" }) => (reason === "" ? [] : [reason]));
  expect(reasons.toSorted()).toEqual([
    `${site.origin}/a redirects in a loop by way of ${site.origin}/door, as sites do that require a log-in. Submit it with a credential of the site.`,
    `${site.origin}/b redirects in a loop by way of ${site.origin}/account/sign-in, as sites do that require a log-in. Submit it with a credential of the site.`,
  ]);
  site.pages.set("/", to("/login?to=/"));
  site.pages.set("/login?to=/", to("/"));
  await expect(index("/")).rejects.toMatchObject({
    code: "source_refused",
    message: expect.stringContaining(`${site.origin}/login`) as unknown,
  });
});

it("reports a loop without a log-in page as a loop", async () => {
  const { index } = await setup({ "/": to("/x"), "/x": to("/") });
  await expect(index("/")).rejects.toMatchObject({
    code: "source_invalid",
    message: expect.stringMatching(/loop/) as unknown,
  });
});

it("loses no page if the site redirects all of them to a log-in page, on its own host or another", async () => {
  const names = Array.from({ length: 15 }, (_, at) => `/${"x".repeat(at + 1)}`);
  const other = await startSite({ "/sso": logIn });
  onTestFinished(() => other.close());
  const pages = Object.fromEntries(names.map((name) => [name, page(`Page ${name}`)]));
  const { index, site, codes } = await setup({ "/": page("Start", names), ...pages }, { hosts: [other.host] });
  const before = codes(await index("/"));
  expect(before).toHaveLength(16);
  site.pages.set("/login", logIn);
  for (const name of names) site.pages.set(name, to("/login"));
  const out = await index("/");
  expect(Object.values(out.left)).toEqual(names.map(() => "source_refused"));
  expect(codes(out)).toEqual(before);
  other.pages.get = () => logIn;
  for (const name of names) site.pages.set(name, to(`${other.origin}/?back=${encodeURIComponent(site.origin + name)}`));
  expect(codes(await index("/"))).toEqual(before);
});
