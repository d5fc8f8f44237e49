/** An element or a shape, as the agent shows it to a model. */
export interface Seen {
  /** NaN for what has no number: it is seen, and tools cannot name it. */
  readonly number: number
  readonly role: string
  readonly name: string
  readonly value: string
  /** States, options, and for nameless shapes colour, size and place. */
  readonly rest: string
  /** In which line of the page it is. */
  readonly line: number
}

/** The middle and the size of what is drawn, in pixels of the screen. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** A page, as a model reads it. */
export interface Screen {
  readonly lines: ReadonlyArray<string>
  readonly elements: ReadonlyArray<Seen>
  /** Results of the previous calls. */
  readonly results: string
}

const element =
  /\[(\d+) (svg \w+|scroll area|[a-z]+)(?: "([^"]*)")?(?: = "([^"]*)")?([^\]"]*)\]|\(([a-z]+)(?: \.?([^()]*?))?((?: rgb\([\d,]+\)| rgba\([\d,.]+\))? \d+x\d+ at -?\d+,-?\d+)\)/gu

/** Reads what was told of a page. */
export const read = (text: string, results: string): Screen => {
  // after the head, and without what MiniWoB++ shows beside every task: clicks on a canvas, and rewards
  const lines = text
    .replace(/^[\s\S]*?\n\n/u, "")
    .split("\n")
    .filter(
      (line) =>
        !/^<\/?page-|canvas "\.click-canvas|^(?:Last reward|Last 10 average|Time left|Episodes done):/u.test(line)
    )
  const elements = lines.flatMap((content, line) =>
    Array.from(content.matchAll(element), ([, number, role, name, value, rest, shape, hint, looks]): Seen => ({
      number: Number(number ?? Number.NaN),
      role: role ?? shape ?? "",
      name: name ?? hint ?? "",
      value: value ?? "",
      rest: rest ?? looks ?? "",
      line
    }))
  )
  return { lines, elements, results }
}

/** Position of an element; fails for one that is shown without its position. */
export const boxOf = ({ name, rest }: Seen): Box => {
  const [, width, height, left, top] = (/(\d+)x(\d+) at (-?\d+),(-?\d+)/u.exec(rest) ?? []).map(Number)
  if (width === undefined || height === undefined || left === undefined || top === undefined) {
    throw new Error(`the place of "${name}" is not shown`)
  }
  return { x: left + width / 2, y: top + height / 2, width, height }
}

/** Red, green and blue. */
export const colourOf = ({ rest }: Seen): readonly [number, number, number] => {
  const [, red = 255, green = 255, blue = 255] = (/rgba?\((\d+),(\d+),(\d+)/u.exec(rest) ?? []).map(Number)
  return [red, green, blue]
}

/** The elements of these roles, in the order of the page. */
export const all = ({ elements }: Screen, ...roles: ReadonlyArray<string>): ReadonlyArray<Seen> =>
  elements.filter(({ role }) => roles.includes(role))

/** The first element with this name, or whose name matches; fails where there is none. */
export const named = (screen: Screen, name: string | RegExp, ...roles: ReadonlyArray<string>): Seen => {
  const found = maybe(screen, name, ...roles)
  if (found === undefined) throw new Error(`nothing is named ${String(name)}`)
  return found
}

/** As `named`, undefined where there is none. */
export const maybe = (screen: Screen, name: string | RegExp, ...roles: ReadonlyArray<string>): Seen | undefined =>
  screen.elements.find(
    (one) =>
      !Number.isNaN(one.number) &&
      (roles.length === 0 || roles.includes(one.role)) &&
      (typeof name === "string" ? one.name === name : name.test(one.name))
  )

/** The element at a place of a list; fails where there is none. */
export const at = <A>(list: ReadonlyArray<A>, index: number): A => {
  const found = list.at(index)
  if (found === undefined) throw new Error(`there are only ${list.length} of what number ${index} is wanted of`)
  return found
}
