import { pickDate } from "./Fields.ts"
import { click, drag, part, press, quoted, type Rule, type Rules, scroll, type Steps, type, wait } from "./Rule.ts"
import { all, at, maybe, named, type Screen, type Seen } from "./Screen.ts"

/** The area of a page that scrolls. */
const area = (screen: Screen): Seen | undefined => all(screen, "scroll area")[0]

/** Scrolls an area down until something is found in it. */
const searchArea = function* <A>(first: Screen, find: (screen: Screen) => A | undefined): Steps<readonly [Screen, A]> {
  let screen = first
  for (let turn = 0; turn < 30; turn++) {
    const found = find(screen)
    if (found !== undefined) return [screen, found] as const
    const within = area(screen)
    const isEnd = within === undefined || !/below/u.test(within.rest)
    if (isEnd && turn > 4) break
    // what listens to clicks may be known a moment later
    screen = yield [isEnd ? wait(0.1 + turn / 100) : scroll("down", within)]
  }
  throw new Error("what the task names is not on the page")
}

/** The line of a sender's mail, once it is in sight with its buttons. */
const mailOf =
  (sender: string) =>
  (screen: Screen): number | undefined => {
    const line = screen.lines.findIndex((text) => text.trim() === sender)
    return line > 0 && after(screen, line, /star/u) !== undefined ? line : undefined
  }

/** The first element after a line whose name matches. */
const after = ({ elements }: Screen, line: number, name: RegExp): Seen | undefined =>
  elements.find((one) => one.line >= line && name.test(one.name))

const before = ({ elements }: Screen, line: number): Seen =>
  at(
    elements.filter((one) => one.line < line),
    -1
  )

/** Words of the task that start with a capital letter, in its order. */
const names = (task: string): ReadonlyArray<string> =>
  Array.from(
    task.replaceAll(/"[^"]*"/gu, "").matchAll(/\b([A-Z][a-z]+(?:-[A-Z][a-z]+)?)(?:'s)?\b/gu),
    ([, name = ""]) => name
  )

/** Words at the start of sentences. */
const verbs =
  /^(?:Find|Will|Forward|Please|Send|Locate|Can|Could|The|Look|Open|Share|Email|Pass|Reply|Delete|Go|Get|Mark|Star|Click|Give|Take|In|My|You|Let|From|Move|Search|Navigate|Respond|Message|Tell|Write|Answer|Read|Remove)$/u

/** Who wrote the mail that the task is about, and the others whom it names. */
const people = (task: string) => {
  const known = names(task).filter((name) => !verbs.test(name))
  const said =
    /(?:by|from|of) ([A-Z][\w-]+)/u.exec(task)?.[1] ??
    /([A-Z][\w-]+) (?:sent|wrote|has sent|just sent)/u.exec(task)?.[1] ??
    /([A-Z][\w-]+)'s? (?:e-?mail|message|note)/u.exec(task)?.[1]
  const recipient = /\bto ([A-Z][\w-]+)/u.exec(task)?.[1]
  const isReply = task.includes('"')
  const sender = said ?? (isReply ? recipient : undefined) ?? known.find((name) => name !== recipient) ?? ""
  return { sender, others: known.filter((name) => name !== sender) }
}

const mail: Rule = function* (task, first) {
  const { others, sender } = people(task)
  const [screen, line] = yield* searchArea(first, mailOf(sender))
  const [text] = quoted(task)
  const button = (name: RegExp) => {
    const found = after(screen, line, name)
    if (found === undefined) throw new Error(`the mail has no ${String(name)}`)
    return found
  }
  if (text === undefined && /delete|trash|remove|get rid|erase|bin/iu.test(task))
    return void (yield [click(button(/trash/u))])
  if (text === undefined && /star|important|favou?rite|flag/iu.test(task)) return void (yield [click(button(/star/u))])
  const opened = yield [click(before(screen, line))]
  if (text !== undefined) {
    const form = yield [click(named(opened, /reply/iu))]
    const filled = yield [type(at(all(form, "textbox"), -1), text)]
    return void (yield [click(named(filled, /send/iu))])
  }
  const form = yield [click(named(opened, /forward/iu))]
  const to = at(others, -1)
  const filled = yield [type(at(all(form, "textbox"), 0), to)]
  yield [click(named(filled, /send/iu))]
}

