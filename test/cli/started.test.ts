import { describe, expect, it } from "vitest";
import { startedLines, startedMessages } from "../../cli/start-messages.ts";

const url = "http://127.0.0.1:8080";
const config = { adminKey: null, indexOwnDocs: true, host: "127.0.0.1", anonymous: "search" } as const;
const lines = (started: Partial<Parameters<typeof startedLines>[0]>): string =>
  startedLines({ config, url, folder: "/data", key: null, ...started }).join("\n");

describe("the output of lectern serve on a terminal", () => {
  it("has the address, the new key and the next steps", () => {
    expect(lines({ key: "lct_1" })).toMatchInlineSnapshot(`
      "Lectern is running at http://127.0.0.1:8080
        data folder  /data
        admin key    lct_1   (shown this once: keep it)

      Now, in another terminal:
        export LECTERN_ADMIN_KEY=lct_1
        npx lectern ask /docs/lectern "How do I add a repository?"
        npx lectern add https://github.com/vitejs/vite

      Read on in docs/getting-started.md and docs/guides/troubleshoot.md. Ctrl-C stops the server. Its log follows."
    `);
  });

  it("says where the key is, on later starts and with a configured key", () => {
    expect(lines({})).toContain("the one that the first start showed");
    expect(lines({ config: { ...config, adminKey: "of-the-environment" } })).toContain("the one in LECTERN_ADMIN_KEY");
    expect(lines({ config: { ...config, adminKey: "of-the-environment" } })).not.toContain("of-the-environment");
  });

  it("says how commands find a server at another address", () => {
    expect(lines({ url: "http://127.0.0.1:9000" })).toContain("export PUBLIC_URL=http://127.0.0.1:9000");
  });

  it("suggests no question about documentation that is not indexed", () => {
    expect(lines({ config: { ...config, indexOwnDocs: false } })).not.toContain("/docs/lectern");
  });

  it.each(["0.0.0.0", "::", "10.0.0.5", "docs.example.com"])(
    "says what can be read without a key if %s is open to other machines",
    (host) => {
      const open = lines({ config: { ...config, host } });
      expect(open).toMatch(/\n  open to all  .*read public libraries without a key \(AUTH_ANONYMOUS=search\)\n\nNow/);
      const closed = lines({ config: { ...config, host, anonymous: "off" } });
      expect(closed).toMatch(/\n  open to all  no library: .*\(AUTH_ANONYMOUS=off\)\n\nNow/);
    },
  );

  it.each(["127.0.0.1", "127.0.0.2", "::1", "localhost"])(
    "does not mention other machines if %s is closed to them",
    (host) => {
      expect(lines({ config: { ...config, host } })).not.toContain("open to all");
      expect(startedMessages({ config: { ...config, host }, url, folder: "/data", key: null })).toHaveLength(1);
    },
  );
});

it("a pipe gets the same, before the line that other programs wait for", () => {
  expect(startedMessages({ config: { ...config, host: "::" }, url, folder: "/data", key: null })).toEqual([
    expect.stringMatching(/^Open to all: everyone who reaches this address may search and read/),
    "Lectern is running at http://127.0.0.1:8080 with its data in /data",
  ]);
});
