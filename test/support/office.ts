import { zipOf } from "./zip.ts";

const xml = (inside: string): string => `<?xml version="1.0" encoding="UTF-8"?>${inside}`;
const relations = (...all: readonly (readonly [id: string, type: string, target: string])[]): string =>
  xml(
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all
      .map(
        ([id, type, target]) =>
          `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`,
      )
      .join("")}</Relationships>`,
  );
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

/** A paragraph of a Word document: its style, "" for none, its text, and the font of that. */
export type WordParagraph = readonly [style: string, text: string, font?: string];

/** A Word document of paragraphs, or of WordprocessingML. `styles` are added to its own. */
export function wordOf(body: readonly WordParagraph[] | string, styles = ""): Buffer {
  const paragraph = ([style, text, font]: WordParagraph): string => {
    const fonts = font === undefined ? "" : `<w:rPr><w:rFonts w:ascii="${font}"/></w:rPr>`;
    const run = text === "" ? "" : `<w:r>${fonts}<w:t xml:space="preserve">${escaped(text)}</w:t></w:r>`;
    return `<w:p>${style === "" ? "" : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}${run}</w:p>`;
  };
  const inside = typeof body === "string" ? body : body.map(paragraph).join("");
  const style = (id: string, name: string): string =>
    `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/></w:style>`;
  return zipOf([
    { path: "_rels/.rels", body: relations(["rId1", "officeDocument", "word/document.xml"]) },
    { path: "word/document.xml", body: xml(`<w:document ${w}><w:body>${inside}</w:body></w:document>`) },
    {
      path: "word/styles.xml",
      body: xml(
        `<w:styles ${w}>${style("Heading1", "heading 1")}${style("Heading2", "heading 2")}${styles}</w:styles>`,
      ),
    },
    { path: "word/_rels/document.xml.rels", body: relations(["rId1", "styles", "styles.xml"]) },
  ]);
}

/** A slide: its title, and DrawingML of the shapes after it. */
export type Slide = readonly [title: string, shapes: string];

/** A presentation. */
export function slidesOf(slides: readonly Slide[]): Buffer {
  const names = 'xmlns:a="a" xmlns:p="p" xmlns:r="r"';
  const ids = slides.map((_slide, at) => `<p:sldId id="${256 + at}" r:id="rId${at + 1}"/>`).join("");
  return zipOf([
    {
      path: "ppt/presentation.xml",
      body: xml(`<p:presentation ${names}><p:sldIdLst>${ids}</p:sldIdLst></p:presentation>`),
    },
    {
      path: "ppt/_rels/presentation.xml.rels",
      // Their files are numbered against their order.
      body: relations(
        ...slides.map((_slide, at) => [`rId${at + 1}`, "slide", `slides/slide${slides.length - at}.xml`] as const),
      ),
    },
    ...slides.map(([title, shapes], at) => ({
      path: `ppt/slides/slide${slides.length - at}.xml`,
      body: xml(
        `<p:sld ${names}><p:cSld><p:spTree>${shape("title", `<a:p><a:r><a:t>${escaped(title)}</a:t></a:r></a:p>`)}${shapes}</p:spTree></p:cSld></p:sld>`,
      ),
    })),
  ]);
}

/** A shape of a slide: the type of its placeholder, "" for a box of its own, and its paragraphs. */
export function shape(type: string, paragraphs: string): string {
  const place = type === "" ? "" : `<p:nvSpPr><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr>`;
  return `<p:sp>${place}<p:txBody>${paragraphs}</p:txBody></p:sp>`;
}

/** A line of text in a PDF: Helvetica, its bold form or Courier, size, place from the lower left corner, text. */
export type PrintedLine = readonly [font: "text" | "bold" | "code", size: number, x: number, y: number, text: string];

/** A PDF of these pages, of 612 × 792 points. */
export function pdfOf(pages: readonly (readonly PrintedLine[])[]): Buffer {
  const fonts = { text: "Helvetica", bold: "Helvetica-Bold", code: "Courier" };
  const names = Object.keys(fonts);
  const first = 3 + names.length;
  const kids = pages.map((_page, at) => `${first + at * 2} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    ...Object.values(fonts).map(
      (name) => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`,
    ),
    ...pages.flatMap((lines, at) => {
      const content = lines
        .map(([font, size, x, y, text]) => {
          const written = text.replace(/[\\()]/g, "\\$&");
          return `BT /${font} ${size} Tf ${x} ${y} Td (${written}) Tj ET`;
        })
        .join("\n");
      const used = names.map((name, number) => `/${name} ${3 + number} 0 R`).join(" ");
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${first + at * 2 + 1} 0 R /Resources << /Font << ${used} >> >> >>`,
        `<< /Length ${Buffer.byteLength(content, "latin1")} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  let out = "%PDF-1.4\n";
  const places = objects.map((object, at) => {
    const place = out.length;
    out += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const table = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  out += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${out.length}\n%%EOF\n`;
  return Buffer.from(out, "latin1");
}
