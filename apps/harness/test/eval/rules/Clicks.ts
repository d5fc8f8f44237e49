import {
  check,
  click,
  clickAt,
  hover,
  ordinal,
  part,
  quoted,
  type Rule,
  type Rules,
  scroll,
  type Steps,
  wait
} from "./Rule.ts"
import { all, at, boxOf, colourOf, maybe, named, type Screen, type Seen } from "./Screen.ts"

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

/** Opens what is closed, one after the other, until what is wanted is in sight. */
const searchOpening = function* (first: Screen, wanted: string): Steps {
  let screen = first
  const isWanted = (shown: Screen) => all(shown, "clickable", "link").find(({ name }) => name === wanted)
  for (const { name } of all(first, "tab")) {
    const found = isWanted(screen)
    if (found !== undefined) return void (yield [click(found)])
    screen = yield [click(named(screen, name, "tab"))]
    if (isWanted(screen) === undefined) screen = yield [wait(0.4)]
  }
  const found = isWanted(screen)
  if (found === undefined) throw new Error(`no section has ${wanted}`)
  yield [click(found)]
}

const searchSections: Rule = function* (task, screen) {
  yield* searchOpening(screen, at(quoted(task), 0))
}

const expand: Rule = function* (_, screen) {
  const opened = yield [click(at(all(screen, "tab"), 0))]
  yield [submit(maybe(opened, "Submit", "button") === undefined ? yield [wait(0.4)] : opened)]
}

/** Waits a moment for what comes in slowly. */
const until = function* (first: Screen, name: string): Steps<Screen> {
  let screen = first
  for (let tries = 0; maybe(screen, name) === undefined && tries < 8; tries++) screen = yield [wait(0.2 + tries / 100)]
  return screen
}

/** Goes along a path of a menu: its parts open under the mouse. */
const followMenu: Rule = function* (task, first) {
  const path = part(task, /Select (.*)$/u).split(">")
  let screen = first
  for (const [depth, name] of path.slice(0, -1).entries()) {
    screen = yield* until(yield [hover(named(screen, name))], at(path, depth + 1))
  }
  yield [click(named(screen, at(path, -1)))]
}

/** Names of menu items that are shown as icons. */
const icons: Readonly<Record<string, string>> = {
  disk: "Save",
  print: "Print...",
  zoomin: "Zoom In",
  zoomout: "Zoom Out",
  "seek-start": "Prev",
  stop: "Stop",
  play: "Play",
  "seek-end": "Next"
}

const openMenu: Rule = function* (task, screen) {
  const icon = /ui-icon-([\w-]+)/u.exec(screen.lines.join(" "))?.[1] ?? ""
  const name = quoted(task)[1] ?? icons[icon] ?? icon
  const menu = yield [click(named(screen, "Menu"))]
  const shown = maybe(menu, name) === undefined ? yield* until(yield [hover(named(menu, "Playback"))], name) : menu
  yield [click(named(shown, name))]
}

export const colours: Readonly<Record<string, readonly [number, number, number]>> = {
  red: [255, 0, 0],
  lime: [0, 255, 0],
  blue: [0, 0, 255],
  yellow: [255, 255, 0],
  cyan: [0, 255, 255],
  aqua: [0, 255, 255],
  magenta: [255, 0, 255],
  pink: [255, 192, 203],
  purple: [128, 0, 128],
  green: [0, 128, 0],
  orange: [255, 165, 0],
  black: [0, 0, 0],
  white: [255, 255, 255],
  grey: [128, 128, 128],
  gray: [128, 128, 128],
  olive: [128, 128, 0],
  brown: [165, 42, 42],
  maroon: [128, 0, 0],
  navy: [0, 0, 128],
  teal: [0, 128, 128],
  silver: [192, 192, 192],
  violet: [238, 130, 238]
}

/** Name of the color that is closest to this one. */
const colourName = (one: Seen): string => {
  const shown = colourOf(one)
  const far = ([red, green, blue]: readonly [number, number, number]) =>
    (red - shown[0]) ** 2 + (green - shown[1]) ** 2 + (blue - shown[2]) ** 2
  return Object.entries(colours).reduce((best, next) => (far(next[1]) < far(best[1]) ? next : best))[0]
}

/** The channel of a shade that is stronger than the others. */
const tint = (one: Seen): string => {
  const [red, green, blue] = colourOf(one)
  return red > green && red > blue ? "red" : green > blue ? "green" : "blue"
}

/** Shape, size, color and text of an item in a figure. */
interface Figure {
  readonly shape: string
  readonly size: string
  readonly colour: string
  readonly text: string
  readonly seen: Seen
}

