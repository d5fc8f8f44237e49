import * as Option from "effect/Option"
import * as Result from "effect/Result"

/** The most languages that a browser announces: each request to a page repeats them. */
const most = 10

/**
 * Reads the languages of a browser, the preferred one first, as BCP 47 tags in their canonical spelling.
 *
 * @returns none for a tag that isn't one, for an empty list and for more than 10 tags
 * @example Languages.read(["de-de", "en"]) // ["de-DE", "en"]
 */
export const read = (tags: ReadonlyArray<string>): Option.Option<ReadonlyArray<string>> =>
  tags.length === 0 || tags.length > most
    ? Option.none()
    : Result.getSuccess(Result.try(() => Intl.getCanonicalLocales([...tags])))
