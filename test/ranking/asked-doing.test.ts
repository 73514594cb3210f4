import { expect, it } from "vitest";
import { askedDoing, stepsOf } from "../../search/ranking/asked-doing.ts";

it.each([
  ["Cancel a booking", "remove"],
  ["How do I cancel a booking?", "remove"],
  ["A guest left, end their stay", "remove"],
  ["I want to permanently delete a room", "remove"],
  ["Get rid of old rooms", "remove"],
  ["Get the price of a room", "read"],
  ["How can I look up a guest", "read"],
  ["Which rooms are free?", "read"],
  ["How many guests are there", "read"],
  ["Is a room free?", "read"],
  ["Set up a payment plan", "create"],
  ["Put a guest on the waiting list", "create"],
  ["Report a damaged room", "create"],
  ["Roll a booking back to yesterday", "change"],
  ["I deleted a room by mistake, bring it back", "change"],
])("%s: %s", (question, doing) => {
  expect(askedDoing(question)?.doing).toBe(doing);
});

it.each([
  "get notified when a guest arrives",
  "a deleted room",
  "the set of rules for rooms",
  "Make sure nobody can delete rooms",
  "rooms that they do not delete",
  "users that were removed",
  "rooms",
  "",
])("nothing is asked to be done by: %s", (question) => {
  expect(askedDoing(question)).toBeUndefined();
});

it.each([
  ["upload a file and share it with a guest", ["upload a file", "share it with a guest"]],
  ["Register a guest, book a room and then send the bill", ["Register a guest", "book a room", "send the bill"]],
  ["Water the plants and then shake the tree", ["Water the plants", "shake the tree"]],
  ["book a room with bath and balcony", []],
  ["rooms and guests", []],
  ["What is a room, and what is a suite?", []],
  ["add a, add b, add c, add d, add e", []],
])("the steps of %s", (question, steps) => {
  expect(stepsOf(question)).toEqual(steps);
});
