/** Maximum number of paths of one form, and of queries of one path: a site that has more makes pages up, as a calendar does. */
const maxOfTemplate = 200;
const maxQueries = 20;

/** Counts addresses by what they have in common. */
export interface Templates {
  /** Whether an address is one more of too many. */
  isOneTooMany(address: URL): boolean;
}

/** Creates the count of a crawl. */
export function createTemplates(): Templates {
  const templates = new Map<string, number>();
  const queries = new Map<string, number>();
  return {
    isOneTooMany({ host, pathname, search }) {
      const path = `${host}${pathname}`;
      if (search !== "" && count(queries, path) > maxQueries) return true;
      const template = toTemplate(path);
      return template !== path && count(templates, template) > maxOfTemplate;
    },
  };
}

function count(counts: Map<string, number>, key: string): number {
  const sum = (counts.get(key) ?? 0) + 1;
  counts.set(key, sum);
  return sum;
}

/** A path whose names of digits, dates and identifiers are all the same. */
function toTemplate(path: string): string {
  return path
    .split("/")
    .map((name) => (isNumbering(name) ? "#" : name))
    .join("/");
}

function isNumbering(name: string): boolean {
  return /^\d[\d._-]*$/.test(name) || /^(?=[0-9a-f-]*\d)[0-9a-f-]{12,}$/i.test(name);
}