/** Describes a shape as the pages name it. */
const figureOf = (one: Seen): Figure => {
  const shape = one.role.replace(/^svg /u, "")
  const { height, width } = boxOf(one)
  const text = shape === "text" ? one.name : ""
  const kind =
    shape === "text"
      ? /\d/u.test(text)
        ? "digit"
        : "letter"
      : shape === "rect"
        ? "rectangle"
        : shape === "polygon"
          ? "triangle"
          : shape
  return {
    shape: kind,
    size: Math.max(height, width) > 16 ? "large" : "small",
    colour: colourName(one),
    text,
    seen: one
  }
}

const figures = (screen: Screen): ReadonlyArray<Figure> =>
  screen.elements.filter(({ role }) => /^(?:svg )?(?:rect|circle|polygon|text)$/u.test(role)).map(figureOf)

const matches = (figure: Figure, said: string): boolean =>
  said
    .split(/\s+/u)
    .every((word) =>
      word.startsWith("item")
        ? true
        : word.startsWith("shape")
          ? figure.text === ""
          : word === "large" || word === "small"
            ? figure.size === word
            : ["digit", "letter", "rectangle", "triangle", "circle"].includes(word.replace(/s$/u, ""))
              ? figure.shape === word.replace(/s$/u, "")
              : colours[word] !== undefined
                ? String(colours[word]) === String(colours[figure.colour])
                : figure.text === word
    )

const clickFigure: Rule = function* (task, screen) {
  const said = part(task, /Click on an? (.*)$/u)
  const found = figures(screen).find((figure) => matches(figure, said))
  if (found === undefined) throw new Error(`no figure is a ${said}`)
  yield [click(found.seen)]
}

const countFigures: Rule = function* (task, screen) {
  const said = part(task, /How many (.*?)s? are there/u).replace(/item$/u, "item")
  const count = figures(screen).filter((figure) => matches(figure, said)).length
  yield [click(named(screen, String(count), "button"))]
}

const identifyFigure: Rule = function* (_, screen) {
  const [figure] = figures(screen)
  if (figure === undefined) throw new Error("no figure is shown")
  const name = { digit: "Number", letter: "Letter", rectangle: "Rectangle", triangle: "Triangle", circle: "Circle" }[
    figure.shape
  ]
  yield [click(named(screen, String(name), "button"))]
}

/** Wins, or does not lose, at tic-tac-toe as X. */
const ticTacToe: Rule = function* (_, first) {
  const lines = [
    [0, 1, 2],
    [3, 4, 5],
    [6, 7, 8],
    [0, 3, 6],
    [1, 4, 7],
    [2, 5, 8],
    [0, 4, 8],
    [2, 4, 6]
  ] as const
  let screen = first
  for (;;) {
    const cells = all(screen, "clickable").slice(0, 9)
    const marks = cells.map((cell) =>
      /mark-x|(?:^|[^t])X/u.test(cell.name) ? "x" : /mark-o|O/u.test(cell.name) ? "o" : " "
    )
    if (cells.length < 9) return
    const completing = (mark: string) =>
      lines.flatMap((line) =>
        line.filter((cell) => marks[cell] === mark).length === 2 ? line.filter((cell) => marks[cell] === " ") : []
      )
    const best = [...completing("x"), ...completing("o"), 4, 0, 2, 6, 8, 1, 3, 5, 7].find((cell) => marks[cell] === " ")
    if (best === undefined) return
    screen = yield [click(at(cells, best))]
  }
}

/** Follows what moves with the mouse until the episode ends. */
const chase = (find: (screen: Screen) => Seen | undefined): Rule =>
  function* (_, first) {
    let screen = first
    for (let turn = 0; turn < 300; turn++) {
      const target = find(screen)
      // MiniWoB++ covers the page with it when an episode is over
      if (maybe(screen, "START") !== undefined) return
      screen = yield [...(target === undefined ? [] : [hover(target)]), wait(turn / 10_000)]
    }
  }

