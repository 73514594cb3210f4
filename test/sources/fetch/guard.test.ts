import { describe, expect, it } from "vitest";
import { createGuard } from "../../../sources/lib/fetch/guard.ts";

/** A guard over a stand-in resolver. */
function guardWith(allow: readonly string[], names: Readonly<Record<string, readonly string[]>> = {}) {
  return createGuard({
    allow,
    lookup: async (hostname) => {
      const addresses = names[hostname];
      if (addresses === undefined) throw Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
      return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    },
  });
}

const refused = expect.objectContaining({ code: "address_not_allowed" });

describe("a guard that allows nothing private", () => {
  const guard = guardWith([], {
    "example.com": ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
    "mixed.example.com": ["93.184.215.14", "10.0.0.1"],
    "rebind.example.com": ["127.0.0.1"],
    "v6.example.com": ["fd00:ec2::254"],
  });

  it.each([
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://0.0.0.0/",
    "http://10.1.2.3/",
    "http://100.64.0.1/",
    "http://100.100.100.200/",
    "http://168.63.129.16/",
    "http://169.254.169.254/latest/meta-data/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.0.0.192/",
    "http://192.0.2.1/",
    "http://192.168.1.1/",
    "http://198.18.0.1/",
    "http://198.51.100.1/",
    "http://203.0.113.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://[::]/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:8.8.8.8]/",
    "http://[::7f00:1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b:1::1]/",
    "http://[2001::1]/",
    "http://[2001:db8::1]/",
    "http://[2002:7f00:1::]/",
    "http://[3fff::1]/",
    "http://[fc00::1]/",
    "http://[fd12::1]/",
    "http://[fe80::1]/",
    "http://[fec0::1]/",
    "http://[ff02::1]/",
    "http://localhost/",
    "http://LOCALHOST./",
    "http://a.localhost/",
    "http://metadata.google.internal/",
    "http://metadata.google.internal./",
    "http://example.com:22/",
    "https://example.com:6379/",
  ])("refuses %s without a lookup", (address) => {
    expect(() => guard.checkUrl(new URL(address))).toThrow(refused);
  });

  it.each([
    "https://example.com/a",
    "http://example.com:8080/",
    "http://8.8.8.8/",
    "https://[2606:4700:4700::1111]/",
    "http://172.32.0.1/",
    "http://localhost.example.com/",
  ])("lets %s through", (address) => {
    expect(() => guard.checkUrl(new URL(address))).not.toThrow();
  });

  it.each([
    "file:///etc/passwd",
    "ext::sh -c id",
    "ssh://git@example.com/a",
    "ftp://example.com/",
    "data:text/plain,a",
  ])("refuses the scheme of %s", (address) => {
    expect(() => guard.checkUrl(new URL(address))).toThrow(expect.objectContaining({ code: "validation_error" }));
  });

  it("refuses credentials in the address without repeating them", () => {
    const check = (): void => guard.checkUrl(new URL("https://user:hunter2@example.com/"));
    expect(check).toThrow(expect.objectContaining({ code: "validation_error" }));
    expect(check).not.toThrow(/hunter2/);
  });

  it("resolves a public host to all its addresses", async () => {
    expect(await guard.resolve(new URL("https://example.com/"))).toEqual([
      { address: "93.184.215.14", family: 4 },
      { address: "2606:2800:21f:cb07:6820:80da:af6b:8b2c", family: 6 },
    ]);
  });

  it.each(["mixed.example.com", "rebind.example.com", "v6.example.com"])(
    "refuses %s, which resolves to a private address",
    async (host) => {
      await expect(guard.resolve(new URL(`https://${host}/`))).rejects.toThrow(refused);
    },
  );

  it("says that an unknown host is out of reach", async () => {
    await expect(guard.resolve(new URL("https://nowhere.example.com/"))).rejects.toMatchObject({
      code: "source_unreachable",
      message: expect.stringContaining("nowhere.example.com"),
    });
  });
});

