import { Failure } from "../domain/failures.ts";
import { servedPassages } from "../domain/generation.ts";
import type { PassageIndex, StepControl } from "../domain/ports.ts";
import type { IndexingSteps } from "../domain/steps.ts";
import { readParts } from "./damage.ts";
import { openEmbeddings, type EmbeddingPorts } from "./embedding.ts";
import { writeOutlineOf, type OutliningPorts } from "./outline.ts";
import { manifestOf } from "./parts.ts";

/** The ports that loading uses. */
export interface LoadingPorts extends OutliningPorts {
  readonly passages: PassageIndex;
  /** Absent: passages get no embeddings. */
  readonly embedding?: Pick<EmbeddingPorts, "embedder" | "onUnembedded"> | undefined;
}

/** The step `load`: writes the outline of a generation, and loads it into the index, with embeddings if there is a server for them that works. */
export async function loadGeneration(
  ports: LoadingPorts,
  control: StepControl,
  { request, generation }: Parameters<IndexingSteps["load"]>[0],
): Promise<{ readonly snippets: number }> {
  const { catalog, blobs, passages, embedding, now } = ports;
  const manifest = await manifestOf(blobs, generation);
  const expected = servedPassages(manifest.counts);
  await writeOutlineOf(ports, manifest, control.signal);
  const parts = readParts(ports, manifest);
  const options = { ...control, language: manifest.language };
  const versions = embedding === undefined ? [] : await catalog.libraries.versionsOf(request.libraryUid);
  const earlier = versions.find(({ version }) => version === request.version)?.live?.id;
  const embeddings = embedding && (await openEmbeddings({ ...embedding, blobs }, { generation, earlier }, control));
  const loaded = await (embeddings
    ? passages.load(generation, embeddings.addTo(parts), { ...options, model: embeddings.model })
    : passages.load(generation, parts, options));
  if (loaded !== expected) {
    await passages.drop(generation);
    const message = `The index confirmed ${loaded} of ${expected} passages of ${request.libraryId}. Try again.`;
    throw new Failure("search_failed", message);
  }
  await catalog.generations.noteUnindexed([generation], false, now());
  return { snippets: loaded };
}