/** The buttons of posts, by what they are called in tasks. */
const postButtons: Readonly<Record<string, RegExp>> = {
  Reply: /\.reply/u,
  Retweet: /\.retweet/u,
  Like: /\.like/u,
  Share: /\.share/u
}

const postOf = (user: string, name: RegExp) => (screen: Screen) => {
  const line = screen.lines.findIndex((text) => new RegExp(`${user}\\b`, "u").test(text) && !/Click|click/u.test(text))
  return line < 0 ? undefined : after(screen, line, name)
}

const post: Rule = function* (task, first) {
  const user = part(task, /user (@\w+)/u)
  const wanted = at(quoted(task), 0)
  const direct = postButtons[wanted]
  const [, found] = yield* searchArea(first, postOf(user, direct ?? /\.more/u))
  const once = yield [click(found)]
  if (direct !== undefined) return
  // a picture that comes in under the mouse may have been in the way
  const isOpen = once.elements.some(({ name }) => name.startsWith("Share via"))
  const opened = isOpen ? once : yield [click(found)]
  // the end of the menu may be out of sight
  const [, item] = yield* searchArea(opened, (screen) => maybe(screen, new RegExp(`^${wanted}`, "u")))
  yield [click(item)]
}

const posts: Rule = function* (task, first) {
  const user = part(task, /posts? by (@\w+)/u)
  const name = postButtons[at(quoted(task), 0)] ?? /./u
  let left = Number(/on (\d+) posts?/u.exec(task)?.[1] ?? 1000)
  const clicked = new Set<number>()
  let screen = first
  for (let turn = 0; turn < 40; turn++) {
    const fresh = screen.lines
      .flatMap((text, line) => {
        const button =
          new RegExp(`${user}\\b`, "u").test(text) && !text.includes("Click the")
            ? after(screen, line, name)
            : undefined
        return button === undefined || button.line > line + 3 || clicked.has(button.number) ? [] : [button]
      })
      .slice(0, left)
    for (const one of fresh) clicked.add(one.number)
    left -= fresh.length
    if (fresh.length > 0) screen = yield fresh.map((one) => click(one))
    const within = area(screen)
    if (left === 0 || within === undefined || !/below/u.test(within.rest)) break
    screen = yield [scroll("down", within)]
  }
  const end = maybe(screen, "Submit") === undefined ? yield [scroll("bottom", area(screen))] : screen
  yield [click(named(end, "Submit"))]
}

/** Minutes of `14h 18m`. */
const minutes = (said: string): number => {
  const [, hours = "0", rest = "0"] = /(?:(\d+)h)?\s*(?:(\d+)m)?/u.exec(said) ?? []
  return Number(hours) * 60 + Number(rest)
}

/** Offers of the page: what each costs, how long it takes, and its button. */
const offers = ({ elements, lines }: Screen) =>
  elements.flatMap((button) => {
    const price = /Book .*\$(\d+)/u.exec(button.name)?.[1]
    const duration = lines.slice(0, button.line).findLast((line) => /^\d+h(?: \d+m)?$|^\d+m$/u.test(line.trim())) ?? ""
    // of an offer that is partly out of sight not all is known
    return price === undefined || duration === ""
      ? []
      : [{ button, price: Number(price), minutes: minutes(duration.trim()) }]
  })

const best = (task: string, all: ReturnType<typeof offers>) => {
  const by = /duration|shortest|longest/u.test(task) ? "minutes" : "price"
  const sign = /longest|most expensive/u.test(task) ? -1 : 1
  return at(
    all.toSorted((one, two) => sign * (one[by] - two[by])),
    0
  )
}

/** Types a place and takes its airport from the list, again where the list changed meanwhile. */
const pickAirport = function* (first: Screen, index: number, place: string): Steps<Screen> {
  const item = ({ elements }: Screen) => elements.find(({ name, role }) => role !== "textbox" && name.includes(place))
  let screen = first
  for (let tries = 0; tries < 3; tries++) {
    screen = yield [type(at(all(screen, "textbox"), index), place)]
    for (let turn = 0; item(screen) === undefined && turn < 12; turn++) {
      // the list of airports may be longer than what is shown of it
      const list = all(screen, "scroll area")[1]
      screen = yield [list === undefined ? wait(0.2 + turn / 100) : scroll("down", list)]
    }
    const found = item(screen)
    if (found === undefined) continue
    screen = yield [click(found)]
    if (at(all(screen, "textbox"), index).value.includes("(")) return screen
  }
  throw new Error(`no airport is called ${place}`)
}

