import { click, hover, part, quoted, type Rule, type Rules, type Steps, wait } from "./Rule.ts"
import { all, at, boxOf, maybe, named, type Screen } from "./Screen.ts"

const submit = (screen: Screen) => click(named(screen, "Submit"))

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

/** Rules of tabs, sections and menus, which have to be opened. */
export const menus: Rules = {
  "click-collapsible": expand,
  "click-collapsible-2": searchSections,
  "click-collapsible-2-nodelay": searchSections,
  "click-collapsible-nodelay": expand,
  "click-menu": followMenu,
  "click-menu-2": openMenu,
  "click-pie": function* (task, screen) {
    yield* openPie(at(quoted(task), 0), screen)
  },
  "click-pie-nodelay": function* (task, screen) {
    yield* openPie(at(quoted(task), 0), screen)
  },
  "click-tab-2": searchSections,
  "click-tab-2-easy": searchSections,
  "click-tab-2-hard": searchSections,
  "click-tab-2-medium": searchSections
}
