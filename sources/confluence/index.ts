import { z } from "zod";
import type { ConfluenceCredential, ConfluenceSourceSpec } from "../../domain/kinds/index.ts";
import { confluenceKind } from "../../domain/kinds/confluence.ts";
import type { PageRef, ReadContext, Source, SourceItem } from "../../domain/ports.ts";
import type { SourceReader, SourceTools } from "../reader/reader.ts";
import { openMemory } from "../lib/remote/memory.ts";
import { indexedBefore, readChanged } from "../lib/remote/read-changed.ts";
import { revisionOf } from "../lib/remote/revision.ts";
import { openSite } from "./access.ts";
import { listPages, missingSpace } from "./listing.ts";
import { createReading, idOf, refusedItem } from "./reading.ts";

/** How Confluence is read. */
export const confluenceReader: SourceReader<ConfluenceSourceSpec, ConfluenceCredential> = {
  spec: z.object({
    kind: z.literal("confluence"),
    siteUrl: z.url({ protocol: /^https?$/ }),
    cloudId: z.string().nullable(),
    spaceKey: z.string().min(1),
    pageIds: z.array(z.string()),
    includeSubPages: z.boolean(),
    includeRestricted: z.boolean(),
  }),
  create: createConfluenceSource,
};

/** Reads the pages of a space: lists all, reads those that have changed, and names those that are refused. */
function createConfluenceSource(tools: SourceTools): Source<ConfluenceSourceSpec, ConfluenceCredential> {
  const { politeClient, confluenceGateway: gateway, pool, guard } = tools;

  async function* read(
    spec: ConfluenceSourceSpec,
    context: ReadContext<ConfluenceCredential>,
  ): AsyncGenerator<SourceItem> {
    const { signal, credential } = context;
    const api = await openSite(spec, { client: politeClient(), gateway, signal, credential });
    const memory = await openMemory(context.checkpoint);
    const known = indexedBefore(context).flatMap((key) => idOf(key) ?? []);
    const run = { spec, api, memory, context };
    const listed = await listPages(run, known);
    const { refOf, current, read: readPages } = createReading(run, listed, { pool, signal });
    const pages = listed.wanted.map((page) => ({ id: page, page: refOf(page) }));
    yield* readChanged({ listed: pages, current, batch: api.limits.bodies, read: readPages, memory }, context);
    for (const id of listed.refused) yield refusedItem(api.root, id, context);
    if (listed.notes.length > 0) context.account?.({ notes: listed.notes });
  }

  return {
    kind: "confluence",

    async resolve(spec, _ref, { signal, credential }) {
      guard.checkUrl(new URL(spec.siteUrl));
      const api = await openSite(spec, { client: politeClient(), gateway, signal, credential });
      if (spec.spaceKey === "") await api.probe();
      else if ((await api.space(spec.spaceKey)) === undefined) throw missingSpace(spec);
      return { revision: "", ref: null, location: confluenceKind.location(spec), refs: [] };
    },

    async *read(spec, _state, context) {
      const pages: PageRef[] = [];
      for await (const item of read(spec, context)) {
        pages.push(item.page);
        yield item;
      }
      context.account?.({ revision: revisionOf(pages) });
    },
  };
}