/** Sees which buttons light up, one after the other. */
const simonSays: Rule = function* (_, first) {
  const sequence: Array<string> = []
  let screen = first
  let lit: string | undefined
  for (let turn = 0; turn < 200; turn++) {
    const now = all(screen, "button").find(({ name }) => /active|selected|highlight|push/u.test(name))?.name
    if (now !== undefined && now !== lit) sequence.push(/button-\d/u.exec(now)?.[0] ?? now)
    lit = now
    if (sequence.length >= 3 && turn > 150) break
    screen = yield [wait(0.02 + turn / 100_000)]
  }
  for (const name of sequence) screen = yield [click(named(screen, new RegExp(name, "u"), "button"))]
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
  "chase-circle": chase((screen) => all(screen, "svg circle")[0]),
  "click-button": clickQuoted,
  "click-button-sequence": clickInOrder,
  "click-checkboxes": checkListed,
  "click-checkboxes-large": checkListed,
  "click-checkboxes-soft": checkAlike,
  "click-checkboxes-transfer": checkListed,
  "click-collapsible": expand,
  "click-collapsible-2": searchSections,
  "click-collapsible-2-nodelay": searchSections,
  "click-collapsible-nodelay": expand,
  "click-color": function* (task, screen) {
    const shown = screen.elements.find(({ name }) => name.includes("query-color"))
    const wanted = shown === undefined ? colours[part(task, /on the (\w+) colored/u)] : colourOf(shown)
    const boxes = all(screen, "clickable").filter((one) => one !== shown)
    yield [
      click(
        at(
          boxes.filter((one) => String(colourOf(one)) === String(wanted)),
          0
        )
      )
    ]
  },
  "click-dialog": function* (_, screen) {
    yield [click(named(screen, "Close", "button"))]
  },
  "click-dialog-2": function* (task, screen) {
    const name = at(quoted(task), 0)
    yield [click(named(screen, name === "x" ? "Close" : name, "button"))]
  },
  "click-link": clickQuoted,
  "click-menu": followMenu,
  "click-menu-2": openMenu,
  "click-option": checkListed,
  "click-pie": function* (task, screen) {
    yield* openPie(at(quoted(task), 0), screen)
  },
  "click-pie-nodelay": function* (task, screen) {
    yield* openPie(at(quoted(task), 0), screen)
  },
  "click-shades": function* (task, screen) {
    const wanted = part(task, /shades of (\w+)/u)
    const shades = all(screen, "clickable").filter((one) => tint(one) === wanted)
    yield shades.map((one) => click(one))
    yield [submit(screen)]
  },
  "click-shape": clickFigure,
  "click-tab": function* (task, screen) {
    yield [click(named(screen, part(task, /Click on (Tab #\d)/u), "tab"))]
  },
  "click-tab-2": searchSections,
  "click-tab-2-easy": searchSections,
  "click-tab-2-hard": searchSections,
  "click-tab-2-medium": searchSections,
  "click-test": function* (_, screen) {
    yield [click(at(all(screen, "button"), 0))]
  },
  "click-test-2": clickInOrder,
  "click-test-transfer": clickInOrder,
  "click-widget": function* (task, screen) {
    yield [click(at(all(screen, ...(widgets[at(quoted(task), 0)] ?? [])), 0))]
  },
  "count-shape": countFigures,
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
  "generate-number": function* (task, first) {
    const [, relation, limit] = /(less|greater) than (\d+)/u.exec(task) ?? []
    const parity = /\b(even|odd)\b/u.exec(task)?.[1]
    const fits = (value: number) =>
      relation === "less"
        ? value < Number(limit)
        : relation === "greater"
          ? value > Number(limit)
          : value % 2 === (parity === "odd" ? 1 : 0)
    let screen = first
    for (let turn = 0; turn < 40; turn++) {
      const shown = /^\s*(\d+)/mu.exec(screen.lines.slice(1).join("\n"))?.[1]
      if (shown !== undefined && fits(Number(shown))) break
      screen = yield [click(named(screen, "Generate"))]
    }
    yield [submit(screen)]
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
  "hover-shape": chase((screen) => all(screen, "svg rect").find(({ name }) => name.includes("highlight"))),
  "identify-shape": identifyFigure,
  "number-checkboxes": function* (task, screen) {
    const rows = digits[Number(at(quoted(task), 0))] ?? ""
    const boxes = all(screen, "checkbox").filter((_, index) => rows.replaceAll(" ", "")[index] === "1")
    yield boxes.map((one) => check(one))
    yield [submit(screen)]
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
  "simon-says": simonSays,
  "tic-tac-toe": ticTacToe,
  "unicode-test": clickQuoted
}

/** Digits as the example of the page draws them, row by row. */
const digits = [
  "0110 1001 1001 1001 1001 1001 0110",
  "0010 0110 0010 0010 0010 0010 0010",
  "0110 1001 1001 0010 0100 1000 1111",
  "0110 1001 0001 0110 0001 1001 0110",
  "1000 1010 1010 1111 0010 0010 0010",
  "1111 1000 1000 1110 0001 1001 0110",
  "0110 1001 1000 1110 1001 1001 0110",
  "1111 1001 0001 0010 0010 0100 0100",
  "0110 1001 1001 0110 1001 1001 0110",
  "0110 1001 1001 0111 0001 1001 0110"
]

const openPie = function* (name: string, first: Screen): Steps {
  let screen = yield [click(named(first, "+", "svg text"))]
  for (let turn = 0; turn < 8; turn++) {
    const item = maybe(screen, name, "svg text")
    const { height } = item === undefined ? { height: 0 } : boxOf(item)
    if (item !== undefined && height > 8) break
    screen = yield [wait(0.3 + turn / 100)]
  }
  // the wheel takes no click while it turns
  for (let turn = 0; turn < 3 && maybe(screen, "START") === undefined; turn++) {
    const item = named(screen, name, "svg text")
    // the slice is drawn before its name
    const slice = at(screen.elements, screen.elements.indexOf(item) - 1)
    screen = yield [click(turn === 1 ? slice : item), wait(turn / 10)]
  }
}
