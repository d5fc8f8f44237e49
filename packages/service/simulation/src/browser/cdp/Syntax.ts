/** What a simulated page evaluates, as a tree: constants and what can be made of them without running anything. */
export type Node =
  | { readonly _tag: "Constant"; readonly value: undefined | null | boolean | number | string }
  | { readonly _tag: "Name"; readonly name: string }
  | { readonly _tag: "List"; readonly items: ReadonlyArray<Node> }
  | { readonly _tag: "Fields"; readonly fields: ReadonlyArray<readonly [string, Node]> }
  | { readonly _tag: "Member"; readonly of: Node; readonly key: Node }
  | { readonly _tag: "Unary"; readonly operator: string; readonly operand: Node }
  | { readonly _tag: "Binary"; readonly operator: string; readonly left: Node; readonly right: Node }
  | { readonly _tag: "Choice"; readonly condition: Node; readonly yes: Node; readonly no: Node }
  | { readonly _tag: "Lambda"; readonly parameters: ReadonlyArray<Parameter>; readonly body: Node }

/** A parameter's name, or the names of the fields that are taken out of it. */
export type Parameter = string | ReadonlyArray<string>

/** The expression is none of those that can be read here. */
export class Unreadable extends Error {
  constructor(source: string, offset: number) {
    super(`it cannot read ${JSON.stringify(source.slice(offset, offset + 20))} at character ${offset}`)
  }
}

const longestSource = 64 * 1024
const deepest = 64

const undefinedNode: Node = { _tag: "Constant", value: undefined }

const words = new Map<string, Node>([
  ["undefined", undefinedNode],
  ["null", { _tag: "Constant", value: null }],
  ["true", { _tag: "Constant", value: true }],
  ["false", { _tag: "Constant", value: false }],
  ["NaN", { _tag: "Constant", value: Number.NaN }],
  ["Infinity", { _tag: "Constant", value: Number.POSITIVE_INFINITY }]
])

const notNames = new Set(["async", "await", "function", "new", "return", "typeof", "void", "delete", "class", "this"])

const precedence = new Map<string, number>([
  ["??", 1],
  ["||", 2],
  ["&&", 3],
  ...["===", "!==", "==", "!="].map((operator) => [operator, 4] as const),
  ...["<=", ">=", "<", ">"].map((operator) => [operator, 5] as const),
  ...["+", "-"].map((operator) => [operator, 6] as const),
  ...["*", "/", "%"].map((operator) => [operator, 7] as const)
])