const flight: Rule = function* (task, first) {
  const [, from = "", to = ""] = /from: (.*?) to: (.*?) on/u.exec(task) ?? []
  let screen = first
  for (const [index, place] of [from, to].entries()) screen = yield* pickAirport(screen, index, place)
  screen = yield* pickDate(task, screen)
  screen = yield [click(named(screen, "Search"))]
  const known = new Map<number, ReturnType<typeof offers>[number]>()
  for (let turn = 0; turn < 40; turn++) {
    for (const offer of offers(screen)) known.set(offer.button.number, offer)
    const within = area(screen)
    const isEnd = within === undefined || !/below/u.test(within.rest)
    if (isEnd && known.size > 0) break
    screen = yield [
      isEnd
        ? wait(0.2 + turn / 100)
        : { name: "scroll", input: { direction: "down", index: within.number, pages: 0.4 } }
    ]
  }
  yield [click(best(task, Array.from(known.values())).button)]
}

const food: Rule = function* (task, first) {
  const listed = /each item: (.*)$/u.exec(task)?.[1]?.split(", ")
  const [, count = "0", kind = ""] = /Order (\d+) items that are (.*)$/u.exec(task) ?? []
  let left = listed?.length ?? Number(count)
  const taken = new Set<number>()
  let screen = first
  for (let turn = 0; turn < 40; turn++) {
    const { elements, lines } = screen
    const adders = elements.filter(({ name, number }) => name === "+" && !taken.has(number))
    const fresh = adders
      .filter((adder) => {
        const above = lines
          .slice(0, adder.line)
          .findLastIndex((line) => /^[A-Z]/u.test(line) && !line.startsWith("Order"))
        const title = lines[above]?.trim() ?? ""
        const marks = lines.slice(above, adder.line + 1).join(" ")
        return listed === undefined ? marks.includes(`"${kind}"`) : listed.includes(title)
      })
      .slice(0, left)
    for (const one of fresh) taken.add(one.number)
    left -= fresh.length
    if (fresh.length > 0) screen = yield fresh.map((one) => click(one))
    const within = area(screen)
    if (left === 0 || within === undefined || !/below/u.test(within.rest)) break
    screen = yield [scroll("down", within)]
  }
  const end = maybe(screen, /Submit|Order/u, "button") === undefined ? yield [scroll("bottom", area(screen))] : screen
  yield [click(named(end, /Submit|Order/u, "button"))]
}

/** The half hours of the day before `8:30am`. */
const halfHours = (said: string): number => {
  const [, value = "0", half, noon = ""] = /(\d+)(:30)?\s*(am|pm)/iu.exec(said) ?? []
  return ((Number(value) % 12) + (/p/iu.test(noon) ? 12 : 0)) * 2 + (half === undefined ? 0 : 1)
}

const calendar: Rule = function* (task, first) {
  const [, length = "0", unit = "", name = "", from = "", to = ""] =
    /a ([\d.]+) (\w+) event named "(\w+)", between (\w+) and (\w+)/u.exec(task) ?? []
  const halves = unit.startsWith("hour") ? Number(length) * 2 : Number(length) / 30
  const slot = (screen: Screen, index: number) =>
    screen.elements.find((one) => new RegExp(`hh-${index} `, "u").test(one.name))
  let screen = first
  const [earliest, latest] = [halfHours(from), halfHours(to) - halves]
  // what is there already covers hours that are side by side
  const starts = Array.from({ length: latest - earliest + 1 }, (_, index) =>
    index % 2 === 0 ? earliest + index / 2 : latest - (index - 1) / 2
  )
  for (const start of starts) {
    for (let turn = 0; turn < 30 && slot(screen, start + halves) === undefined; turn++) {
      screen = yield [{ name: "scroll", input: { direction: "down", index: area(screen)?.number ?? 0, pages: 0.5 } }]
    }
    const [top, bottom] = [slot(screen, start), slot(screen, start + halves - 1)]
    if (top === undefined || bottom === undefined) throw new Error("the hours are not in sight")
    // the event grows under the mouse, which has to get ahead of it
    screen = yield [drag(top, bottom, 0, 8)]
    const event = maybe(screen, "New event")
    if (event === undefined) continue
    if (all(screen, "textbox").length === 0) screen = yield [click(event)]
    const [, begun = "", ended = ""] = /(\S+[ap]m) to (\S+[ap]m)/u.exec(screen.lines.join("\n")) ?? []
    if (halfHours(begun) === start && halfHours(ended) === start + halves) {
      screen = yield [type(at(all(screen, "textbox"), 0), name)]
      return void (yield [click(named(screen, "Create"))])
    }
    // another event is in the way
    screen = yield [click(named(screen, "Cancel"))]
  }
  throw new Error("no time is free")
}

