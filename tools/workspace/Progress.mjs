/**
 * What `npm test` prints while it runs: a line for whatever ends, failures at once, and what still runs. On a terminal
 * the last line is rewritten; elsewhere a line is printed when there was none for 15 seconds.
 */
const silence_ms = 15_000

/** `75.4` seconds as `1 min 15 s`, `9.4` as `9.4 s`. */
export const duration = (seconds) => {
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)} min ${whole % 60} s`
}

const count = (number, word) => (number === 0 ? [] : [`${number} ${word}`])

export class Progress {
  #stream
  #now
  #start
  #printed_ms
  #timer
  #status = ""
  #running = new Map()
  #left = 0

  /**
   * `stream` is where lines go; `now` answers with milliseconds.
   *
   * @param {{
   *   env?: Record<string, string | undefined>,
   *   now?: () => number,
   *   stream?: { isTTY?: boolean, columns?: number, write: (text: string) => unknown }
   * }} [options]
   */
  constructor({ env = process.env, now = () => performance.now(), stream = process.stdout } = {}) {
    this.#stream = stream
    this.#now = now
    this.#start = this.#printed_ms = now()
    this.rewrites = stream.isTTY === true && !env.CI && env.TERM !== "dumb"
    this.colours = stream.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb"
  }

  /** Begins to say what runs, until `stop`. */
  watch() {
    this.#timer = setInterval(() => this.tick(), this.rewrites ? 1000 : silence_ms / 5)
  }

  stop() {
    clearInterval(this.#timer)
    this.#write("")
  }

  /** Seconds since the start. */
  get elapsed() {
    return (this.#now() - this.#start) / 1000
  }

  /** How many are to come that have not started. */
  expect(left) {
    this.#left = left
  }

  started(name) {
    if (!this.#running.has(name)) this.#running.set(name, this.#now())
  }

  /**
   * A line for what ended.
   *
   * @param {string} name
   * @param {{ ok: boolean, cached?: boolean, text?: string, counts?: { passed: number, failed: number, skipped: number } }} end
   */
  ended(name, { cached = false, counts, ok, text }) {
    const from = this.#running.get(name)
    this.#running.delete(name)
    const words =
      counts === undefined
        ? []
        : [`${counts.passed} passed`, ...count(counts.failed, "failed"), ...count(counts.skipped, "skipped")]
    const time = cached ? ["cached"] : from === undefined ? [] : [duration((this.#now() - from) / 1000)]
    const [mark, colour] = ok ? ["ok", 32] : ["FAILED", 31]
    const said = [...words, ...(text === undefined ? [] : [text]), ...time].join(", ")
    this.line(`${this.#coloured(mark.padEnd(6), colour)}  ${name.padEnd(28)} ${said}`)
  }

  /** A failure in full. */
  failure(name, { file, test, why }) {
    const where = [name, file, test].filter(Boolean).join(" > ")
    const indented = why.split("\n").map((line) => `    ${line}`.trimEnd())
    this.line([`${this.#coloured("FAILED", 31)}  ${where}`, ...indented].join("\n"))
  }

  line(text) {
    this.#write(`${text}\n`)
  }

  /** Says what runs: on a terminal each time, elsewhere after a silence. */
  tick() {
    if (this.#running.size === 0 && this.#left === 0) return
    const running = [...this.#running].map(([name, from]) => `${name} ${duration((this.#now() - from) / 1000)}`)
    const parts = [...(running.length === 0 ? [] : [`running ${running.join(", ")}`]), ...count(this.#left, "waiting")]
    const text = `${duration(this.elapsed)}: ${parts.join(", ")}`
    if (!this.rewrites) {
      if (this.#now() - this.#printed_ms >= silence_ms) this.line(`        ${text}`)
      return
    }
    const width = this.#stream.columns ?? 80
    this.#write("", text.length < width ? text : `${text.slice(0, width - 4)}...`)
  }

  /** Replaces the status line by `text`, and shows the status below it again. */
  #write(text, status = this.rewrites && text !== "" ? this.#status : "") {
    if (text === "" && status === "" && this.#status === "") return
    this.#stream.write(`${this.#status === "" ? "" : "\r\x1b[2K"}${text}${status}`)
    this.#status = status
    this.#printed_ms = this.#now()
  }

  #coloured(text, colour) {
    return this.colours ? `\x1b[${colour}m${text}\x1b[39m` : text
  }
}
