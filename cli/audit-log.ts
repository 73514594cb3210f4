import { appendFile } from "node:fs/promises";
import { toAuditRecord } from "../api/schemas/audit.ts";
import type { AuditRecord } from "../domain/audit.ts";

/**
 * Writes records as lines of JSON to standard output or a file. The file is opened for each line, so that it can be rotated; a line
 * is a single append, so that several processes can share the file. @throws where a line cannot be written
 */
export function openAuditLog(to: string): (record: AuditRecord) => Promise<void> {
  let before = Promise.resolve();
  return (record) => {
    const line = `${JSON.stringify(toAuditRecord(record))}\n`;
    const write = async (): Promise<void> => {
      if (to === "stdout") process.stdout.write(line);
      else await appendFile(to, line, { mode: 0o600 });
    };
    // One after the other, in the order of their ends, also after one that failed.
    const written = before.then(write);
    before = written.catch(() => {});
    return written;
  };
}
