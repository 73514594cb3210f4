declare module "html-encoding-sniffer" {
  /** The name of the encoding of a text (WHATWG Encoding). */
  export default function sniffEncoding(
    bytes: Uint8Array,
    options?: { readonly transportLayerEncodingLabel?: string; readonly defaultEncoding?: string },
  ): string;
}
