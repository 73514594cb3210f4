import { writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig, settings, type Config } from "../cli/config.ts";
import { ownDocsFolder } from "../cli/package-info.ts";
import { problemsOf } from "./support/config-problems.ts";
import { temporaryFolder } from "./support/lectern-process.ts";

const hex = "0123456789abcdef".repeat(4);
const base64 = Buffer.alloc(32, 0xfb).toString("base64");

describe("the settings", () => {
  it("have defaults for everything", () => {
    expect(loadConfig({})).toMatchObject({
      host: "127.0.0.1",
      port: 8080,
      publicUrl: null,
      dataDir: resolve("data"),
      adminKey: null,
      encryptionKeys: [],
      anonymous: "search",
      rateLimitReads: 600,
      rateLimitSubmissions: 30,
      rateLimitAnonymous: 60,
      sendLocation: true,
      sourceRules: false,
      maxAgeSeconds: 300,
      fetchAllow: [],
      folderRoots: [join(import.meta.dirname, "..", "docs")],
      httpsProxy: null,
      indexOwnDocs: true,
      parseThreads: Math.min(availableParallelism(), 4),
      maxBytes: 500_000_000,
      maxPageBytes: 40_000_000,
      maxPageSeconds: 5,
      hostInterval: 100,
      shrinkLimit: 0.5,
      keepFailedPages: 5,
    });
    expect(ownDocsFolder).toBe(join(import.meta.dirname, "..", "docs"));
  });

  it("treat an empty or blank variable as not set", () => {
    const empty = Object.fromEntries(Object.values(settings).map(({ env }) => [env, ""]));
    const none = loadConfig({});
    expect(loadConfig(empty)).toEqual({ ...none, folderRoots: [] });
    expect(loadConfig({ PORT: " ", HOST: " ::1 " })).toEqual({ ...none, host: "::1" });
  });

  it("are frozen", () => {
    const config: Partial<Record<keyof Config, unknown>> = loadConfig({
      TRUSTED_PROXIES: "10.0.0.1",
      ENCRYPTION_KEYS: hex,
    });
    const lists = [config, config.trustedProxies, config.fetchAllow, config.encryptionKeys, config.folderRoots];
    expect(lists.map((value) => Object.isFrozen(value))).toEqual(lists.map(() => true));
  });

  it.each<[string, string, keyof Config, unknown]>([
    ["PORT", "0", "port", 0],
    ["HOST", "::", "host", "::"],
    ["HOST", "docs-1.example.com", "host", "docs-1.example.com"],
    ["PUBLIC_URL", "https://Docs.example.com/lectern/", "publicUrl", "https://docs.example.com/lectern"],
    ["PUBLIC_URL", "http://docs.example.com:81", "publicUrl", "http://docs.example.com:81"],
    ["DATA_DIR", "some/where", "dataDir", resolve("some/where")],
    ["LECTERN_ADMIN_KEY", "aZ09._~+/=-aZ09._~+/=-", "adminKey", "aZ09._~+/=-aZ09._~+/=-"],
    ["AUTH_ANONYMOUS", "off", "anonymous", "off"],
    ["TRUSTED_PROXIES", "10.0.0.0/8, ::1,fd00::/8 ,,", "trustedProxies", ["10.0.0.0/8", "::1", "fd00::/8"]],
    ["CORS_ORIGINS", "https://A.example.com/,http://b:81", "allowedOrigins", ["https://a.example.com", "http://b:81"]],
    ["REDIRECT_LOCATION", "off", "sendLocation", false],
    ["SOURCE_RULES", "on", "sourceRules", true],
    [
      "FETCH_ALLOW",
      "Git.corp,git.corp:8443,10.1.0.0/16,[::1]:80,[::1],fd00::/8",
      "fetchAllow",
      ["git.corp", "git.corp:8443", "10.1.0.0/16", "[::1]:80", "[::1]", "fd00::/8"],
    ],
    ["FOLDER_ROOTS", "/srv/docs, more", "folderRoots", ["/srv/docs", resolve("more")]],
    ["GITHUB_HOSTS", "GitHub.corp,git.corp:8443", "githubHosts", ["github.corp", "git.corp:8443"]],
    ["HTTP_PROXY", "proxy.corp:3128", "httpProxy", "http://proxy.corp:3128"],
    ["https_proxy", "http://proxy.corp:3128", "httpsProxy", "http://proxy.corp:3128"],
    ["NO_PROXY", ".corp,10.0.0.1", "noProxy", ".corp,10.0.0.1"],
    ["PARSE_THREADS", "7", "parseThreads", 7],
    ["MAX_BYTES", "1024", "maxBytes", 1024],
    ["MAX_BYTES", "2.5 GB", "maxBytes", 2_500_000_000],
    ["MAX_BYTES", "64MiB", "maxBytes", 67_108_864],
    ["MAX_PAGE_BYTES", "300kb", "maxPageBytes", 300_000],
    ["SHRINK_LIMIT", "1", "shrinkLimit", 1],
    ["SHRINK_LIMIT", "0.25", "shrinkLimit", 0.25],
    ["KEEP_FAILED_PAGES", "0", "keepFailedPages", 0],
    ["LOG_LEVEL", "silent", "logLevel", "silent"],
  ])("read %s=%s", (env, text, name, value) => {
    expect(loadConfig({ [env]: text })[name]).toEqual(value);
  });

  it("prefer the lower-case name of a proxy variable, like curl", () => {
    expect(loadConfig({ HTTPS_PROXY: "http://a:1", https_proxy: "http://b:1" }).httpsProxy).toBe("http://b:1");
  });

  it.each([
    ["PORT", "65536", 'PORT must be a whole number from 0 to 65535, not "65536".'],
    ["PORT", "80a", 'PORT must be a whole number from 0 to 65535, not "80a".'],
    ["PORT", "-1", 'PORT must be a whole number from 0 to 65535, not "-1".'],
    ["HOST", "http://localhost", 'HOST must be a host name or an IP address, not "http://localhost".'],
    ["HOST", "localhost:80", 'HOST must be a host name or an IP address, not "localhost:80".'],
    ["AUTH_ANONYMOUS", "on", 'AUTH_ANONYMOUS must be "search" or "off", not "on".'],
    ["INDEX_OWN_DOCS", "true", 'INDEX_OWN_DOCS must be "on" or "off", not "true".'],
    ["RATE_LIMIT_READS", "0", 'RATE_LIMIT_READS must be a whole number from 1 to 1000000, not "0".'],
    [
      "MAX_BYTES",
      "5 pages",
      'MAX_BYTES must be a size of at most 1000GB, in bytes or as in 500kB, 10MB, 64MiB, 2GB, not "5 pages".',
    ],
    [
      "MAX_BYTES",
      "2000GB",
      'MAX_BYTES must be a size of at most 1000GB, in bytes or as in 500kB, 10MB, 64MiB, 2GB, not "2000GB".',
    ],
    ["SHRINK_LIMIT", "50%", 'SHRINK_LIMIT must be a number from 0 to 1, not "50%".'],
  ])("refuse %s=%s with a sentence", (env, text, problem) => {
    expect(problemsOf({ [env]: text })).toEqual([problem]);
  });

  it.each([
    ["PUBLIC_URL", "docs.example.com"],
    ["PUBLIC_URL", "ftp://docs.example.com"],
    ["PUBLIC_URL", "https://me:secret@docs.example.com"],
    ["PUBLIC_URL", "https://docs.example.com/?a=b"],
    ["TRUSTED_PROXIES", "10.0.0.0/33"],
    ["TRUSTED_PROXIES", "proxy.corp"],
    ["TRUSTED_PROXIES", "10.0.0.1/8/8"],
    ["CORS_ORIGINS", "*"],
    ["CORS_ORIGINS", "https://a.example.com/path"],
    ["FETCH_ALLOW", "http://git.corp"],
    ["FETCH_ALLOW", "::1"],
    ["FETCH_ALLOW", "[git.corp]:80"],
    ["FETCH_ALLOW", "git.corp:0"],
    ["FETCH_ALLOW", "git.corp:65536"],
    ["FETCH_ALLOW", "git.corp/path"],
    ["GITLAB_HOSTS", "https://gitlab.corp"],
    ["HTTPS_PROXY", "socks5://proxy.corp"],
    ["LOG_LEVEL", "loud"],
  ])("refuse %s=%s", (env, text) => {
    expect(problemsOf({ [env]: text })).toHaveLength(1);
    expect(problemsOf({ [env]: text })[0]).toMatch(new RegExp(`^${env} must be .+\\.$`));
  });

  it("do not repeat the credentials of a refused URL", () => {
    const problems = problemsOf({
      PUBLIC_URL: "https://me:sec/r@et@docs.example.com",
      CORS_ORIGINS: "http://me:secret@a",
      HTTPS_PROXY: "http://me:sec/r@et@proxy.corp:3128",
    });
    expect(problems).toHaveLength(3);
    expect(problems.join()).not.toMatch(/sec|et@|me:/);
  });

  it("report every problem in one error", () => {
    const env = { PORT: "x", FETCH_ALLOW: "a b,git.corp,c d", SWEEP_SECONDS: "0", HOST: "localhost" };
    expect(problemsOf(env)).toHaveLength(4);
    expect(() => loadConfig(env)).toThrow(
      /^The settings cannot be used:\n- PORT .+\n- .*"a b".+\n- .*"c d".+\n- SWEEP_SECONDS .+$/,
    );
  });

  it.each(["short", "a".repeat(201), "twenty characters but spaces", "ключключключключключ"])(
    "refuse the admin key %j without repeating it",
    (key) => {
      const problems = problemsOf({ LECTERN_ADMIN_KEY: key });
      expect(problems).toEqual(["LECTERN_ADMIN_KEY must be 20 to 200 characters of A-Z a-z 0-9 . _ ~ + / = -."]);
    },
  );
});

