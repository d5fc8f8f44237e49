import { colours } from "./Shapes.ts"
import {
  type Call,
  check,
  click,
  ordinal,
  part,
  press,
  quoted,
  type Rule,
  type Rules,
  scroll,
  select,
  type Steps,
  type,
  wait
} from "./Rule.ts"
import { all, at, colourOf, maybe, named, type Screen } from "./Screen.ts"

const submit = (screen: Screen) => click(named(screen, /^(?:Submit|Search|Login|Go!|OK)$/u))

/** The text between the task and the form. */
const textOf = ({ lines }: Screen): string =>
  lines.slice(1).find((line) => !line.includes("[") && /\S/u.test(line)) ?? ""

/** Types a text into the only field and submits. */
const enter = (textFor: (task: string, screen: Screen) => string): Rule =>
  function* (task, screen) {
    yield [type(at(all(screen, "textbox", "date", "time", "number"), 0), textFor(task, screen)), submit(screen)]
  }

const enterQuoted = enter((task) => at(quoted(task), 0))

/** `8:04 PM` as a field for times takes it. */
const clock = (said: string): string => {
  const [, hour = "0", minute = "00", half] = /(\d+):(\d+)\s*([AP]M)/u.exec(said) ?? []
  return `${String((Number(hour) % 12) + (half === "PM" ? 12 : 0)).padStart(2, "0")}:${minute}`
}

