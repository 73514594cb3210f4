import { describe, expect, it } from "vitest";
import { registries, type RegistryName } from "../../domain/packages.ts";
import { secret, type ConfiguredRegistries } from "../support/configured-registries.ts";
import type { LecternProcess } from "../support/lectern-process.ts";
import { refreshedRun } from "../support/refreshing.ts";
import type { Published } from "../support/registries.ts";

/** A server, and the registries that it is configured for. */
export interface PackagesRig extends Pick<ConfiguredRegistries, "open" | "closed"> {
  readonly server: Pick<LecternProcess, "call" | "settled" | "url">;
}

/** What differs between the registries. */
interface Row {
  readonly registry: RegistryName;
  /** Makes a package name of this registry from a word. */
  name(word: string): string;
  /** Prefix of version numbers. */
  readonly v: "" | "v";
  /** Whether versions can be withdrawn. */
  readonly withdraws: boolean;
  /** Whether it publishes checksums of archives. */
  readonly hasChecksums: boolean;
}

const rows: readonly Row[] = [
  { registry: "npm", name: (word) => word, v: "", withdraws: false, hasChecksums: true },
  { registry: "pypi", name: (word) => word, v: "", withdraws: true, hasChecksums: true },
  { registry: "crates", name: (word) => word, v: "", withdraws: true, hasChecksums: true },
  { registry: "go", name: (word) => `example.com/${word}`, v: "v", withdraws: true, hasChecksums: false },
];

const text = (call: string): Published => ({
  files: { "README.md": `# Widgets\n\nThey spin.\n\n## Usage\n\nMake a widget so:\n\n\`\`\`js\n${call};\n\`\`\`\n` },
});

const isArchive = (path: string): boolean => /\.zip$|\.tgz$|\.tar\.gz$|\/download$/.test(path);