describe("ENCRYPTION_KEYS", () => {
  it("takes hex, base64 and base64url, with an id or without", () => {
    const url = base64.replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
    const ring = loadConfig({ ENCRYPTION_KEYS: `new:${base64}, ${hex} ,old:${url}` }).encryptionKeys;
    expect(ring.map(({ id }) => id)).toEqual(["new", "4884fdaa", "old"]);
    expect(ring.map(({ key }) => Buffer.from(key).toString("hex"))).toEqual(["fb".repeat(32), hex, "fb".repeat(32)]);
  });

  it.each(["x", hex.slice(1), `${hex}0`, `${base64}=`, `a.b:${hex}`, `:${hex}`, `a:b:${hex}`, `${hex},x`])(
    "refuses %j without repeating it",
    (text) => {
      expect(problemsOf({ ENCRYPTION_KEYS: text })).toEqual([
        'ENCRYPTION_KEYS must be a comma-separated list of keys, each as "key" or "id:key", 32 bytes in base64 or hex.',
      ]);
    },
  );

  it("refuses two keys with the same id", () => {
    expect(problemsOf({ ENCRYPTION_KEYS: `a:${hex},a:${base64}` })).toEqual([
      "ENCRYPTION_KEYS must not have two keys with the same id.",
    ]);
  });
});

describe("a secret in a file", () => {
  it("is read from the file in <NAME>_FILE, without the trailing line break", async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, "key");
    await writeFile(file, `${hex}\n`);
    expect(loadConfig({ LECTERN_ADMIN_KEY_FILE: file, MEILI_API_KEY_FILE: file })).toMatchObject({
      adminKey: hex,
      meiliApiKey: hex,
    });
    expect(loadConfig({ MEILI_API_KEY_FILE: "", MEILI_API_KEY: "given" }).meiliApiKey).toBe("given");
  });

  it("is refused if both are set or the file cannot be read, without being repeated", () => {
    expect(problemsOf({ MEILI_API_KEY: hex, MEILI_API_KEY_FILE: "/none" })).toEqual([
      "MEILI_API_KEY and MEILI_API_KEY_FILE are both set; set one of them.",
    ]);
    expect(problemsOf({ DATABASE_URL_FILE: "/none/at/all" })).toEqual([
      expect.stringMatching(/^DATABASE_URL_FILE names a file that cannot be read \(ENOENT.*\)\.$/),
    ]);
  });
});