/** Opens folders until the wanted one is in sight. */
const tree: Rule = function* (task, first) {
  const wanted = at(quoted(task), 0)
  const opened = new Set<string>()
  let screen = first
  for (let turn = 0; turn < 30; turn++) {
    const found = maybe(screen, wanted)
    if (found !== undefined) return void (yield [click(found)])
    const next = all(screen, "clickable").find((one, index, list) => {
      const isFolder = /expandable/u.test(list[index - 1]?.name ?? "")
      return isFolder && !opened.has(one.name)
    })
    if (next === undefined) break
    opened.add(next.name)
    screen = yield [click(next)]
  }
  throw new Error(`there is no ${wanted}`)
}

const contacts: Rule = function* (task, first) {
  const [, name = "", what = ""] = /Find (\S+) in the contact book and click on their (\w+)/u.exec(task) ?? []
  let screen = first
  for (let turn = 0; turn < 20 && !screen.lines.some((line) => line.trim() === `## ${name}`); turn++) {
    screen = yield [click(named(screen, ">", "link"))]
  }
  const label = { phone: "Phone", email: "Email", address: "Address" }[what] ?? what
  const line = screen.lines.findIndex((text) => text.startsWith(`${label}:`))
  yield [
    click(
      at(
        screen.elements.filter((one) => one.line === line),
        0
      )
    )
  ]
}

const stocks: Rule = function* (task, first) {
  const limit = Number(part(task, /less than \$([\d.]+\d)/u))
  let screen = first
  for (let turn = 0; turn < 300; turn++) {
    const price = /Stock price:\s*\$([\d.]+)/u.exec(screen.lines.join(" "))?.[1]
    if (price !== undefined && Number(price) <= limit) return void (yield [click(named(screen, "Buy"))])
    screen = yield [wait(0.02 + turn / 100_000)]
  }
}

const terminal: Rule = function* (task, first) {
  const extension = /extension \.(\w+)/u.exec(task)?.[1]
  const screen = yield [click(at(all(first, "clickable"), 0)), press("l", "s", "Enter")]
  const text = screen.lines.join(" ").replaceAll(/\[\d+ \w+ "|"\]/gu, " ")
  const files = Array.from(text.slice(text.indexOf("ls")).matchAll(/\b([\w-]+)(\.\w+)?(?=\s|$)/gu), ([whole]) => whole)
  const file = files
    .slice(1)
    .find((one) => (extension === undefined ? !one.includes(".") : one.endsWith(`.${extension}`)))
  if (file === undefined) throw new Error("the terminal lists no such file")
  yield [press("r", "m", "Space", ...file, "Enter")]
}

const mails = [
  "email-inbox",
  "email-inbox-delete",
  "email-inbox-forward",
  "email-inbox-forward-nl",
  "email-inbox-forward-nl-turk",
  "email-inbox-important",
  "email-inbox-nl-turk",
  "email-inbox-noscroll",
  "email-inbox-reply",
  "email-inbox-star-reply"
]

export const apps: Rules = {
  ...Object.fromEntries(mails.map((name) => [name, mail])),
  "book-flight": flight,
  "book-flight-nodelay": flight,
  "buy-ticket": function* (task, screen) {
    yield [click(best(task, offers(screen)).button)]
  },
  "daily-calendar": calendar,
  "navigate-tree": tree,
  "order-food": food,
  "phone-book": contacts,
  "social-media": post,
  "social-media-all": posts,
  "social-media-some": posts,
  "stock-market": stocks,
  terminal
}