/** Packages of each registry as a source, over HTTP. `open` gives a server that is configured for these registries. */
export function describePackages(engine: string, open: () => Promise<PackagesRig>): void {
  describe.each(rows)(`packages of $registry on ${engine}`, ({ registry, name: named, v, withdraws, hasChecksums }) => {
    /** A package, and what tests do with it. */
    const about = async (word: string) => {
      const { server, ...all } = await open();
      const name = named(word);
      const { prefix, id: idOf } = registries[registry];
      const id = `/${prefix}/${idOf(name)}`;
      const ask = (version = ""): ReturnType<LecternProcess["call"]> => {
        const query = new URLSearchParams({ libraryId: id + version, query: "make a widget" });
        return server.call("GET", `/v2/context?${query.toString()}`);
      };
      return {
        server,
        name,
        id,
        ask,
        near: all.open[registry],
        corp: all.closed[registry],
        add: (more: object = {}) => server.call("POST", "/v2/add/package", { registry, name, ...more }),
        settled: () => server.settled(id),
        async says(call: string, version = "") {
          for (;;) {
            const answer = await ask(version);
            if (answer.status !== 202) return expect(JSON.stringify(answer.body), version).toContain(call);
            await server.settled(id + version);
          }
        },
      };
    };

    it("answer from the newest version, from others, and from the one that a range selects", async () => {
      const { near, name, id, add, settled, says, ask } = await about("widgets");
      near.publish(name, {
        [`${v}1.0.0`]: text("one()"),
        [`${v}1.4.0`]: text("oneFour()"),
        [`${v}2.0.0`]: text("two()"),
      });
      expect(await add()).toMatchObject({ status: 200, body: { libraryName: id } });
      expect(await settled()).toMatchObject({ state: "finalized", private: false, source: `${near.url}${name}` });
      await says("two();");
      await says("one();", `@${v}1.0.0`);
      await says("oneFour();", "@^1.0.0");
      await says("two();", `@${v}7.7.7`);
      expect(await ask("@no-such-tag")).toMatchObject({ status: 404, body: { error: "tag_not_found" } });
    });

    it.runIf(withdraws)("are not read at a withdrawn version, unless the submission names it", async () => {
      const { server, near, name, id, add, settled, says } = await about("returned");
      near.publish(name, { [`${v}1.0.0`]: text("good()"), [`${v}1.1.0`]: { ...text("bad()"), withdrawn: true } });
      await add();
      expect(await settled()).toMatchObject({ state: "finalized" });
      await says("good();");
      await server.call("DELETE", `/v2/libs?libraryId=${id}`);
      await add({ version: `${v}1.1.0` });
      await settled();
      await says("bad();");
    });

    it.runIf(hasChecksums)("are refused if the archive has another checksum", async () => {
      const { near, name, add, settled, ask } = await about("swapped");
      near.publish(name, { "1.0.0": { ...text("evil()"), checksum: "ab".repeat(registry === "npm" ? 64 : 32) } });
      await add();
      await settled();
      expect(await ask()).toMatchObject({ status: 422, body: { error: "source_invalid" } });
    });

    it("are refreshed when there is a newer version, and unchanged while there is none", async () => {
      const { server, near, name, id, add, settled, says } = await about("moving");
      const refreshed = async () => (await refreshedRun(server, id))?.["outcome"];
      const first = { [`${v}1.0.0`]: text("before()") };
      near.publish(name, first);
      await add();
      await settled();
      const archives = () => near.requests.filter(({ path }) => isArchive(path)).length;
      const fetched = archives();
      expect(await refreshed()).toBe("unchanged");
      expect(archives()).toBe(fetched);
      near.publish(name, { ...first, [`${v}1.1.0`]: text("after()") });
      expect(await refreshed()).toBe("published");
      await says("after();");
    });

    it("report that there is no such package", async () => {
      const { add, settled, ask } = await about("nowhere");
      expect(await add()).toMatchObject({ status: 200 });
      await settled();
      expect(await ask()).toMatchObject({ status: 404, body: { error: "source_not_found" } });
    });

    it("wait as long as a registry asks", async () => {
      const { near, name, add, settled, says } = await about("crowded");
      near.publish(name, { [`${v}1.0.0`]: text("patient()") });
      let refusals = 0;
      for (const [path, page] of [...near.pages].filter(([at]) => at.includes("crowded")))
        near.pages.set(path, (response, ...others) => {
          near.pages.set(path, page);
          refusals += 1;
          if (typeof page === "function" && refusals > 1) return page(response, ...others);
          return void response.writeHead(429, { "retry-after": "1" }).end();
        });
      await add();
      expect(await settled()).toMatchObject({ state: "finalized" });
      await says("patient();");
      expect(near.requests.filter(({ path, status }) => path.includes("crowded") && status === 429)).toHaveLength(1);
    });

    it("of a registry with credentials can be submitted by administrators only, and are never public", async () => {
      const { server, near, corp, name, id, add, settled, says } = await about(
        registry === "npm" ? "@corp/vault" : "vault",
      );
      corp.publish(name, { [`${v}1.0.0`]: text("openVault()") });
      const more = registry === "npm" ? {} : { registryUrl: corp.url };
      const { body: key } = await server.call("POST", "/v2/keys", {
        name: `submitter-${registry}`,
        scopes: ["submit"],
      });
      const refused = await fetch(`${server.url}/api/v2/add/package`, {
        method: "POST",
        headers: { Authorization: `Bearer ${(key as { key: string }).key}`, "Content-Type": "application/json" },
        body: JSON.stringify({ registry, name, ...more }),
      });
      expect(refused.status).toBe(403);
      expect(await add({ ...more, private: false })).toMatchObject({ status: 400 });
      expect(await add(more)).toMatchObject({ status: 200 });
      const status = await settled();
      expect(status).toMatchObject({ state: "finalized", private: true, source: `${corp.url}${name}` });
      expect(JSON.stringify(status)).not.toContain(secret);
      await says("openVault();");
      expect((await fetch(`${server.url}/api/v2/context?libraryId=${id}&query=open`)).status).toBe(404);
      expect(near.requests.filter(({ path, headers }) => path.includes("vault") || headers.authorization)).toEqual([]);
    });

    it("are not mixed with those of another registry that have the same name", async () => {
      const { server, near, corp, name, id, add, settled, says, ask } = await about(
        registry === "npm" ? "@corp/both" : "both",
      );
      near.publish(name, { [`${v}9.0.0`]: text("stolen()") });
      corp.publish(name, { [`${v}1.0.0`]: text("ours()") });
      await add();
      const status = await settled();
      if (registry !== "npm") {
        // The open registry is configured first, but that does not make it win.
        expect(status).toMatchObject({ state: "error", private: false });
        expect(await ask()).toMatchObject({
          status: 400,
          body: { message: expect.stringContaining("registryUrl") as string },
        });
        expect(JSON.stringify(status)).not.toContain(corp.host);
        await server.call("DELETE", `/v2/libs?libraryId=${id}`);
        expect(await add({ registryUrl: "https://elsewhere.example.com/" })).toMatchObject({ status: 400 });
        expect(await add({ registryUrl: corp.url })).toMatchObject({ status: 200 });
        expect(await settled()).toMatchObject({ state: "finalized", private: true });
      }
      await says("ours();");
      expect(near.requests.filter(({ path }) => path.includes("9.0.0") && isArchive(path))).toEqual([]);
    });

    it.runIf(hasChecksums && registry !== "npm")(
      "of a mirror are the same package if its file is the same",
      async () => {
        const { near, corp, name, add, settled, says } = await about("mirrored");
        for (const one of [near, corp]) one.publish(name, { "1.0.0": text("everywhere()") });
        await add();
        expect(await settled()).toMatchObject({ state: "finalized", private: false });
        await says("everywhere();");
      },
    );
  });
}
