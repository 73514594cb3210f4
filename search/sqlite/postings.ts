/**
 * Posting lists: in which rows a term stands, in which of their fields, and where. A list is a sequence of rows,
 * ascending: the distance from the row before, then for each field with the term `count << 4 | field << 1 | more`, and as
 * many distances from the position before. Numbers are varints: seven bits a byte, the lowest first, the highest bit set
 * where more follow.
 */

/** The fields of a list, by their number in it; `facets` has what rows are filtered by. */
export const postingFields = ["title", "breadcrumb", "path", "prose", "code", "facets"] as const;

/** Positions in one field are fewer: a field is made of at most 100,000 characters. */
const fieldStep = 1 << 20;

/** Walks along a list, row by row. */
export class PostingCursor {
  /** The row; 0 before the first. */
  row = 0;
  /** Occurrences in the row, each worth the weight of its field. */
  weight = 0;
  readonly #list: Uint8Array;
  readonly #weights: readonly number[];
  #at = 0;
  /** Where the fields of the row begin. */
  #fields = 0;

  constructor(list: Uint8Array, weights: readonly number[]) {
    this.#list = list;
    this.#weights = weights;
  }

  /** Goes to the next row; false behind the last. */
  next(): boolean {
    const list = this.#list;
    if (this.#at >= list.length) return false;
    this.row += this.#number();
    this.#fields = this.#at;
    let weight = 0;
    for (let more = 1; more === 1;) {
      const head = this.#number();
      more = head & 1;
      const count = head >> 4;
      weight += count * (this.#weights[(head >> 1) & 7] ?? 0);
      for (let left = count; left > 0 && this.#at < list.length; this.#at += 1)
        if ((list[this.#at] ?? 0) < 128) left -= 1;
    }
    this.weight = weight;
    return true;
  }

  /** Writes the row's places to the front of `places`, ascending, and says how many; no place is next to one of another field. */
  readPlaces(places: number[]): number {
    const end = this.#at;
    this.#at = this.#fields;
    let size = 0;
    for (let more = 1; more === 1;) {
      const head = this.#number();
      more = head & 1;
      let place = ((head >> 1) & 7) * fieldStep;
      for (let left = head >> 4; left > 0 && this.#at < this.#list.length; left -= 1) {
        place += this.#number();
        places[size++] = place;
      }
    }
    this.#at = end;
    return size;
  }

  #number(): number {
    const list = this.#list;
    let byte = list[this.#at++] ?? 0;
    if (byte < 128) return byte;
    let number = byte & 127;
    for (let shift = 7; byte >= 128 && shift < 35; shift += 7) {
      byte = list[this.#at++] ?? 0;
      number |= (byte & 127) << shift;
    }
    return number;
  }
}

/** The weight of a place's field. */
export function weightAt(place: number, weights: readonly number[]): number {
  return weights[Math.floor(place / fieldStep)] ?? 0;
}