const blankPattern = /(?:\s+|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/)*/uy
const namePattern = /[\p{ID_Start}$_][\p{ID_Continue}$]*/uy
const numberPattern = /0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/uy
const operatorPattern =
  /===|!==|==|!=|<=|>=|\?\?(?!=)|\|\|(?!=)|&&(?!=)|\+(?![+=])|-(?![-=])|\*(?![*=])|\/(?![/*=])|%(?!=)|[<>](?![<>])/uy
const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", v: "\v", "0": "\0" }

class Reader {
  private at = 0
  private depth = 0
  private readonly source: string
  constructor(source: string) {
    this.source = source
  }

  private fail(): never {
    throw new Unreadable(this.source, this.at)
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.source)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }

  private blank() {
    this.match(blankPattern)
  }

  private take(token: string): boolean {
    this.blank()
    if (!this.source.startsWith(token, this.at)) return false
    this.at += token.length
    return true
  }

  private need(token: string) {
    if (!this.take(token)) this.fail()
  }

  private name(): string | undefined {
    this.blank()
    return this.match(namePattern)
  }

  private takeWord(word: string): boolean {
    const start = this.at
    if (this.name() === word) return true
    this.at = start
    return false
  }

  /** What `read` reads, or nothing, and then as if nothing had been read. */
  private attempt<A>(read: () => A | undefined): A | undefined {
    const start = this.at
    const found = read()
    if (found === undefined) this.at = start
    return found
  }

  program(): Node {
    const node = this.expression()
    this.take(";")
    this.blank()
    if (this.at < this.source.length) this.fail()
    return node
  }

  private expression(): Node {
    if (++this.depth > deepest) this.fail()
    const node = this.lambda() ?? this.choice()
    this.depth--
    return node
  }

  private choice(): Node {
    const condition = this.binary(1)
    if (!this.take("?")) return condition
    const yes = this.expression()
    this.need(":")
    return { _tag: "Choice", condition, yes, no: this.expression() }
  }

  private binary(least: number): Node {
    let left = this.unary()
    for (;;) {
      const operator = this.attempt(() => {
        this.blank()
        const found = this.match(operatorPattern)
        return found !== undefined && (precedence.get(found) ?? 0) >= least ? found : undefined
      })
      if (operator === undefined) return left
      left = { _tag: "Binary", operator, left, right: this.binary((precedence.get(operator) ?? 0) + 1) }
    }
  }

  private unary(): Node {
    const operators: Array<string> = []
    for (;;) {
      this.blank()
      const operator = this.takeWord("typeof") ? "typeof" : this.match(/[+\-!](?![+\-=])/uy)
      if (operator === undefined) break
      if (operators.push(operator) > deepest) this.fail()
    }
    return operators.reduceRight((operand: Node, operator) => ({ _tag: "Unary", operator, operand }), this.member())
  }

  private member(): Node {
    let node = this.primary()
    for (let steps = 0; steps < deepest; steps++) {
      if (this.take("[")) {
        node = { _tag: "Member", of: node, key: this.expression() }
        this.need("]")
      } else if (this.take("?.") || this.take(".")) {
        node = { _tag: "Member", of: node, key: { _tag: "Constant", value: this.name() ?? this.fail() } }
      } else return node
    }
    return this.fail()
  }

  private primary(): Node {
    this.blank()
    const next = this.source[this.at] ?? ""
    if (next === '"' || next === "'" || next === "`") return { _tag: "Constant", value: this.text(next) }
    if (this.take("(")) {
      const node = this.expression()
      this.need(")")
      return node
    }
    if (this.take("[")) return { _tag: "List", items: this.series("]", () => this.expression()) }
    if (this.take("{")) return { _tag: "Fields", fields: this.series("}", () => this.field()) }
    const number = this.match(numberPattern)
    if (number !== undefined) return { _tag: "Constant", value: Number(number) }
    const start = this.at
    const name = this.name()
    if (name !== undefined && !notNames.has(name)) return words.get(name) ?? { _tag: "Name", name }
    this.at = start
    return this.fail()
  }

  private series<A>(end: string, read: () => A): ReadonlyArray<A> {
    const items: Array<A> = []
    while (!this.take(end)) {
      items.push(read())
      if (!this.take(",")) {
        this.need(end)
        break
      }
    }
    return items
  }

  private field(): readonly [string, Node] {
    this.blank()
    const next = this.source[this.at] ?? ""
    if (next === '"' || next === "'") {
      const key = this.text(next)
      this.need(":")
      return [key, this.expression()]
    }
    const number = this.match(numberPattern)
    const key = number === undefined ? (this.name() ?? this.fail()) : String(Number(number))
    if (this.take(":")) return [key, this.expression()]
    return number === undefined ? [key, words.get(key) ?? { _tag: "Name", name: key }] : this.fail()
  }

  private text(quote: string): string {
    const parts: Array<string> = []
    this.at++
    for (;;) {
      const start = this.at
      while (
        this.at < this.source.length &&
        !`${quote}\\${quote === "`" ? "$" : "\n"}`.includes(this.source[this.at] ?? "")
      )
        this.at++
      parts.push(this.source.slice(start, this.at))
      const stop = this.source[this.at]
      if (stop === quote) {
        this.at++
        return parts.join("")
      }
      if (stop === "\\") parts.push(this.escape())
      else if (stop === "$" && this.source[this.at + 1] !== "{") parts.push(this.source[this.at++] ?? "")
      else this.fail()
    }
  }

  private escape(): string {
    const code = this.match(/\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,5}\})/uy)
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code.replaceAll(/[^0-9a-fA-F]/gu, ""), 16))
    const next = this.source[this.at + 1] ?? this.fail()
    if (next === "x" || next === "u") this.fail()
    this.at += 2
    return next === "\n" ? "" : (escapes[next] ?? next)
  }

  /** `(a, b) => ...`, `a => ...` or `function name(a, b) { return ... }`, any of them `async`. */
  private lambda(): Node | undefined {
    return this.attempt(() => {
      this.takeWord("async")
      const classic = this.takeWord("function")
      if (classic) this.name()
      const parameters = this.parameters(classic)
      if (parameters === undefined) return undefined
      if (!classic && !this.take("=>")) return undefined
      return { _tag: "Lambda", parameters, body: this.block() ?? (classic ? this.fail() : this.expression()) } as const
    })
  }

  private parameters(classic: boolean): ReadonlyArray<Parameter> | undefined {
    if (!this.take("(")) {
      const single = classic ? undefined : this.name()
      return single === undefined || words.has(single) || notNames.has(single) ? undefined : [single]
    }
    return this.names(")", () => (this.take("{") ? this.names("}", () => this.name()) : this.name()))
  }

  /** What `read` reads, with commas between, up to `end`; nothing when it is something else. */
  private names<A>(end: string, read: () => A | undefined): ReadonlyArray<A> | undefined {
    const found: Array<A> = []
    while (!this.take(end)) {
      const one = read()
      if (one === undefined) return undefined
      found.push(one)
      if (!this.take(",")) return this.take(end) ? found : undefined
    }
    return found
  }

  private block(): Node | undefined {
    if (!this.take("{")) return undefined
    let node: Node = undefinedNode
    if (this.takeWord("return") && !this.take(";")) {
      node = this.expression()
      this.take(";")
    }
    this.need("}")
    return node
  }
}

/** Reads an expression or throws `Unreadable`; takes time in proportion to its length. */
export const parse = (source: string): Node => {
  if (source.length > longestSource) throw new Unreadable(source, longestSource)
  return new Reader(source).program()
}
