import { z } from "zod";
import { Failure } from "../../domain/failures.ts";
import { notionAddress } from "../../domain/kinds/notion.ts";
import type { NotionCredential, NotionSourceSpec } from "../../domain/kinds/notion.ts";
import type { ReadContext, Source, SourceItem } from "../../domain/ports.ts";
import { idOf, objectOf, textOf } from "../../extract/notion/raw.ts";
import type { SourceReader, SourceTools } from "../reader/reader.ts";
import { openNotion } from "./client.ts";
import type { NotionApi } from "./client.ts";
import { readPages } from "./walk.ts";

/** How pages of Notion are read. */
export const notionReader: SourceReader<NotionSourceSpec, NotionCredential> = {
  spec: z.object({
    kind: z.literal("notion"),
    workspaceId: z.string().nullable(),
    pageIds: z.array(z.string().regex(/^[\da-f]{32}$/)),
  }),
  create: createNotionSource,
};

/** Reads what is shared with an integration: all of it, or the pages that were named with what is below them. */
function createNotionSource({
  politeClient,
  notionApi,
}: Pick<SourceTools, "politeClient" | "notionApi">): Source<NotionSourceSpec, NotionCredential> {
  const open = ({ credential, signal }: Pick<ReadContext<NotionCredential>, "credential" | "signal">): NotionApi => {
    if (credential === null)
      throw new Failure(
        "source_refused",
        "Notion is read with the secret of an integration. Refresh it with notionToken.",
      );
    return openNotion({ client: politeClient(), url: notionApi, token: credential.token, signal });
  };

  return {
    kind: "notion",

    async resolve(spec, _ref, context) {
      const api = open(context);
      await checkWorkspace(spec, api);
      await checkAccess(spec, api);
      return { revision: "", ref: null, location: locationOf(spec), refs: [] };
    },

    async *read(spec, _state, context): AsyncGenerator<SourceItem> {
      yield* readPages(spec, open(context), context);
    },
  };
}

function locationOf({ pageIds }: NotionSourceSpec): string {
  return pageIds[0] === undefined ? "https://www.notion.so/" : notionAddress(pageIds[0]);
}

/** A token says of which workspace it is. @throws Failure source_refused for that of another */
async function checkWorkspace({ workspaceId }: NotionSourceSpec, api: NotionApi): Promise<void> {
  const bot = objectOf((await api.me())["bot"]);
  const id = textOf(bot["workspace_id"]);
  if (workspaceId === null || id === "" || same(workspaceId, id)) return;
  const message = `The token is for the workspace ${textOf(bot["workspace_name"])} (${id}), not for ${workspaceId}. Give the token of an integration of that workspace, or leave workspaceId out.`;
  throw new Failure("source_refused", message);
}

function same(one: string, other: string): boolean {
  return one === other || (idOf(one) !== "" && idOf(one) === idOf(other));
}

/** Whether anything can be read. @throws Failure what the first page is refused for, where all are */
async function checkAccess({ pageIds }: NotionSourceSpec, api: NotionApi): Promise<void> {
  if (pageIds.length === 0) {
    await api.search("descending").next();
    return;
  }
  let first: unknown;
  for (const id of pageIds) {
    try {
      await api.page(id).catch((error: unknown) => {
        if (!(error instanceof Failure) || !/^source_(?:not_found|invalid)$/.test(error.code)) throw error;
        return api.database(id);
      });
      return;
    } catch (error) {
      first ??= error;
      if (!(error instanceof Failure) || error.code !== "source_not_found") throw error;
    }
  }
  throw first;
}
