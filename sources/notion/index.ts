import { z } from "zod";
import { Failure, isFailure } from "../../domain/failures.ts";
import { notionKind } from "../../domain/kinds/notion.ts";
import type { NotionCredential, NotionSourceSpec } from "../../domain/kinds/notion.ts";
import type { ReadContext, Source } from "../../domain/ports.ts";
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

/** Reads what is shared with an integration: all of it, or the submitted pages with those below them. */
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
      return { revision: "", ref: null, location: notionKind.location(spec), refs: [] };
    },

    read: (spec, _state, context) => readPages(spec, open(context), context),
  };
}

/** Checks that the token is for the submitted workspace. @throws Failure source_refused */
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

/** Checks that one of the submitted pages can be read. @throws Failure that of the first page, where none can */
async function checkAccess({ pageIds }: NotionSourceSpec, api: NotionApi): Promise<void> {
  if (pageIds.length === 0) {
    await api.search("descending").next();
    return;
  }
  let first: unknown;
  for (const id of pageIds) {
    try {
      await api.page(id).catch((error: unknown) => {
        if (!isFailure(error, "source_not_found", "source_invalid")) throw error;
        return api.database(id);
      });
      return;
    } catch (error) {
      first ??= error;
      if (!isFailure(error, "source_not_found")) throw error;
    }
  }
  throw first;
}
