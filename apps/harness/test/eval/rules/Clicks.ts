import { check, click, clickAt, ordinal, part, quoted, type Rule, type Rules, scroll, wait } from "./Rule.ts"
import { all, at, boxOf, maybe, named, type Screen } from "./Screen.ts"

const submit = (screen: Screen) => click(named(screen, "Submit"))

/** Clicks what has the name that the task has in quotation marks. */
const clickQuoted: Rule = function* (task, screen) {
  yield [click(named(screen, at(quoted(task), 0)))]
}

/** Clicks buttons in the order in which the task names them. */
const clickInOrder: Rule = function* (task, screen) {
  yield Array.from(task.matchAll(/button (\w+)/gu), ([, name = ""]) => click(named(screen, name, "button")))
}

/** Checks what the task lists, whatever it is, and submits. */
const checkListed: Rule = function* (task, screen) {
  const wanted = part(task, /[Ss]elect (.*?)(?: and click|\.|$)/u).split(", ")
  const boxes = all(screen, "checkbox", "radio").filter(({ name }) => wanted.includes(name))
  yield boxes.map((one) => check(one))
  let shown = screen
  while (maybe(shown, "Submit") === undefined) shown = yield [scroll("bottom")]
  yield [submit(shown)]
}

/** Words of like meaning, which a language model knows by itself. */
const thesaurus =
  `afraid scared terrified panicked fearful frightened; fearless brave courageous; huge big large enormous
gigantic; tiny small little mini petite; crimson red scarlet vermillion; joyful happy cheerful gleeful delighted; unhappy
sad sorrowful miserable tragic; furious angry mad irritated; corrupt evil wicked immoral sinful depraved; incorrect wrong
mistaken erroneous; actual real genuine; weird strange odd peculiar unusual; halt stop cease end finish; calm quiet peaceful
serene mild; aged old archaic; adore love like favor; murder kill assassinate; preserve keep retain sustain maintain;
conceal hide camouflage; despise hate loathe detest dislike; comical funny humorous amusing laughable; plump fat fleshy
chubby; dumb stupid dull unwise; savory delicious delectable appetizing; slice cut carve chop; launch begin start initiate;
reply answer response; tv tvs television televisions; home homes house houses; flame flames fire fires; swine pig pork;
bunny bunnies rabbit rabbits; vehicle vehicles car cars automobile automobiles; water`
    .split(";")
    .map((group) => group.trim().split(/\s+/u))

const checkAlike: Rule = function* (task, screen) {
  const wanted = part(task, /similar to (.*?) and click/u)
    .toLowerCase()
    .split(", ")
  const alike = thesaurus.filter((group) => group.some((word) => wanted.includes(word))).flat()
  const boxes = all(screen, "checkbox").filter(({ name }) => alike.includes(name.toLowerCase()))
  yield [...boxes.map((one) => check(one)), submit(screen)]
}

/** Roles of the widgets that tasks name. */
const widgets: Readonly<Record<string, ReadonlyArray<string>>> = {
  button: ["button"],
  checkbox: ["checkbox"],
  radio: ["radio"],
  text: ["textbox"],
  textarea: ["textbox"],
  input: ["textbox"]
}

/** Rules of buttons, links and checkboxes. */
export const clicks: Rules = {
  "ascending-numbers": function* (_, screen) {
    // the first click hides the numbers: what is at their places is clicked
    const places = all(screen, "svg text")
      .toSorted((one, two) => Number(one.name) - Number(two.name))
      .map(boxOf)
    for (const { x, y } of places) yield [clickAt(x, y)]
  },
  "button-delay": function* (task, screen) {
    const [first, second] = [named(screen, "ONE"), named(screen, "TWO")]
    yield [click(first), wait(Number(part(task, /wait (\d+) seconds/u))), click(second)]
  },
  "click-button": clickQuoted,
  "click-button-sequence": clickInOrder,
  "click-checkboxes": checkListed,
  "click-checkboxes-large": checkListed,
  "click-checkboxes-soft": checkAlike,
  "click-checkboxes-transfer": checkListed,
  "click-dialog": function* (_, screen) {
    yield [click(named(screen, "Close", "button"))]
  },
  "click-dialog-2": function* (task, screen) {
    const name = at(quoted(task), 0)
    yield [click(named(screen, name === "x" ? "Close" : name, "button"))]
  },
  "click-link": clickQuoted,
  "click-option": checkListed,
  "click-tab": function* (task, screen) {
    yield [click(named(screen, part(task, /Click on (Tab #\d)/u), "tab"))]
  },
  "click-test": function* (_, screen) {
    yield [click(at(all(screen, "button"), 0))]
  },
  "click-test-2": clickInOrder,
  "click-test-transfer": clickInOrder,
  "click-widget": function* (task, screen) {
    yield [click(at(all(screen, ...(widgets[at(quoted(task), 0)] ?? [])), 0))]
  },
  "find-greatest": function* (_, screen) {
    const cards = all(screen, "clickable").toSorted((one, two) => Number(two.name) - Number(one.name))
    yield [click(at(cards, 0)), submit(screen)]
  },
  "focus-text": function* (_, screen) {
    yield [click(at(all(screen, "textbox"), 0))]
  },
  "focus-text-2": function* (task, screen) {
    yield [click(at(all(screen, "textbox"), ordinal(task)))]
  },
  "grid-coordinate": function* (task, screen) {
    const coordinate = part(task, /(\(-?\d,-?\d\))/u)
    yield [
      click(
        at(
          screen.elements.filter(({ name }) => name.includes(coordinate)),
          0
        )
      )
    ]
  },
  "odd-or-even": function* (_, screen) {
    const numbers = screen.lines.flatMap((line, index) =>
      /^-?\d+$/u.test(line.trim()) ? [{ index, value: Number(line) }] : []
    )
    for (const { index, value } of numbers) {
      const name = value % 2 === 0 ? "Even" : "Odd"
      const buttons = all(screen, "button").filter((one) => one.name === name)
      const near = buttons.toSorted((one, two) => Math.abs(one.line - index) - Math.abs(two.line - index))
      yield [click(at(near, 0))]
    }
    yield [submit(screen)]
  },
  "unicode-test": clickQuoted
}
