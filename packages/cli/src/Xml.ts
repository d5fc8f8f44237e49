const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

// XML 1.0 has no way to write most control characters, half surrogates and two non-characters
const unwritable = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

/** Text as it may stand in an element. */
export const escape = (text: string): string =>
  text.replaceAll(unwritable, "\uFFFD").replaceAll(/[&<>"]/gu, (character) => entities[character] ?? character)

/** An element with its attributes; its content is XML already. */
export const element = (
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content: ReadonlyArray<string>
) => {
  const head = `<${name}${Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escape(String(value)).replaceAll("\n", "&#10;")}"`)
    .join("")}`
  return content.length === 0 ? `${head}/>` : `${head}>${content.join("")}</${name}>`
}
