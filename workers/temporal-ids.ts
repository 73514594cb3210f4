import { hash } from "node:crypto";
import { foldId, showLibrary } from "../domain/library.ts";
import type { IndexingRequest } from "../domain/steps.ts";

/** Servers take 1,000 bytes, some only 255; IDs of people's own are far shorter. */
const maxIdBytes = 200;

/**
 * The workflow ID of a library version, `library:<teamspace or ->:<id>[@version]`: Temporal lets only one run of an ID
 * be open. What is longer than 200 bytes ends in a hash, and is then longer than any that does not.
 */
export function libraryWorkflowId({
  teamspace,
  libraryId,
  version,
}: Pick<IndexingRequest, "teamspace" | "libraryId" | "version">): string {
  const id = `library:${teamspace === "" ? "-" : teamspace}:${showLibrary(foldId(libraryId), version)}`;
  const bytes = Buffer.from(id);
  return bytes.length <= maxIdBytes ? id : `${bytes.subarray(0, 150).toString("utf8")}~${sha256(id)}`;
}

/** By what runs take turns, 64 bytes at most: those of a teamspace by its name, public ones by the host that they read from. */
export function fairnessKey(teamspace: string, host: string | null): string {
  const key = teamspace === "" ? (host ?? "-") : `@${teamspace}`;
  return Buffer.byteLength(key) <= 64 ? key : sha256(key);
}

function sha256(text: string): string {
  return hash("sha256", text, "hex");
}
