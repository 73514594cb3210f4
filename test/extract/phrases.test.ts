import { expect, it } from "vitest";
import { phraseOf } from "../../extract/phrases.ts";
import { examplesOf, extract } from "./extract.ts";

it.each([
  ["To install the tool, run:", "install the tool"],
  ["In order to sort the list, call this:", "sort the list"],
  ["Off by default. To enable it in tests:", "enable it in tests"],
  ["Finally, you can also pass a list:", "pass a list"],
  ["Then you need to configure it:", "configure it"],
  ["Now, let's create the project:", "create the project"],
  ["This creates a basic schema. Open the file.", "creates a basic schema"],
  ["This codemod installs it. Open the file.", "This codemod installs it"],
  ["This means you can use names. Open the file.", "use names"],
  ["The following example demonstrates metadata filters:", "metadata filters"],
  ["This example adds a name to the list:", "adds a name to the list"],
  ["Run the following command to list recent logs:", "list recent logs"],
  ["It is also possible to send logs to a file:", "send logs to a file"],
  ["Here are the shaders that are used:", "the shaders that are used"],
  ["Use these definitions in your code as follows:", "Use these definitions in your code"],
  ["One may iterate over an iterator by hand. To do so, you need to specify the length:", "specify the length"],
  ["Compiling it produces an error, as shown below:", "Compiling it produces an error"],
  ["An example manifest file looks like this:", "manifest file"],
  ["The modernized file would look like this:", "The modernized file"],
  ["The first step is to make a new package,", "The first step is to make a new package"],
  ["Set the length when it is known in advance. To do so:", "Set the length when it is known in advance"],
])("a phrase is what the lead-in says the code does: %s", (description, phrase) => {
  expect(phraseOf(description)).toBe(phrase);
});

it.each([
  "To do so:",
  "Do this:",
  "To fix that, run:",
  "You can do this in two ways:",
  "To make it even simpler:",
  "To turn it on:",
  "You could do:",
  "It isn't reported:",
  "This is useful for:",
  "For example, if you have the editor installed:",
  "Run the following command:",
  "For example:",
  "Usage example:",
  "or a list, and so on) then it is split:",
  "But you cannot do this:",
  "For Linux and macOS, enter this:",
  "The output may look like these:",
  "Instead of writing this:",
])("what says nothing by itself is no phrase: %s", (description) => {
  expect(phraseOf(description)).toBe("");
});

it.each([
  [
    "Add a tool to an agent by importing the tool and passing it to the agent constructor as a tools object:",
    "Add a tool to an agent",
  ],
  [
    "Pass the list of all files as part of the message content using the file type of the message, as a string:",
    "Pass the list of all files as part of the message content",
  ],
  [
    "Lightning decides which of the features of the language to transpile based on the targets of your browsers:",
    "Lightning decides which of the features of the language to transpile",
  ],
  [
    "Call this method whenever the list of available resources (those of the server, and of its clients) has changed:",
    "Call this method whenever the list of available resources",
  ],
  [
    "Combine sums.Hash with encoding.HexDecode and encoding.Base64Encode to convert a digest:",
    "Combine sums.Hash with encoding.HexDecode and encoding.Base64Encode",
  ],
  [
    "Replacing strings sequentially requires multiple function calls and variable reassignments:",
    "Replacing strings sequentially requires multiple function calls",
  ],
])("a long one ends with a part of the sentence: %s", (description, phrase) => {
  expect(phraseOf(description)).toBe(phrase);
});

it("code is named by its heading where nothing else says what it does", () => {
  const page =
    "# A\n\n## Iterate\n\nFirst, make a list:\n\n~~~js\na()\n~~~\n\nTo do so:\n\n~~~js\nb()\n~~~\n\n**npm:**\n\n~~~js\nc()\n~~~\n";
  expect(examplesOf(extract("a.md", page)).map(({ title }) => title)).toEqual([
    "Iterate: make a list",
    "Iterate",
    "Iterate: npm",
  ]);
});