describe("a guard with exceptions", () => {
  const names = {
    "git.corp": ["10.0.0.7"],
    "wiki.corp": ["10.0.0.8", "192.168.0.8"],
    "example.com": ["93.184.215.14"],
  };

  it("lets through a named host on any port, and no other host", async () => {
    const guard = guardWith(["Git.Corp"], names);
    expect(await guard.resolve(new URL("http://git.corp:7990/"))).toEqual([{ address: "10.0.0.7", family: 4 }]);
    await expect(guard.resolve(new URL("http://wiki.corp/"))).rejects.toThrow(refused);
  });

  it("lets through a named host and port only with that port", async () => {
    const guard = guardWith(["git.corp:7990", "[fd00::1]:81", "127.0.0.1:80"], names);
    expect(await guard.resolve(new URL("http://git.corp:7990/"))).toHaveLength(1);
    expect(await guard.resolve(new URL("http://[fd00::1]:81/"))).toEqual([{ address: "fd00::1", family: 6 }]);
    expect(await guard.resolve(new URL("http://127.1/"))).toEqual([{ address: "127.0.0.1", family: 4 }]);
    await expect(guard.resolve(new URL("http://git.corp/"))).rejects.toThrow(refused);
    expect(() => guard.checkUrl(new URL("http://[fd00::1]:82/"))).toThrow(refused);
  });

  it("lets through hosts all of whose addresses are in a range, on any port", async () => {
    const guard = guardWith(["10.0.0.0/24", "[fd00::]/8"], names);
    expect(await guard.resolve(new URL("http://git.corp:7990/"))).toHaveLength(1);
    await expect(guard.resolve(new URL("http://wiki.corp/"))).rejects.toThrow(refused);
    await expect(guard.resolve(new URL("http://example.com:7990/"))).rejects.toThrow(refused);
    expect(() => guard.checkUrl(new URL("http://[fd99::1]/"))).not.toThrow();
    expect(() => guard.checkUrl(new URL("http://[::ffff:10.0.0.9]/"))).not.toThrow();
    expect(() => guard.checkUrl(new URL("http://10.0.1.1/"))).toThrow(refused);
  });

  it.each(["", "10.0.0.0/33", "a/b", "host:port", "host:0", "host:65536", "fd00::1", "http://host", "*.corp", "a b"])(
    'names an invalid entry "%s"',
    (entry) => {
      expect(() => createGuard({ allow: ["good.example.com", entry] })).toThrow(`"${entry}"`);
    },
  );
});

describe("the wait for a resolver that does not answer", () => {
  const lookup = () => new Promise<never>(() => undefined);

  it("ends by itself", async () => {
    const guard = createGuard({ allow: [], lookup, lookupTimeout: 20 });
    await expect(guard.resolve(new URL("https://example.com/"))).rejects.toMatchObject({ code: "source_unreachable" });
  });

  it("ends when the caller gives up", async () => {
    const guard = createGuard({ allow: [], lookup });
    const reason = new Error("enough");
    await expect(guard.resolve(new URL("https://example.com/"), AbortSignal.abort(reason))).rejects.toBe(reason);
    const later = new AbortController();
    const waiting = guard.resolve(new URL("https://example.com/"), later.signal);
    later.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });
});

describe("a token", () => {
  const names = { "git.corp.example": ["10.1.2.3"], "mixed.example.com": ["10.1.2.3", "93.184.215.14"] };
  const guard = guardWith(["named.example.com", "10.0.0.0/8"], names);

  it.each(["https://example.com/", "http://named.example.com/", "http://git.corp.example/", "http://10.9.9.9/"])(
    "may go to %s",
    async (address) => {
      await expect(guard.checkToken(new URL(address))).resolves.toBeUndefined();
    },
  );

  it.each([
    "http://example.com/",
    "http://mixed.example.com/",
    "http://93.184.215.14/",
    "http://sub.named.example.com/",
  ])("may not go to %s", async (address) => {
    await expect(guard.checkToken(new URL(address))).rejects.toEqual(refused);
    await expect(guardWith([]).checkToken(new URL(address))).rejects.toEqual(refused);
  });
});
