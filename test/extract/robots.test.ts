import { describe, expect, it } from "vitest";
import { isAllowed, parseRobots } from "../../extract/website/parse-robots.ts";

const allows = (text: string, path: string): boolean => isAllowed(parseRobots(text, "Lectern").rules, path);
const everybody = (rules: string): string => `User-agent: *\n${rules}`;

describe("a robots.txt", () => {
  it.each([
    ["", "/a", true],
    ["Disallow:", "/a", true],
    ["Disallow: /", "/a", false],
    ["Disallow: /a", "/ab", false],
    ["Disallow: /a", "/b/a", true],
    ["Disallow: /a$", "/ab", true],
    ["Disallow: /a$", "/a", false],
    ["Disallow: /*.pdf$", "/files/x.pdf", false],
    ["Disallow: /*.pdf$", "/files/x.pdf?page=1", true],
    ["Disallow: /*.pdf$", "/x.pdf.pdf", false],
    ["Disallow: /a*b*c", "/a-b-c-d", false],
    ["Disallow: /a*b*c", "/a-c-b", true],
    ["Disallow: /*a$", "/", true],
    ["Disallow: /a**b", "/acb", false],
    ["Disallow: *", "/a", false],
    ["Disallow: /p\nAllow: /p/public", "/p/public/a", true],
    ["Disallow: /p\nAllow: /p/public", "/p/private", false],
    ["Disallow: /same\nAllow: /same", "/same", true],
    ["Disallow: /*?", "/a?b=1", false],
    ["Disallow: /é", "/%C3%A9t%C3%A9", false],
    ["Disallow: /%c3%a9", "/%C3%A9", false],
    ["Disallow: /a # not /b", "/a", false],
    ["disallow : /a", "/a", false],
  ])("with %j is obeyed at %s", (rules, path, expected) => {
    expect(allows(everybody(rules), path)).toBe(expected);
  });

  it("applies all groups with our name first, whatever is between them", () => {
    const text =
      "\uFEFFUser-agent: *\r\nDisallow: /\r\n\r\nUser-agent: other\r\nSitemap: https://a.example/s.xml\r\nUser-agent: lectern/2.0\r\nDisallow: /one\r\n\r\nUser-Agent: Lectern\r\nDisallow: /two\r\nCrawl-delay: 2.5";
    expect(allows(text, "/three")).toBe(true);
    expect(allows(text, "/one")).toBe(false);
    expect(allows(text, "/two")).toBe(false);
    expect(parseRobots(text, "Lectern")).toMatchObject({ crawlDelay: 2.5, sitemaps: ["https://a.example/s.xml"] });
  });

  it("allows all with a group of ours that has no rule", () => {
    expect(allows("User-agent: *\nDisallow: /\n\nUser-agent: Lectern\nDisallow:", "/a")).toBe(true);
  });

  it("lists sitemaps with valid addresses", () => {
    const long = `https://a.example/${"a".repeat(2000)}`;
    const text = `Sitemap: file:///etc/passwd\nSitemap: /relative.xml\nSitemap: ${long}\nSitemap: https://a.example/s.xml`;
    expect(parseRobots(text, "Lectern")).toMatchObject({ sitemaps: ["https://a.example/s.xml"], tooLong: 1 });
  });

  it("disallows more than it says rather than less where it has too many wildcards", () => {
    const numbers = Array.from({ length: 6000 }, (_, at) => at);
    const { rules } = parseRobots(everybody(numbers.map((at) => `Disallow: /d${at}/*x`).join("\n")), "Lectern");
    const some = numbers.filter((at) => at % 100 === 0);
    expect(some.every((at) => !isAllowed(rules, `/d${at}/x`))).toBe(true);
    const refused = some.filter((at) => !isAllowed(rules, `/d${at}/y`));
    expect(refused).toHaveLength(10);
    expect(isAllowed(rules, "/e")).toBe(true);
  });
});
