import { createHash } from "node:crypto";
import { startSite, type Site } from "./site.ts";
import { filesIn, tarball } from "./archives.ts";

/** A published version of a package. */
export interface PublishedVersion {
  readonly files: Readonly<Record<string, string>>;
  /** Fields of package.json beside name and version. */
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** Overrides the archive of its files. */
  readonly archive?: Buffer;
  /** Overrides the archive's integrity. */
  readonly integrity?: string;
}

/** An npm registry on loopback. */
export interface NpmRegistry extends Site {
  /** With a trailing slash. */
  readonly url: string;
  /** Publishes versions of a package; the last one is `latest` unless `tags` names another. */
  publish(
    name: string,
    versions: Readonly<Record<string, PublishedVersion>>,
    tags?: Readonly<Record<string, string>>,
  ): void;
}

/** Starts a registry; with a token it refuses requests without it. */
export async function startNpmRegistry(token?: string): Promise<NpmRegistry> {
  const site = await startSite();
  const url = `${site.origin}/`;
  const serve = (path: string, type: string, body: string | Buffer): void =>
    void site.pages.set(path, (response, { authorization }) => {
      const isOpen = token === undefined || authorization === `Bearer ${token}`;
      response.writeHead(isOpen ? 200 : 401, { "content-type": type }).end(isOpen ? body : "{}");
    });
  return {
    ...site,
    url,
    publish(name, versions, tags) {
      const path = `/${name.replace("/", "%2f")}`;
      const published = Object.entries(versions).map(([version, { files, manifest = {}, archive, integrity }]) => {
        const own = { name, version, ...manifest };
        const tar = archive ?? tarball(filesIn("package", { "package.json": JSON.stringify(own), ...files }));
        const file = `/${name}/-/${name.slice(name.lastIndexOf("/") + 1)}-${version}.tgz`;
        serve(file, "application/octet-stream", tar);
        const dist = {
          tarball: `${site.origin}${file}`,
          integrity: integrity ?? `sha512-${createHash("sha512").update(tar).digest("base64")}`,
        };
        const document = { ...own, dist };
        serve(`${path}/${version}`, "application/json", JSON.stringify(document));
        return [version, document] as const;
      });
      const latest = published.at(-1)?.[0];
      const packument = { name, "dist-tags": { latest, ...tags }, versions: Object.fromEntries(published) };
      serve(path, "application/json", JSON.stringify(packument));
    },
  };
}
