import { click, clickAt, drag, highlight, ordinal, part, type Rule, type Rules, type Steps } from "./Rule.ts"
import { all, at, type Box, boxOf, colourOf, named, type Screen, type Seen } from "./Screen.ts"

interface Point {
  readonly x: number
  readonly y: number
}

const submit = (screen: Screen) => click(named(screen, "Submit"))

/** The figures of a drawing that are no lines. */
const dots = (screen: Screen): ReadonlyArray<Seen> => screen.elements.filter(({ role }) => role.endsWith("circle"))

const isBlue = (one: Seen): boolean => {
  const [red, green, blue] = colourOf(one)
  return blue > 200 && red < 50 && green < 50
}

/** The drawing itself. */
const canvas = (screen: Screen): Seen => at(all(screen, "svg svg"), 0)

/** Clicks a point of a drawing and submits. */
const mark = function* (screen: Screen, { x, y }: Point): Steps {
  yield [clickAt(x, y), submit(screen)]
}

const middle = (one: Point, two: Point): Point => ({ x: (one.x + two.x) / 2, y: (one.y + two.y) / 2 })

const isWithin = ({ height, width, x, y }: Box, point: Point): boolean =>
  Math.abs(point.x - x) < width / 2 - 3 && Math.abs(point.y - y) < height / 2 - 3

/** Points of a line through the vertex, as far from it as the drawing allows. */
const along = (box: Box, from: Point, angle: number): Point => {
  const reach = Array.from({ length: 60 }, (_, index) => 60 - index)
    .flatMap((far) => [far, -far])
    .map((far) => ({ x: from.x + Math.cos(angle) * far, y: from.y + Math.sin(angle) * far }))
  return at(
    reach.filter((point) => isWithin(box, point)),
    0
  )
}

const angleTo = (from: Point, to: Point): number => Math.atan2(to.y - from.y, to.x - from.x)

const directions: Readonly<Record<string, Point>> = {
  left: { x: -1, y: 0 },
  right: { x: 1, y: 0 },
  up: { x: 0, y: -1 },
  down: { x: 0, y: 1 }
}

const push: Rule = function* (task, screen) {
  const { x, y } = directions[part(task, /Drag the \w+ (\w+) then/u)] ?? { x: 0, y: 0 }
  const item = at(
    screen.elements.filter(({ role }) => role.startsWith("svg")),
    0
  )
  yield [drag(item, item, x * 25, y * 25), submit(screen)]
}

/** True if a figure is one of those that the task names. */
const isOne =
  (said: string) =>
  (one: Seen): boolean => {
    const shape = { circles: "circle", rectangles: "rect", triangles: "polygon" }[said]
    if (shape !== undefined) return one.role === `svg ${shape}`
    const [red, green, blue] = colourOf(one)
    return (
      {
        red: red > 200 && green < 50 && blue < 50,
        green: green > 100 && red < 50 && blue < 50,
        blue: blue > 200 && red < 50 && green < 50,
        yellow: red > 200 && green > 200 && blue < 50,
        black: red + green + blue < 50,
        cyan: red < 50 && green > 200 && blue > 200,
        aqua: red < 50 && green > 200 && blue > 200,
        magenta: red > 200 && green < 50 && blue > 200,
        orange: red > 200 && green > 100 && green < 200 && blue < 50
      }[said.replace(/ shapes$/u, "")] ?? false
    )
  }

/** Drags figures to the middles of boxes; what is at the same place twice covers the other, so each has its own. */
const sortInto = function* (screen: Screen, boxFor: (one: Seen) => Box | undefined): Steps {
  const counts = new Map<Box, number>()
  for (const one of screen.elements.filter(({ number, role }) => role.startsWith("svg") && !Number.isNaN(number))) {
    const box = boxFor(one)
    if (box === undefined) continue
    const count = counts.get(box) ?? 0
    counts.set(box, count + 1)
    const from = boxOf(one)
    const x = box.x - box.width / 2 + 12 + ((count % 3) * (box.width - 24)) / 2
    const y = box.y - box.height / 2 + 12 + (Math.floor(count / 3) * (box.height - 24)) / 2
    yield [drag(one, one, x - from.x, y - from.y)]
  }
  yield [submit(screen)]
}

const places = [
  "top left",
  "top center",
  "top right",
  "center left",
  "center",
  "center right",
  "bottom left",
  "bottom center",
  "bottom right"
]

