// characters that change the direction of text, or that can't be seen
const unseen =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu

/** Makes invisible characters visible and shortens the text, never in the middle of a character. */
export const shown = (text: string, max: number): { readonly text: string; readonly isCut: boolean } => {
  const isCut = text.length > max
  const part = isCut ? text.slice(0, max).replace(/[\ud800-\udbff]$/u, "") : text
  return { text: `${part.replace(unseen, "\u{fffd}")}${isCut ? "…" : ""}`, isCut }
}
