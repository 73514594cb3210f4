import { protocolTwo, type GitHttp } from "./http.ts";
import { PacketError, readLines, toLine } from "./packets.ts";

/** A ref as a server names it. */
export interface ServerRef {
  /** Its whole name, `HEAD` or one that begins with `refs/`. */
  readonly ref: string;
  readonly oid: string;
  /** What HEAD stands for. */
  readonly target?: string;
  /** What an annotated tag stands for. */
  readonly peeled?: string;
}

/**
 * The refs of a repository whose names begin with one of the prefixes, HEAD among them where it is asked for. Over
 * protocol 2 the server is asked once for all; one that knows protocol 1 only has told them all by then.
 * @throws Failure; PacketError where the server does not speak Git's protocol
 */
export async function listRefs(http: GitHttp, prefixes: readonly string[]): Promise<readonly ServerRef[]> {
  const lines = readLines(await http.discover());
  if (!lines.includes("version 2"))
    return toOldRefs(lines).filter(({ ref }) => prefixes.some((prefix) => ref.startsWith(prefix)));
  const asked = ["peel", "symrefs", ...prefixes.map((prefix) => `ref-prefix ${prefix}`)];
  const request = `${toLine("command=ls-refs")}0001${asked.map(toLine).join("")}0000`;
  const answer = await http.uploadPack(Buffer.from(request), protocolTwo);
  return readLines(Buffer.concat(await Array.fromAsync(answer))).map(toRef);
}

/** `<oid> <name>[ symref-target:<name>][ peeled:<oid>]` */
function toRef(line: string): ServerRef {
  const [oid = "", ref = "", ...attributes] = line.split(" ");
  if (ref === "") throw new PacketError("A line of refs has no name.");
  const valueOf = (name: string): string | undefined =>
    attributes.find((attribute) => attribute.startsWith(`${name}:`))?.slice(name.length + 1);
  const [target, peeled] = [valueOf("symref-target"), valueOf("peeled")];
  return { ref, oid, ...(target !== undefined && { target }), ...(peeled !== undefined && { peeled }) };
}

/**
 * Refs as they were told before protocol 2 (gitprotocol-pack): `<oid> <name>`, the first with capabilities behind a zero byte,
 * and what an annotated tag stands for as `<oid> <name>^{}`.
 */
function toOldRefs(lines: readonly string[]): readonly ServerRef[] {
  const [service, ...rest] = lines;
  if (service !== "# service=git-upload-pack") throw new PacketError("The answer names no service.");
  const named = rest
    .filter((line) => line !== "version 1" && !line.startsWith("shallow "))
    .map((line) => {
      const [, oid = "", ref = ""] = /^([\da-f]{40}) ([^\0]+)/.exec(line) ?? [];
      if (ref === "") throw new PacketError("A line of refs has no name.");
      return { oid, ref };
    });
  const target = rest.map((line) => /\0.*\bsymref=HEAD:(\S+)/.exec(line)?.[1]).find((name) => name !== undefined);
  const peeled = new Map(named.map(({ ref, oid }) => [ref, oid]));
  return named
    .filter(({ ref }) => !ref.endsWith("^{}"))
    .map((one) => {
      const stands = peeled.get(`${one.ref}^{}`);
      const leads = one.ref === "HEAD" && target !== undefined;
      return { ...one, ...(leads && { target }), ...(stands !== undefined && { peeled: stands }) };
    });
}
