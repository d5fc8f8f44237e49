import * as Duration from "effect/Duration"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Span from "./Span.ts"

/** A flag that is undefined if it isn't given. */
export const optional = <A>(flag: Flag.Flag<A>, description: string): Flag.Flag<A | undefined> =>
  flag.pipe(Flag.withDescription(description), Flag.optional, Flag.map(Option.getOrUndefined))

/** A text; undefined if it isn't given. */
export const text = (name: string, description: string) => optional(Flag.String(name), description)

/** A text that may be given several times. */
export const texts = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.atLeast(0))

/** A flag that is true if it is present and false by default. */
export const switched = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** Accepts numbers that are at least `least`. */
export const atLeast = (least: number) =>
  Flag.filter(
    (value: number) => value >= least,
    () => `${least} or more`
  )

/** Accepts port numbers. */
export const isPort = Flag.filter(
  (port: number) => port >= 0 && port <= 65_535,
  () => "a port from 0 to 65535"
)

/** Accepts texts that aren't blank. */
export const isNotBlank = Flag.filter(
  (key: string) => key.trim() !== "",
  () => "a key that is not empty"
)

/** An integer that is at least `least`. */
export const integer = (name: string, least: number) => Flag.Int(name).pipe(atLeast(least))

/** An integer that is at least `least`; undefined if it isn't given. */
export const count = (name: string, least: number, description: string) => optional(integer(name, least), description)

/** `--port`; any free one by default. */
export const port = (description: string) =>
  Flag.Int("port").pipe(isPort, Flag.withDescription(`${description} (default: 0, any free port)`), Flag.withDefault(0))

/** A time above zero, such as `30s`. */
export const time = (name: string) =>
  Flag.String(name).pipe(
    Flag.filterMap(
      (text) => Option.filter(Span.parse(text), Duration.isPositive),
      () => "a time such as 500ms, 30s or 5m"
    )
  )

/** A time; undefined if it isn't given. */
export const duration = (name: string, description: string) => optional(time(name), description)

/** `--api-key`, or another flag for keys, which may be given several times. */
export const apiKeys = (description: string, name = "api-key") =>
  Flag.String(name).pipe(Flag.withDescription(description), isNotBlank, Flag.atLeast(0))
