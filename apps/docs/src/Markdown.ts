/** Escapes the parts of Markdown that Vue would take for markup, outside of code. */
export const prose = (text: string): string =>
  text
    .split(/(```[\s\S]*?```|`[^`]*`)/u)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part
            .replaceAll(
              /\{@link ([\w.#]+)(?:\s*\|\s*([^}]+))?\}/gu,
              (_, name: string, label?: string) => `\`${label ?? name}\``
            )
            .replaceAll("<", "&lt;")
            .replaceAll("{{", "&#123;&#123;")
    )
    .join("")

/** A cell of a table. */
export const cell = (text: string): string => prose(text).replaceAll("|", "\\|").replaceAll("\n", " ")

/** A table, or no lines if it has no rows. */
export const table = (
  heads: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string> =>
  rows.length === 0
    ? []
    : [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).concat("")

export const code = (language: string, text: string): ReadonlyArray<string> => [`\`\`\`${language}`, text, "```", ""]
