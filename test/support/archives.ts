import { gzipSync } from "node:zlib";
import { Header, Pax } from "tar";

/** An entry of an archive. */
export interface ArchivedFile {
  readonly path: string;
  readonly body?: string | Buffer;
  readonly type?: "File" | "SymbolicLink" | "Link" | "Directory" | "CharacterDevice";
  readonly linkpath?: string;
  /** Size in its header, where it is to be wrong. */
  readonly size?: number;
}

/** Files by path, as entries below a folder. */
export function filesIn(folder: string, files: Readonly<Record<string, string>>): readonly ArchivedFile[] {
  return Object.entries(files).map(([path, body]) => ({ path: folder === "" ? path : `${folder}/${path}`, body }));
}

/** A gzipped tar with these entries, valid or not. */
export function tarball(files: readonly ArchivedFile[]): Buffer {
  return gzipSync(tarOf(...files));
}

/** The same, not gzipped. */
export function tarOf(...files: readonly ArchivedFile[]): Buffer {
  const blocks = files.flatMap(({ path, body = "", type = "File", linkpath, size }) => {
    const bytes = Buffer.from(body);
    const header = new Header({
      path,
      mode: 0o644,
      mtime: new Date(0),
      size: size ?? bytes.length,
      type,
      ...(linkpath !== undefined && { linkpath }),
    });
    const head = Buffer.alloc(512);
    // A path that is too long for the header goes into a pax header before it.
    const more = header.encode(head) ? [new Pax({ path }).encode()] : [];
    return [...more, head, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}
