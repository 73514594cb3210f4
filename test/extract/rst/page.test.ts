import { expect, it } from "vitest";
import { rstType } from "../../../extract/formats.ts";
import { extractPage, formatOf } from "../../../extract/index.ts";
import { codesOf, passagesOf, proseOf } from "../extract.ts";

const source = `.. _sandbox:
.. |badge| image:: https://img.example/badge.svg
   :target: https://ci.example

=======
Kit 1.0
=======

Renders \`\`templates\`\`; see :ref:\`the guide <guide>\` and \`its site <https://kit.example>\`_.

Loops
-----

Go through a list so::

    {% for one in \`list\`_ %}
      {{ one }}
    {% endfor %}

.. note::
   An empty list is no error.

.. toctree::
   :hidden:

   api

Python
~~~~~~

.. code-block:: python
   :caption: render.py

   render("{{ name }}",
          name="x")

.. function:: render(text, **values)
   :module: kit

   Renders a text.

   >>> render("a")
   'a'

.. autoclass:: kit.Hidden
   :members:
`;

const page = async (text: string) =>
  extractPage(
    { path: "docs/index.rst", mediaType: rstType, bytes: new TextEncoder().encode(text) },
    await formatOf(rstType),
  );

it("reads sections, prose and code of reStructuredText, code byte for byte and at its lines", async () => {
  const read = await page(source);
  expect(codesOf(read).map(({ code, language, lines }) => ({ code, language, lines }))).toEqual([
    { code: "{% for one in `list`_ %}\n  {{ one }}\n{% endfor %}", language: expect.any(String), lines: [16, 18] },
    { code: 'render("{{ name }}",\n       name="x")', language: "python", lines: [34, 35] },
    { code: "render(text, **values)", language: "python", lines: [37, 37] },
    { code: ">>> render(\"a\")\n'a'", language: "python", lines: [42, 43] },
  ]);
  const prose = proseOf(read).join("\n");
  expect(prose).toContain("Renders `templates`; see the guide and [its site](https://kit.example).");
  expect(prose).toContain("**Note:** An empty list is no error.");
  expect(prose).toContain("Renders a text.");
  expect(prose).not.toMatch(/badge|toctree|Hidden|_sandbox|:module:/);
  expect(prose).toMatch(/^#### Loops$/m);
  expect(prose).toMatch(/^##### Python$/m);
  expect(prose).toMatch(/^#{5,6} kit\.render$/m);
});

it("reads no table, transition or indented text as a title", async () => {
  const read = await page(
    "Kit\n===\n\nOne.\n\n----\n\nTwo:\n\n=====  =====\nA      B\n=====  =====\n1      2\n=====  =====\n",
  );
  expect(passagesOf(read).map(({ title }) => title)).toEqual(["Kit"]);
});
