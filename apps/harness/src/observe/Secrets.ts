/** Every way in which a key may be written down: as it is, in an address, in JSON, in a Basic header. */
export const formsOf = (key: string): ReadonlyArray<string> =>
  Array.from(
    new Set([key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1), Buffer.from(key).toString("base64")])
  ).filter((form) => form !== "")

/** Takes a key out of text, however it is written there. */
export const redactor = (key: string): ((text: string) => string) => {
  // the longest first: one may be a part of another
  const forms = formsOf(key).toSorted((a, b) => b.length - a.length)
  return (text) => forms.reduce((rest, form) => (rest.includes(form) ? rest.replaceAll(form, "<key>") : rest), text)
}
