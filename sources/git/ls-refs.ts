import { protocolTwo, type GitHttp } from "./http.ts";
import { inPieces, PacketError, readLines, toLine } from "./packets.ts";

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
 * The refs of a repository whose names begin with one of the prefixes, HEAD among them where it is asked for, as they come: in
 * batches of a thousand or so. Over protocol 2 the server is asked once for all; one that knows protocol 1 only has told them all
 * by then.
 * @throws Failure; PacketError where the server does not speak Git's protocol
 */
export async function* listRefs(http: GitHttp, prefixes: readonly string[]): AsyncGenerator<readonly ServerRef[]> {
  const discovered = await http.discover();
  if (!speaksTwo(discovered)) {
    for await (const refs of toOldRefs(readLines(inPieces(discovered))))
      yield refs.filter(({ ref }) => prefixes.some((prefix) => ref.startsWith(prefix)));
    return;
  }
  const asked = ["peel", "symrefs", ...prefixes.map((prefix) => `ref-prefix ${prefix}`)];
  const request = `${toLine("command=ls-refs")}0001${asked.map(toLine).join("")}0000`;
  for await (const lines of readLines(await http.uploadPack(Buffer.from(request), protocolTwo))) yield lines.map(toRef);
}

/** True where a server answers in protocol 2: it says so first, some after the name of the service. */
export function speaksTwo(discovered: Buffer): boolean {
  const start = discovered.toString("latin1", 0, 100);
  return /^(?:[\da-f]{4}# service=git-upload-pack\n?(?:0000)?)?[\da-f]{4}version 2(?:\n|$|[\da-f]{4})/i.test(start);
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
 * and behind an annotated tag what it stands for as `<oid> <name>^{}`.
 */
async function* toOldRefs(batches: AsyncIterable<readonly string[]>): AsyncGenerator<readonly ServerRef[]> {
  let first = true;
  let target: string | undefined;
  /** The next line may say what this ref stands for. */
  let last: ServerRef | undefined;
  for await (const lines of batches) {
    const refs: ServerRef[] = [];
    for (const line of lines) {
      if (first && line !== "# service=git-upload-pack") throw new PacketError("The answer names no service.");
      if (first || line === "version 1" || line.startsWith("shallow ")) {
        first = false;
        continue;
      }
      const [, oid = "", ref = ""] = /^([\da-f]{40}) ([^\0]+)/.exec(line) ?? [];
      if (ref === "") throw new PacketError("A line of refs has no name.");
      target ??= /\0[^\0\n]*\bsymref=HEAD:(\S+)/.exec(line)?.[1];
      if (last !== undefined && ref === `${last.ref}^{}`) {
        last = { ...last, peeled: oid };
        continue;
      }
      if (last !== undefined) refs.push(last);
      last = { ref, oid, ...(ref === "HEAD" && target !== undefined && { target }) };
    }
    yield refs;
  }
  if (first) throw new PacketError("The answer names no service.");
  if (last !== undefined) yield [last];
}
