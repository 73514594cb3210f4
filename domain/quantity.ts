/** A number with its noun, such as "1,200 stars". */
export function quantity(count: number, what: string): string {
  const many = what.endsWith("y") ? `${what.slice(0, -1)}ies` : `${what}s`;
  return `${count.toLocaleString("en-US")} ${count === 1 ? what : many}`;
}
