import { expect, it } from "vitest";
import { createProxyChooser, readProxySettings } from "../../../sources/lib/fetch/proxy.ts";

function choose(env: Readonly<Record<string, string>>, address: string): string | undefined {
  return createProxyChooser(readProxySettings(env))(new URL(address))?.href;
}

it("takes the proxy of the scheme, lower-case names first", () => {
  const env = { HTTP_PROXY: "http://a:3128", HTTPS_PROXY: "http://b:3128", https_proxy: "c:8080" };
  expect(choose(env, "http://example.com/")).toBe("http://a:3128/");
  expect(choose(env, "https://example.com/")).toBe("http://c:8080/");
  expect(choose({}, "https://example.com/")).toBeUndefined();
});

it.each([
  ["*", "https://example.com/"],
  ["example.com", "https://example.com/"],
  ["example.com", "https://docs.example.com/"],
  [".example.com", "https://docs.example.com/"],
  ["*.example.com", "https://docs.example.com/"],
  ["a.com, Example.com:8080", "http://example.com:8080/"],
  ["example.com:443", "https://example.com/"],
])("goes directly where NO_PROXY is %s, to %s", (except, address) => {
  const env = { HTTP_PROXY: "http://a:1", HTTPS_PROXY: "http://a:1", NO_PROXY: except };
  expect(choose(env, address)).toBeUndefined();
});

it.each([
  ["example.com", "https://notexample.com/"],
  ["example.com:8080", "https://example.com/"],
  ["docs.example.com", "https://example.com/"],
])("does not go directly where NO_PROXY is %s, to %s", (except, address) => {
  expect(choose({ HTTPS_PROXY: "http://a:1", NO_PROXY: except }, address)).toBe("http://a:1/");
});

it("names the variable with an invalid address", () => {
  expect(() => choose({ HTTPS_PROXY: "socks5://a:1" }, "https://example.com/")).toThrow("HTTPS_PROXY");
});
