import { createHash } from "node:crypto";
import type { RegistryName } from "../../domain/packages.ts";
import { filesIn, tarball } from "./archives.ts";
import { startSite, type Site } from "./site.ts";
import { zipOf } from "./zip.ts";

/** A published version. */
export interface Published {
  readonly files: Readonly<Record<string, string>>;
  /** Yanked, or retracted. */
  readonly withdrawn?: boolean;
  /** Overrides the archive of its files. */
  readonly archive?: Buffer;
  /** Overrides the archive's checksum, in hex. */
  readonly checksum?: string;
}

/** A registry on loopback. */
export interface TestRegistry extends Site {
  /** With a trailing slash. */
  readonly url: string;
  /** Publishes a package with these versions, newest last, in place of earlier ones. */
  publish(name: string, versions: Readonly<Record<string, Published>>): void;
}

/** Paths of a registry with their content. */
type Paths = readonly (readonly [path: string, type: string, body: string | Buffer])[];
type Publishing = (name: string, versions: Readonly<Record<string, Published>>, origin: string) => Paths;

/** Path of each registry on its host. */
const folders: Readonly<Record<RegistryName, string>> = { npm: "/", pypi: "/simple/", crates: "/index/", go: "/" };

/** Starts a registry; with `authorization` it refuses requests without this Authorization header. */
export async function startRegistry(registry: RegistryName, authorization?: string): Promise<TestRegistry> {
  const site = await startSite();
  return {
    ...site,
    url: `${site.origin}${folders[registry]}`,
    publish(name, versions) {
      for (const [path, type, body] of publishing[registry](name, versions, site.origin)) {
        site.pages.set(path, (response, headers) => {
          const isOpen = authorization === undefined || headers.authorization === authorization;
          response.writeHead(isOpen ? 200 : 401, { "content-type": type }).end(isOpen ? body : "");
        });
      }
    },
  };
}

const octets = "application/octet-stream";
const digest = (algorithm: string, bytes: Buffer): string => createHash(algorithm).update(bytes).digest("hex");
const inJson = (value: unknown): string => JSON.stringify(value);

const publishing: Readonly<Record<RegistryName, Publishing>> = {
  npm(name, versions, origin) {
    const paths = Object.entries(versions).map(([version, { files, archive, checksum }]) => {
      const manifest = { name, version };
      const body = archive ?? tarball(filesIn("package", { "package.json": inJson(manifest), ...files }));
      const path = `/${name}/-/archive-${version}.tgz`;
      const sha512 = Buffer.from(checksum ?? digest("sha512", body), "hex").toString("base64");
      return {
        path,
        body,
        document: { ...manifest, dist: { tarball: `${origin}${path}`, integrity: `sha512-${sha512}` } },
      };
    });
    const at = `/${name.replace("/", "%2f")}`;
    const documents = Object.fromEntries(paths.map(({ document }) => [document.version, document]));
    const latest = paths.at(-1)?.document.version;
    return [
      [at, "application/json", inJson({ name, "dist-tags": { latest }, versions: documents })],
      ...paths.map(({ path, body }) => [path, octets, body] as const),
      ...paths.map(({ document }) => [`${at}/${document.version}`, "application/json", inJson(document)] as const),
    ];
  },

  pypi(name, versions, origin) {
    const paths = Object.entries(versions).map(([version, { files, archive, checksum, withdrawn = false }]) => {
      const file = `${name}-${version}.tar.gz`;
      const head = `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`;
      const body = archive ?? tarball(filesIn(`${name}-${version}`, { "PKG-INFO": head, ...files }));
      const url = `${origin}/files/${file}`;
      return {
        file,
        body,
        listed: { filename: file, url, hashes: { sha256: checksum ?? digest("sha256", body) }, yanked: withdrawn },
      };
    });
    const index = { meta: { "api-version": "1.0" }, name, files: paths.map(({ listed }) => listed) };
    return [
      [`/simple/${name}/`, "application/vnd.pypi.simple.v1+json", inJson(index)],
      ...paths.map(({ file, body }) => [`/files/${file}`, octets, body] as const),
    ];
  },

  crates(name, versions, origin) {
    const paths = Object.entries(versions).map(([vers, { files, archive, checksum, withdrawn = false }]) => {
      const body =
        archive ??
        tarball(
          filesIn(`${name}-${vers}`, { "Cargo.toml": `[package]\nname = "${name}"\nversion = "${vers}"\n`, ...files }),
        );
      const line = inJson({
        name,
        vers,
        deps: [],
        cksum: checksum ?? digest("sha256", body),
        features: {},
        yanked: withdrawn,
      });
      return { path: `/dl/${name}/${vers}/download`, body, line };
    });
    return [
      ["/index/config.json", "application/json", inJson({ dl: `${origin}/dl` })],
      [
        `/index/${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`,
        "text/plain",
        paths.map(({ line }) => `${line}\n`).join(""),
      ],
      ...paths.map(({ path, body }) => [path, octets, body] as const),
    ];
  },

  go(name, versions) {
    const names = Object.keys(versions);
    const retracted = names.filter((version) => versions[version]?.withdrawn);
    const goMod = `module ${name}\n\ngo 1.24\n${retracted.length > 0 ? `\nretract (\n\t${retracted.join(" // wrong\n\t")}\n)\n` : ""}`;
    return [
      [`/${name}/@v/list`, "text/plain", `${names.join("\n")}\n`],
      [`/${name}/@latest`, "application/json", inJson({ Version: names.at(-1) })],
      ...Object.entries(versions).flatMap(([version, { files, archive }]) => {
        const all = filesIn(`${name}@${version}`, { "go.mod": goMod, ...files });
        return [
          [`/${name}/@v/${version}.mod`, "text/plain", goMod] as const,
          [
            `/${name}/@v/${version}.zip`,
            "application/zip",
            archive ?? zipOf(all.map(({ path, body = "" }) => ({ path, body }))),
          ] as const,
        ];
      }),
    ];
  },
};
