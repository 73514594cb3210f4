/** An API description (OpenAPI 3, Swagger 2.0): at an address, or an uploaded file. */
export interface OpenApiSourceSpec {
  readonly kind: "openapi";
  /** Address of the description; null for an uploaded one. */
  readonly url: string | null;
  /** Name of the file as it was uploaded, or the last segment of its address. */
  readonly fileName: string;
}

/** What the pages of a description are called after: its address, or its file's name. */
export function descriptionName({ url, fileName }: OpenApiSourceSpec): string {
  return url ?? fileName;
}