const isoDate = (said: string): string => {
  const [, month = "", day = "", year = ""] = /(\d+)\/(\d+)\/(\d+)/u.exec(said) ?? []
  return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`
}

/** Picks a day in a calendar that shows one month. */
export const pickDate = function* (date: string, first: Screen): Steps<Screen> {
  const [, month = "0", day = "0", year = "0"] = /(\d+)\/(\d+)\/(\d+)/u.exec(date) ?? []
  const months = "January February March April May June July August September October November December".split(" ")
  let screen = yield [click(named(first, /datepicker/u))]
  for (let turn = 0; turn < 30; turn++) {
    const title = /([A-Z][a-z]+) (\d{4})/u.exec(screen.lines.filter((line) => !/[Ss]elect|Book/u.test(line)).join("\n"))
    const shown = Number(title?.[2]) * 12 + months.indexOf(title?.[1] ?? "")
    const away = Number(year) * 12 + Number(month) - 1 - shown
    if (away === 0) break
    if (!Number.isNaN(away)) screen = yield [click(named(screen, away < 0 ? "Prev" : "Next"))]
    else screen = yield [turn % 4 === 3 ? click(named(screen, /datepicker/u)) : wait(0.2 + turn / 100)]
  }
  return yield [click(named(screen, String(Number(day)), "link", "clickable"))]
}

const chooseDate: Rule = function* (task, screen) {
  const chosen = yield* pickDate(task, screen)
  yield [submit(chosen)]
}

/** Types the start of an item until a list shows it, and takes it from there. */
const autocomplete: Rule = function* (task, first) {
  const [start = "", end = ""] = quoted(task)
  const field = at(all(first, "textbox"), 0)
  let screen = yield [type(field, start)]
  for (let turn = 0; turn < 20; turn++) {
    const item = screen.elements.find(
      ({ name, role }) => /clickable|menuitem|option|link/u.test(role) && name.startsWith(start) && name.endsWith(end)
    )
    if (item !== undefined) {
      const taken = yield [click(item)]
      return void (yield [submit(taken)])
    }
    screen = yield [turn % 5 === 4 ? press("ArrowDown") : wait(0.2 + turn / 100)]
  }
  throw new Error(`no item starts with ${start} and ends with ${end}`)
}

/** Moves a slider with the keyboard until the page shows what is wanted. */
const slide = function* (wanted: number, which: number, first: Screen): Steps<Screen> {
  let screen = first
  for (let turn = 0; turn < 60; turn++) {
    const handle = at(
      screen.elements.filter(({ name }) => name.includes("ui-slider-handle")),
      which
    )
    const shown = Number(screen.lines.slice(handle.line + 1).find((line) => /^-?\d+$/u.test(line.trim())))
    if (shown === wanted) return screen
    const keys = Array.from({ length: Math.min(100, Math.abs(wanted - shown)) }, () =>
      wanted > shown ? "ArrowRight" : "ArrowLeft"
    )
    screen = yield turn === 0 ? [click(handle), press(...keys)] : [press(...keys)]
  }
  throw new Error(`the slider does not reach ${wanted}`)
}

const solve = (text: string): string => {
  const [, one = "", operator = "", two = "", result = ""] =
    /(-?\d+|x)\s*([+\-*/x])\s*(-?\d+|x)\s*=\s*(-?\d*)/u.exec(text) ?? []
  const [a, b, c] = [Number(one), Number(two), Number(result)]
  if (result === "") return String({ "+": a + b, "-": a - b, "*": a * b, x: a * b, "/": a / b }[operator])
  if (one === "x") return String(operator === "+" ? c - b : c + b)
  return String(operator === "+" ? c - a : a - c)
}

const login: Rule = function* (task, screen) {
  const [user = "", password = ""] = quoted(task)
  const filled = yield [type(at(all(screen, "textbox"), 0), user), type(at(all(screen, "password"), 0), password)]
  yield [submit(filled)]
}

/** Text next to a label in a table. */
const cellOf = (screen: Screen, label: string): string => {
  const row = screen.lines.find((line) => line.startsWith(`${label} |`))
  if (row === undefined) throw new Error(`the table has no ${label}`)
  return row.slice(row.indexOf("|") + 1).trim()
}

const movieSearch: Rule = function* (task, screen) {
  const [, genre = "", director = "", year = ""] =
    /for (\w+) movies directed by (\w+) from year (\d+)/u.exec(task) ?? []
  const isBelow = labelOf(screen.lines[at(all(screen, "textbox"), 0).line + 1] ?? "") !== ""
  const hasFirst = labelOf(screen.lines.slice(1, at(all(screen, "textbox"), 0).line + 1).join(" ")) !== ""
  const fields = all(screen, "textbox").map((field) => {
    const from = isBelow && !hasFirst ? field.line + 1 : field.line - 1
    const label = labelOf(screen.lines.slice(from, from + (isBelow && !hasFirst ? 1 : 2)).join(" "))
    return type(field, label === "Director" ? director : label === "Year" || label === "Date" ? year : genre)
  })
  yield fields
  yield [submit(screen)]
}

/** The label that stands right before a field. */
const labelOf = (text: string): string =>
  /(Director|Year|Date|Genre)(?!.*(?:Director|Year|Date|Genre))/u.exec(text)?.[1] ?? ""

const hex = (colour: ReadonlyArray<number>): string =>
  colour.map((part) => part.toString(16).padStart(2, "0").toUpperCase()).join("")

/** Types a colour into the field of a picker, which may cover the button below. */
const pickColour = (colour: string, screen: Screen): ReadonlyArray<Call> => [
  type(at(all(screen, "textbox"), 0), colour),
  press("Tab", "Enter")
]

export const fields: Rules = {
  "choose-date": chooseDate,
  "choose-date-easy": chooseDate,
  "choose-date-medium": chooseDate,
  "choose-date-nodelay": chooseDate,
  "choose-list": function* (task, screen) {
    yield [select(at(all(screen, "select"), 0), part(task, /Select (.*) from the list/u)), submit(screen)]
  },
  "click-scroll-list": function* (task, screen) {
    const names = part(task, /Select (.*) from the scroll list/u).split(", ")
    yield [select(at(all(screen, "select"), 0), ...names), submit(screen)]
  },
  "copy-paste": function* (_, screen) {
    const [from, to] = [named(screen, /to-copy/u), named(screen, /answer/u)]
    yield [click(from), press("Control+a", "Control+c"), click(to), press("Control+v"), submit(screen)]
  },
  "copy-paste-2": function* (task, screen) {
    const boxes = all(screen, "textbox")
    yield [
      click(at(boxes, ordinal(task))),
      press("Control+a", "Control+c"),
      click(at(boxes, -1)),
      press("Control+v"),
      submit(screen)
    ]
  },
  "enter-date": enter((task) => isoDate(task)),
  "enter-password": function* (task, screen) {
    yield [...all(screen, "password").map((one) => type(one, at(quoted(task), 0))), submit(screen)]
  },
  "enter-text": enterQuoted,
  "enter-text-2": enter((task) =>
    /lower/u.test(task) ? at(quoted(task), 0).toLowerCase() : at(quoted(task), 0).toUpperCase()
  ),
  "enter-text-dynamic": enterQuoted,
  "enter-time": enter(clock),
  "find-word": enter((task, screen) => at(textOf(screen).split(/\s+/u), ordinal(task)).replace(/[.,]$/u, "")),
  "form-sequence": function* (task, first) {
    const screen = yield* slide(Number(part(task, /Select (-?\d+)/u)), 0, first)
    yield [check(at(all(screen, "checkbox"), ordinal(task))), submit(screen)]
  },
  "form-sequence-2": function* (task, screen) {
    const box = Number(part(task, /the (\d+)\w+ textbox/u)) - 1
    yield [
      check(at(all(screen, "radio"), ordinal(task))),
      type(at(all(screen, "textbox"), box), at(quoted(task), 0)),
      submit(screen)
    ]
  },
  "form-sequence-3": function* (task, screen) {
    yield [select(at(all(screen, "select"), 0), part(task, /Choose (.*) from the dropdown/u))]
    yield [click(named(screen, at(quoted(task), 0), "button"))]
  },
  "guess-number": function* (_, first) {
    let screen = first
    let [low, high] = [0, 9]
    for (let turn = 0; turn < 6 && maybe(screen, "START") === undefined; turn++) {
      const guess = Math.floor((low + high) / 2)
      screen = yield [type(at(all(screen, "number"), 0), String(guess)), submit(screen)]
      const said = screen.lines.join(" ")
      if (/higher than|is higher|greater/u.test(said)) low = guess + 1
      else if (/lower than|is lower|less/u.test(said)) high = guess - 1
      else return
    }
  },
  "login-user": login,
  "login-user-popup": function* (task, first) {
    const [user = "", password = ""] = quoted(task)
    let screen = first
    for (const [role, text] of [
      ["textbox", user],
      ["password", password]
    ] as const) {
      screen = yield [click(at(all(screen, role), 0))]
      const close = maybe(screen, /^(?:Cancel|No|Exit|Close|✖|×|x|Got it.*)$/iu)
      if (close !== undefined) screen = yield [click(close)]
      screen = yield [type(at(all(screen, role), 0), text)]
    }
    yield [submit(screen)]
  },
  "multi-layouts": movieSearch,
  "multi-orderings": movieSearch,
  "read-table": enter((task, screen) => cellOf(screen, part(task, /value of (.*) into/u))),
  "read-table-2": function* (_, screen) {
    yield all(screen, "textbox").map((field) => {
      const label = screen.lines.slice(0, field.line + 1).findLast((line) => /^[\w ]+:/u.test(line)) ?? ""
      return type(field, cellOf(screen, part(label, /^(.*?):/u)))
    })
    yield [submit(screen)]
  },
  "scroll-text": function* (_, screen) {
    const [area, field] = all(screen, "textbox")
    if (area === undefined || field === undefined) throw new Error("there are no two fields")
    // a look shows the beginning of a long text: the last word is copied
    yield [
      click(area),
      press("Control+End", "Control+Shift+ArrowLeft", "Control+Shift+ArrowLeft", "Control+c"),
      click(field),
      press("Control+v")
    ]
    yield [submit(screen)]
  },
  "scroll-text-2": function* (task, screen) {
    yield [scroll(/top/u.test(task) ? "top" : "bottom", at(all(screen, "textbox"), 0)), submit(screen)]
  },
  "search-engine": function* (task, first) {
    let screen = yield [type(at(all(first, "textbox"), 0), at(quoted(task), 0)), click(named(first, "Search"))]
    const wanted = ordinal(task)
    const perPage = 3
    const page = Math.floor(wanted / perPage) + 1
    if (page > 1) screen = yield [click(named(screen, String(page), "link"))]
    const links = all(screen, "link").filter(({ name }) => !/^(?:\d+|[<>«»]|.*(?:Next|Prev).*)$/u.test(name))
    yield [click(at(links, wanted % perPage))]
  },
  "sign-agreement": function* (task, first) {
    const [name, button] = quoted(task)
    if (name === undefined || button === undefined) {
      return void (yield [click(named(first, /cancel/iu.test(task) ? "Cancel" : "Agree"))])
    }
    const screen = yield [scroll("bottom", at(all(first, "textbox"), 0))]
    const filled = yield [type(at(all(screen, "textbox"), 1), name)]
    yield [click(named(filled, button))]
  },
  "simple-algebra": enter((_, screen) => solve(screen.lines.join("\n"))),
  "simple-arithmetic": enter((_, screen) => solve(screen.lines.join("\n"))),
  "text-transform": enter((_, screen) => textOf(screen).replaceAll(" ", "")),
  "use-autocomplete": autocomplete,
  "use-autocomplete-nodelay": autocomplete,
  "use-colorwheel": function* (task, screen) {
    yield pickColour(hex(colours[part(task, /Select (\w+) with/u)] ?? []), screen)
  },
  "use-colorwheel-2": function* (_, screen) {
    yield pickColour(hex(colourOf(at(all(screen, "box"), 0))), screen)
  },
  "use-slider": function* (task, first) {
    const screen = yield* slide(Number(part(task, /Select (-?\d+)/u)), 0, first)
    yield [submit(screen)]
  },
  "use-slider-2": function* (task, first) {
    let screen = first
    for (const [index, wanted] of part(task, /\[(.*)\]/u)
      .split(",")
      .entries())
      screen = yield* slide(Number(wanted), index, screen)
    yield [submit(screen)]
  },
  "use-spinner": function* (task, screen) {
    const wanted = Number(part(task, /Select (-?\d+)/u))
    const button = named(screen, wanted > 0 ? /spinner-up/u : /spinner-down/u)
    yield [...Array.from({ length: Math.abs(wanted) }, () => click(button)), submit(screen)]
  },
  "visual-addition": enter((_, screen) => String(all(screen, "box").length))
}
