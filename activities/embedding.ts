import { hash } from "node:crypto";
import { deserialize, serialize } from "node:v8";
import { meaningText } from "../domain/meaning.ts";
import { isServed, linesOf, readPassage } from "../domain/passage.ts";
import type { BlobStore, Embedder, StepControl } from "../domain/ports.ts";
import { generationPrefix } from "./parts.ts";

/** The ports that embedding uses. */
export interface EmbeddingPorts {
  readonly blobs: BlobStore;
  readonly embedder: Embedder;
  /** Called when passages are loaded without embeddings, because the server does not work. */
  readonly onUnembedded: (error: unknown) => void;
}

/** Adds embeddings to the lines of served passages. */
export interface Embeddings {
  readonly model: string;
  /** The parts with embeddings. Once the server fails, all further parts stay as they are. @throws the signal's reason */
  addTo(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
}

/** Maximum number of texts in a request. */
const batchSize = 64;
/** Time for the embeddings of one load, in milliseconds; the next load continues. */
const longest = 30 * 60_000;
/** Size of new embeddings at which they are stored, in bytes. */
const storedAt = 1024 * 1024;

/**
 * Prepares the embeddings of a generation. Those of an interrupted load and of the `earlier` generation are used again. Undefined, and
 * noted: the server does not work. @throws the signal's reason
 */
export async function openEmbeddings(
  { blobs, embedder, onUnembedded }: EmbeddingPorts,
  { generation, earlier }: { readonly generation: string; readonly earlier: string | undefined },
  { signal, report }: StepControl,
): Promise<Embeddings | undefined> {
  const giveUp = (error: unknown): undefined => {
    signal.throwIfAborted();
    onUnembedded(error);
  };
  const until = performance.now() + longest;
  try {
    // The number of dimensions, which may have changed under the name of the model.
    const [{ length } = { length: 0 }] = await embedder.embed(["ready"], signal);
    const kept = await openKept(blobs, embedder.model, { generation, earlier, length });
    return {
      model: embedder.model,
      async *addTo(parts): AsyncGenerator<Uint8Array> {
        let works = true;
        for await (const part of parts) {
          const embedded: Uint8Array | undefined = works ? await embedPart(part, kept).catch(giveUp) : undefined;
          works = embedded !== undefined;
          yield embedded ?? part;
        }
        await kept.store().catch(giveUp);
      },
    };
  } catch (error) {
    return giveUp(error);
  }

  async function embedPart(part: Uint8Array, kept: Kept): Promise<Uint8Array> {
    const lines = Array.from(linesOf(part), (line) => {
      const passage = readPassage(line);
      return { line, text: isServed(passage) ? meaningText(passage) : undefined };
    });
    const texts = [...new Set(lines.flatMap(({ text }) => text ?? []))].filter((text) => !kept.get(text));
    for (let start = 0; start < texts.length; start += batchSize) {
      if (performance.now() > until) throw new Error("Embedding takes too long. The sweep continues later.");
      const batch = texts.slice(start, start + batchSize);
      const vectors = await embedder.embed(batch, signal);
      for (const [at, text] of batch.entries()) await kept.add(text, vectors[at]);
      report({});
    }
    const embedded = lines.map(({ line, text }) => {
      const vector = text === undefined ? undefined : kept.get(text);
      if (vector === undefined) return line;
      return `${line.slice(0, line.lastIndexOf("}"))},"embedding":"${Buffer.from(vector).toString("base64")}"}`;
    });
    return Buffer.from(embedded.map((line) => `${line}\n`).join(""));
  }
}

/** The embeddings of a generation by their texts. They lie with its parts, by the hashes of model and text. */
interface Kept {
  /** One of the generation, or of the earlier one, which the generation keeps from then on. */
  get(text: string): Int8Array | undefined;
  /** @throws Error for a vector of another length */
  add(text: string, vector: Int8Array | undefined): Promise<void>;
  /** Stores the new ones. */
  store(): Promise<void>;
}

async function openKept(
  blobs: BlobStore,
  model: string,
  { generation, earlier, length }: { generation: string; earlier: string | undefined; length: number },
): Promise<Kept> {
  const prefixOf = (of: string): string => `${generationPrefix(of)}embeddings/${hash("sha256", model).slice(0, 16)}/`;
  const keyOf = (text: string): string => hash("sha256", text, "base64").slice(0, 24);
  const own = await readKept(blobs, prefixOf(generation), length);
  const others =
    earlier === undefined || earlier === generation ? own : await readKept(blobs, prefixOf(earlier), length);
  let added = new Map<string, Int8Array>();
  const store = async (): Promise<void> => {
    if (added.size === 0) return;
    const content = serialize(added);
    added = new Map();
    await blobs.put(`${prefixOf(generation)}${hash("sha256", content).slice(0, 16)}`, content);
  };
  return {
    store,
    get(text) {
      const key = keyOf(text);
      const vector = own.get(key) ?? others.get(key);
      if (vector !== undefined && !own.has(key)) {
        own.set(key, vector);
        added.set(key, vector);
      }
      return vector;
    },
    async add(text, vector) {
      if (vector?.length !== length) throw new Error("The length of the embeddings has changed.");
      own.set(keyOf(text), vector);
      added.set(keyOf(text), vector);
      if (added.size * length >= storedAt) await store();
    },
  };
}

/** The stored embeddings of a length. What cannot be read is left out, as it can be asked for again. */
async function readKept(blobs: BlobStore, prefix: string, length: number): Promise<Map<string, Int8Array>> {
  const kept = new Map<string, Int8Array>();
  for await (const key of blobs.list(prefix)) {
    const bytes = await blobs.get(key);
    for (const [text, vector] of bytes === undefined ? [] : entriesOf(bytes))
      if (vector.length === length) kept.set(text, vector);
  }
  return kept;
}

/** The entries of a blob that `store` has written; none if it is damaged. */
function entriesOf(bytes: Uint8Array): ReadonlyMap<string, Int8Array> {
  try {
    const read: unknown = deserialize(bytes);
    return read instanceof Map ? (read as Map<string, Int8Array>) : new Map();
  } catch {
    return new Map();
  }
}
