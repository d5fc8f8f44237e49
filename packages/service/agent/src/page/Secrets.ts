import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { type DomainPattern, isOn } from "./AllowedDomains.ts"
import { words } from "./world/Words.ts"

/** A value that the agent may type without the model seeing it. */
export interface Secret {
  readonly name: string
  readonly value: Redacted.Redacted<string>
  /** The sites on which it may be typed. */
  readonly domains: ReadonlyArray<DomainPattern>
  /** Sites to which a run restricts it further. */
  readonly within?: ReadonlyArray<DomainPattern>
  /** False for a secret of an earlier run: it can't be typed, and pages may still show it. */
  readonly isUsable?: boolean
}

/** Returns whether a site is one on which the secret may be typed. */
const isFor = ({ domains, within }: Secret, site: string) =>
  isOn(site, domains) && (within === undefined || isOn(site, within))

/** The secrets of a task. */
export interface Secrets {
  readonly names: ReadonlyArray<string>
  /** The text with its placeholders, such as `<secret:password>`, replaced for a site; a failure says why it is not. */
  readonly reveal: (
    text: string,
    site: string
  ) => Result.Result<{ readonly text: string; readonly isSecret: boolean }, string>
  /** The text with each value, also as it is written in addresses or cut at its end, replaced by its placeholder. */
  readonly redact: (text: string) => string
  /** Returns whether a secret may be typed on a site, which may then show it. */
  readonly mayBeOn: (site: string) => boolean
  /** Returns whether a value appears in a text, even in parts with spaces between them. */
  readonly shows: (text: string) => boolean
}

const placeholder = /<secret:([\w.-]+)>/gu

/** The text without spaces and invisible marks. */
const squeezed = (text: string) => text.replaceAll(/[\s\u200b\u2060-\u2064\ufeff\u00ad]+/gu, "")

/** The length of the pieces by which a long value is recognized, because a page's text may be cut inside the value. */
const piece_length = 16
const long_length = 50

const pieces = (value: string) =>
  value.length < long_length
    ? []
    : Array.from({ length: Math.floor(value.length / piece_length) }, (_, at) =>
        value.slice(at * piece_length, (at + 1) * piece_length)
      )

/**
 * The mark of a cut text, and the shortest prefix of a value that is hidden before it. A shorter one is part of too
 * many words.
 */
const cutMark = "…"
const start_least = 4

/** Returns the index at which the end of a text begins to match the beginning of a value, or -1. */
const startIn = (text: string, form: string): number => {
  const least = form.slice(0, start_least)
  let at = text.indexOf(least, Math.max(0, text.length - form.length))
  while (at >= 0 && !form.startsWith(text.slice(at))) at = text.indexOf(least, at + 1)
  return at
}

/** Returns the length of the beginning of a text that is the end of a value, or 0. */
const endIn = (text: string, form: string): number => {
  const least = form.slice(-start_least)
  let at = text.slice(0, form.length).lastIndexOf(least)
  while (at >= 0 && !form.endsWith(text.slice(0, at + least.length))) at = text.lastIndexOf(least, at - 1)
  return at < 0 || form.length < start_least ? 0 : at + least.length
}

