import { Failure } from "../domain/failures.ts";

/**
 * A page of a list that is whole in memory. The cursor is an offset, and names what the list is made `of`, such as a generation,
 * so that pages of two lists are not mixed.
 * @throws Failure validation_error for a cursor of another list
 */
export function pageOf<T>(
  all: readonly T[],
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  of: string,
): { readonly items: T[]; readonly total: number; readonly next: string | null } {
  const [, offset = "0", named] = /^(\d{1,9})\.(.+)$/s.exec(cursor ?? `0.${of}`) ?? [];
  if (cursor !== undefined && named !== of)
    throw new Failure("validation_error", "cursor is wrong, or the list has changed. Start again without it.");
  const end = Number(offset) + limit;
  return { items: all.slice(Number(offset), end), total: all.length, next: end < all.length ? `${end}.${of}` : null };
}
