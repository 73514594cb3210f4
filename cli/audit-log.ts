import { appendFile } from "node:fs/promises";
import { toAuditRecord } from "../api/schemas/audit.ts";
import type { AuditRecord } from "../domain/audit.ts";

/**
 * Writes records as lines of JSON to standard output or a file. The file is opened for each line, so that whoever moves it away gets a new
 * one; a line is one write at the end of the file, so that several processes may share it. A line @throws where it cannot be written
 */
export function openAuditLog(to: string): (record: AuditRecord) => Promise<void> {
  let before = Promise.resolve();
  return (record) => {
    const line = `${JSON.stringify(toAuditRecord(record))}\n`;
    const write = async (): Promise<void> => {
      if (to === "stdout") process.stdout.write(line);
      else await appendFile(to, line, { mode: 0o600 });
    };
    // One after the other, in the order in which they ended; one that failed is no reason not to try the next.
    const written = before.then(write);
    before = written.catch(() => {});
    return written;
  };
}
