import { expect, it } from "vitest";
import { notionIdOf, notionKind, notionTitleOf } from "../../domain/kinds/notion.ts";
import { forms, typedAddress } from "../../api/forms/index.ts";

const id = "0123456789abcdef0123456789abcdef";

it.each([
  [`https://www.notion.so/acme/Team-Handbook-${id}`, id],
  [`https://www.notion.so/${id}?v=ffffffffffffffffffffffffffffffff`, id],
  [`https://acme.notion.site/Team-Handbook-${id}#section`, id],
  [`https://app.notion.com/p/acme/Team-Handbook-${id}`, id],
  [`https://www.notion.so/acme/ffffffffffffffffffffffffffffffff?v=1&p=${id}&pm=s`, id],
  ["01234567-89ab-cdef-0123-456789abcdef", id],
  [id.toUpperCase(), id],
  [`https://notion.so.example.com/Handbook-${id}`, null],
  [`https://evilnotion.so/Handbook-${id}`, null],
  ["https://www.notion.so/help/guides", null],
  ["Handbook", null],
])("%s has the page ID %s", (address, wanted) => {
  expect(notionIdOf(address)).toBe(wanted);
});

it("tells addresses of Notion from those of websites", () => {
  const address = `https://www.notion.so/acme/Team-Handbook-${id}`;
  expect(notionTitleOf(address)).toBe("Team Handbook");
  expect(typedAddress(address)).toMatchObject({
    path: "/v2/add/notion",
    body: { pageUrls: [address], title: "Team Handbook" },
  });
  expect(typedAddress("https://www.notion.so/help")).toMatchObject({ path: "/v2/add/website" });
  expect(forms.notion.typed("Handbook")).toBeNull();
});

it("binds credentials to the host of the API, and to the workspace where one is named", () => {
  const spec = { kind: "notion", workspaceId: null, pageIds: [id] } as const;
  expect(notionKind.credential?.audience(spec)).toEqual({ host: "api.notion.com" });
  expect(notionKind.credential?.audience({ ...spec, workspaceId: "w" })).toEqual({
    host: "api.notion.com",
    tenant: "w",
  });
});
