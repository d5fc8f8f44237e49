import { check, click, part, quoted, type Rule, type Rules } from "./Rule.ts"
import { all, at, boxOf, colourOf, named, type Screen, type Seen } from "./Screen.ts"

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

const submit = (screen: Screen) => click(named(screen, "Submit"))

/** Rules of colors and shapes. */
export const shapes: Rules = {
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
  "click-shades": function* (task, screen) {
    const wanted = part(task, /shades of (\w+)/u)
    const shades = all(screen, "clickable").filter((one) => tint(one) === wanted)
    yield shades.map((one) => click(one))
    yield [submit(screen)]
  },
  "click-shape": clickFigure,
  "count-shape": countFigures,
  "identify-shape": identifyFigure,
  "number-checkboxes": function* (task, screen) {
    const rows = digits[Number(at(quoted(task), 0))] ?? ""
    const boxes = all(screen, "checkbox").filter((_, index) => rows.replaceAll(" ", "")[index] === "1")
    yield boxes.map((one) => check(one))
    yield [submit(screen)]
  }
}
