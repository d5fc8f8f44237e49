import { click, hover, type Rule, type Rules, wait } from "./Rule.ts"
import { all, at, maybe, named, type Screen, type Seen } from "./Screen.ts"

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

/** Rules of pages that change by themselves or after each click. */
export const games: Rules = {
  "chase-circle": chase((screen) => all(screen, "svg circle")[0]),
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
    yield [click(named(screen, "Submit"))]
  },
  "hover-shape": chase((screen) => all(screen, "svg rect").find(({ name }) => name.includes("highlight"))),
  "simon-says": simonSays,
  "tic-tac-toe": ticTacToe
}
