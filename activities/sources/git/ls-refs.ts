import type { ServerRef } from "isomorphic-git";
import type { GitHttp } from "./http.ts";
import { readLines, toLine } from "./packets.ts";

/** What every request for refs carries: protocol 2 where the server knows it (gitprotocol-v2). */
const headers = { "git-protocol": "version=2" };

/**
 * The refs of a repository whose names begin with one of the prefixes, HEAD among them where it is asked for. Over
 * protocol 2 the server is asked once for all; one that knows protocol 1 only has told them all by then.
 * @throws Failure; Error where the server does not speak Git's protocol
 */
export async function listRefs(http: GitHttp, url: string, prefixes: readonly string[]): Promise<readonly ServerRef[]> {
  const { body = [] } = await http.request({ method: "GET", url: `${url}/info/refs?service=git-upload-pack`, headers });
  const lines = readLines(Buffer.concat(await Array.fromAsync(body)));
  if (!lines.includes("version 2")) {
    const { listServerRefs } = await import("isomorphic-git");
    const lists = prefixes.map((prefix) =>
      listServerRefs({ http, url, protocolVersion: 1, symrefs: true, peelTags: true, prefix }),
    );
    return (await Promise.all(lists)).flat();
  }
  const asked = ["peel", "symrefs", ...prefixes.map((prefix) => `ref-prefix ${prefix}`)];
  const request = `${toLine("command=ls-refs")}0001${asked.map(toLine).join("")}0000`;
  const answer = await http.request({
    method: "POST",
    url: `${url}/git-upload-pack`,
    headers: {
      ...headers,
      "content-type": "application/x-git-upload-pack-request",
      accept: "application/x-git-upload-pack-result",
    },
    body: once(Buffer.from(request)),
  });
  return readLines(Buffer.concat(await Array.fromAsync(answer.body ?? []))).map(toRef);
}

/** `<oid> <name>[ symref-target:<name>][ peeled:<oid>]` */
function toRef(line: string): ServerRef {
  const [oid = "", ref = "", ...attributes] = line.split(" ");
  if (ref === "") throw new Error("A line of refs has no name.");
  const valueOf = (name: string): string | undefined =>
    attributes.find((attribute) => attribute.startsWith(`${name}:`))?.slice(name.length + 1);
  const [target, peeled] = [valueOf("symref-target"), valueOf("peeled")];
  return { ref, oid, ...(target !== undefined && { target }), ...(peeled !== undefined && { peeled }) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}