// a look writes what is in a page so that it cannot look like a numbered element, or end a name
const { plain } = words()
const asRead = (text: string) => [text, text.replaceAll(/\[(?=\d+ [a-z])/gu, "[ "), plain(text)]
const asQuoted = (text: string) => [text, text.replaceAll('"', "'")]

/**
 * Finds a text also where it is in an address. Which characters are escaped there differs by who writes it: a script, a
 * form, the browser itself or a site that redirects. In a text that is squeezed, its own spaces are gone.
 */
const patternOf = (text: string, isSqueezed = false): RegExp => {
  const each = Array.from(text, (character) => {
    const bytes = Buffer.from(character).toString("hex").replaceAll(/../gu, "%$&")
    const escaped = bytes.replaceAll(/[a-f]/gu, (digit) => `[${digit}${digit.toUpperCase()}]`)
    const literal = `\\u{${character.codePointAt(0)?.toString(16)}}`
    const either = `(?:${escaped}|${literal}${character === " " ? String.raw`|\+` : ""})`
    return isSqueezed && squeezed(character) === "" ? `${either}?` : either
  })
  return new RegExp(each.join(""), "gu")
}

/** Returns whether a text may contain escapes, because searching for patterns takes longer. */
const mayBeEscaped = (text: string) => /[%+]/u.test(text)

/** Returns the forms in which a value may be written: on a page, in an address, in JSON. */
const formsOf = (value: string) => {
  const well = value.toWellFormed()
  const texts = [value, value.replaceAll(/\s+/gu, " ").trim(), ...pieces(value)].flatMap(asRead).flatMap(asQuoted)
  return new Set([
    ...texts,
    encodeURIComponent(well),
    new URLSearchParams([["", well]]).toString().slice(1),
    JSON.stringify(value).slice(1, -1)
  ])
}

export const make = (secrets: ReadonlyArray<Secret>): Secrets => {
  const byName = new Map(secrets.map((secret) => [secret.name, secret]))
  const written = secrets
    .flatMap(({ name, value }) =>
      Array.from(formsOf(Redacted.value(value)), (form) => ({ form, shown: `<secret:${name}>` }))
    )
    .filter(({ form }) => form !== "")
    .map((one) => ({ ...one, pattern: patternOf(one.form), tight: patternOf(one.form, true) }))
    // a value that contains another is replaced first
    .toSorted((one, two) => two.form.length - one.form.length)

  /** Hides the beginning of a value at the end of a text. */
  const hideStart = (text: string): string => {
    const cuts = written.flatMap(({ form, shown }) => {
      const at = startIn(text, form)
      return at < 0 ? [] : [{ at, shown }]
    })
    const [first] = cuts.toSorted((one, two) => one.at - two.at)
    return first === undefined ? text : `${text.slice(0, first.at)}${first.shown}`
  }

  /** Hides the end of a value at the beginning of a text. */
  const hideEnd = (text: string): string => {
    const ends = written.map(({ form, shown }) => ({ length: endIn(text, form), shown }))
    const [first] = ends.toSorted((one, two) => two.length - one.length)
    return first === undefined || first.length === 0 ? text : `${first.shown}${text.slice(first.length)}`
  }

  /** Hides what is left of values at the marks of cuts. */
  const hideAtCuts = (text: string): string => {
    const parts = text.split(cutMark)
    const last = parts.length - 1
    return parts
      .map((part, index) => (index === last ? part : hideStart(part)))
      .map((part, index) => (index === 0 ? part : hideEnd(part)))
      .join(cutMark)
  }

  return {
    names: secrets.map(({ name }) => name),
    reveal: (text, site) => {
      const used = Array.from(text.matchAll(placeholder), ([, name = ""]) => name)
      for (const name of used) {
        const secret = byName.get(name)
        if (secret === undefined || secret.isUsable === false)
          return Result.fail(`There is no secret ${JSON.stringify(name)}.`)
        if (!isFor(secret, site)) {
          return Result.fail(`The secret ${JSON.stringify(name)} may not be typed on ${site}.`)
        }
      }
      const revealed = text.replace(placeholder, (whole, name: string) => {
        const secret = byName.get(name)
        return secret === undefined ? whole : Redacted.value(secret.value)
      })
      return Result.succeed({ text: revealed, isSecret: used.length > 0 })
    },
    redact: (text) => {
      const isEscaped = mayBeEscaped(text)
      return written.reduce(
        (so, { form, pattern, shown }) => so.replaceAll(isEscaped ? pattern : form, shown),
        hideAtCuts(text)
      )
    },
    mayBeOn: (site) => secrets.some((secret) => isFor(secret, site)),
    shows: (text) => {
      const tight = squeezed(text)
      return written.some((one) => tight.search(one.tight) >= 0)
    }
  }
}
