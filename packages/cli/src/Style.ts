/** Styles of words in a terminal. Every style also has a word or a sign, so that no meaning depends on color alone. */
export interface Style {
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly warning: (text: string) => string
  readonly faint: (text: string) => string
  readonly strong: (text: string) => string
}

const ansi = (code: number) => (text: string) => `\u001B[${code}m${text}\u001B[0m`
const as = (text: string) => text

/** No marks at all: pipes, CI, NO_COLOR. */
export const plain: Style = { good: as, bad: as, warning: as, faint: as, strong: as }

/** The sixteen colours that every terminal has. */
export const coloured: Style = { good: ansi(32), bad: ansi(31), warning: ansi(33), faint: ansi(2), strong: ansi(1) }