export const drawings: Rules = {
  "bisect-angle": function* (_, screen) {
    const vertex = at(dots(screen).filter(isBlue), 0)
    const [one, two] = dots(screen)
      .filter((dot) => !isBlue(dot))
      .map(boxOf)
    if (one === undefined || two === undefined) throw new Error("there are no two points")
    const from = boxOf(vertex)
    const [first, second] = [angleTo(from, one), angleTo(from, two)]
    const angle = Math.atan2(Math.sin(first) + Math.sin(second), Math.cos(first) + Math.cos(second))
    yield* mark(screen, along({ ...boxOf(canvas(screen)) }, from, angle))
  },
  "circle-center": function* (_, screen) {
    yield* mark(screen, boxOf(at(dots(screen), 0)))
  },
  "drag-box": function* (_, screen) {
    yield [drag(named(screen, "s"), named(screen, "L")), submit(screen)]
  },
  "drag-circle": push,
  "drag-items": function* (task, screen) {
    const items = all(screen, "clickable")
    const item = named(screen, part(task, /Drag (\S+) (?:to|up|down)/u))
    const by = /by one position/u.test(task) ? (/down/u.test(task) ? 1 : -1) : undefined
    const to = at(items, by === undefined ? ordinal(task) : items.indexOf(item) + by)
    yield [drag(item, to, 0, items.indexOf(item) < items.indexOf(to) ? 8 : -8)]
  },
  "drag-items-grid": function* (task, screen) {
    const place = part(task, /to the (.*)\.$/u)
    const to = at(
      all(screen, "clickable"),
      places.findIndex((one) => one === place || one === place.replace(/^middle/u, "center"))
    )
    const item = named(screen, part(task, /Drag (\S+) to/u))
    const beside = 6 * Math.sign(to.number - item.number)
    yield [drag(item, to, beside, beside)]
  },
  "drag-shapes": function* (task, screen) {
    const wanted = isOne(part(task, /Drag all (.*) into the/u))
    const box = boxOf(at(all(screen, "rect"), 0))
    yield* sortInto(screen, (one) => (wanted(one) ? box : undefined))
  },
  "drag-shapes-2": function* (task, screen) {
    const wanted = isOne(part(task, /Drag all (.*) into the left/u))
    const [left, right] = all(screen, "rect").map(boxOf)
    yield* sortInto(screen, (one) => (wanted(one) ? left : right))
  },
  "drag-single-shape": push,
  "drag-sort-numbers": function* (_, first) {
    let screen = first
    const values = (shown: Screen) => all(shown, "clickable").filter(({ name }) => /^-?\d+$/u.test(name))
    for (let place = 0; place < values(first).length; place++) {
      const items = values(screen)
      const next = at(
        items.slice(place).toSorted((one, two) => Number(one.name) - Number(two.name)),
        0
      )
      if (items[place] !== next) screen = yield [drag(next, at(items, place), 0, -6)]
    }
    yield [submit(screen)]
  },
  "draw-circle": function* (_, screen) {
    // a short chord is as good as an arc: its points are about as far from the middle
    const [box, point] = [boxOf(canvas(screen)), boxOf(at(dots(screen), 0))]
    const sides = [45, 40, 35, 30].flatMap((far) => [1, -1].flatMap((x) => [1, -1].map((y) => ({ far, x, y }))))
    const ends = ({ far, x, y }: Point & { readonly far: number }) =>
      [-1, 1].map((side) => ({ x: point.x + x * far + side * 14 * y, y: point.y + y * far - side * 14 * x }))
    const [from, to] = at(
      sides.map(ends).filter((line) => line.every((end) => isWithin(box, end))),
      0
    )
    if (from === undefined || to === undefined) throw new Error("there is no room")
    yield [dragPoints(screen, from, to), submit(screen)]
  },
  "draw-line": function* (task, screen) {
    const point = boxOf(at(dots(screen), 0))
    const [dx, dy] = task.includes("horizontal") ? [20, 0] : [0, 20]
    yield [
      dragPoints(screen, { x: point.x - dx, y: point.y - dy }, { x: point.x + dx, y: point.y + dy }),
      submit(screen)
    ]
  },
  "find-midpoint": function* (_, screen) {
    const [one, two] = dots(screen).map(boxOf)
    if (one === undefined || two === undefined) throw new Error("there are no two points")
    yield* mark(screen, middle(one, two))
  },
  "highlight-text": function* (_, screen) {
    yield [highlight(at(paragraphs(screen), 0)), submit(screen)]
  },
  "highlight-text-2": function* (task, screen) {
    yield [highlight(at(paragraphs(screen), ordinal(task))), submit(screen)]
  },
  "hot-cold": function* (_, first) {
    const area = named(first, /touch-area/u)
    const { height, width } = boxOf(area)
    const signal = (screen: Screen) => screen.lines.join(" ")
    let best: Point | undefined
    let screen = first
    const visit = (point: Point) => [{ name: "hover", input: { index: area.number, dx: point.x, dy: point.y } }]
    for (let y = -height / 2 + 8; y < height / 2 && best === undefined; y += 11) {
      for (let x = -width / 2 + 8; x < width / 2 && best === undefined; x += 11) {
        screen = yield visit({ x, y })
        if (/\b(?:HOT|WARM)\b(?! area)/u.test(signal(screen))) best = { x, y }
        else if (/ICE COLD/u.test(signal(screen))) x += 22
      }
    }
    if (best === undefined) throw new Error("nothing is warm")
    const around = [
      { x: 0, y: 0 },
      ...[3, 6].flatMap((far) =>
        Array.from({ length: 8 }, (_, turn) => ({
          x: Math.cos((turn * Math.PI) / 4) * far,
          y: Math.sin((turn * Math.PI) / 4) * far
        }))
      )
    ]
    for (const { x, y } of around) {
      const point = { x: Math.round(best.x + x), y: Math.round(best.y + y) }
      screen = yield visit(point)
      if (!/\bHOT\b(?! area)/u.test(signal(screen))) continue
      const { x: left, y: top } = boxOf(area)
      return void (yield [clickAt(left + point.x, top + point.y)])
    }
  },
  "moving-items": function* (_, first) {
    let screen = first
    for (let turn = 0; turn < 400 && !screen.elements.some(({ name }) => name === "START"); turn++) {
      const inside = dots(screen)
        .map(boxOf)
        .filter(({ x }) => x > 8 && x < 152)
      screen = yield inside.length === 0
        ? [{ name: "wait", input: { seconds: 0.03 + turn / 100_000 } }]
        : inside.slice(0, 2).map(({ x, y }) => clickAt(x, y))
    }
  },
  "resize-textarea": function* (task, screen) {
    const handle = named(screen, /resizable-handle/u)
    const far = /smaller/u.test(task) ? -25 : 25
    yield [drag(handle, handle, /width/u.test(task) ? far : 0, /height/u.test(task) ? far : 0), submit(screen)]
  },
  "right-angle": function* (_, screen) {
    const vertex = boxOf(at(dots(screen).filter(isBlue), 0))
    const other = boxOf(
      at(
        dots(screen).filter((dot) => !isBlue(dot)),
        0
      )
    )
    yield* mark(screen, along(boxOf(canvas(screen)), vertex, angleTo(vertex, other) + Math.PI / 2))
  },
  "text-editor": function* (task, first) {
    const editor = at(all(first, "editor"), 0)
    const word = /the text (\S+) the/u.exec(task)?.[1]
    const colour = /(?:the color|color) (\w+)/u.exec(task)?.[1]
    const screen = yield [highlight(word ?? editor.name.replace(/^"|"$/gu, ""), editor)]
    if (colour === undefined) {
      const style = { bold: /ql-bold/u, italics: /ql-italic/u, underlined: /ql-underline/u }[part(task, /style (\w+)/u)]
      return void (yield [click(named(screen, style ?? /./u)), submit(screen)])
    }
    const picker = yield [click(named(screen, /ql-picker-label/u))]
    const chosen = at(
      picker.elements.filter((one) => one.role === "clickable" && isOne(colour)(one)),
      0
    )
    yield [click(chosen), submit(picker)]
  }
}

/** Drags from a point of the drawing to another one. */
const dragPoints = (screen: Screen, from: Point, to: Point) => {
  const drawing = canvas(screen)
  const { x, y } = boxOf(drawing)
  return {
    name: "drag",
    input: {
      from: drawing.number,
      to: drawing.number,
      fromDx: Math.round(from.x - x),
      fromDy: Math.round(from.y - y),
      dx: Math.round(to.x - x),
      dy: Math.round(to.y - y)
    }
  }
}

/** The texts of the page below the task. */
const paragraphs = (screen: Screen): ReadonlyArray<string> =>
  screen.lines.slice(1).filter((line) => !line.includes("[") && line.trim() !== "")
