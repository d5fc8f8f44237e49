import * as Redact from "@webagent/core/Redact"

/** Takes a key out of text, however it is escaped there, also as a Basic header has it. */
export const redactor = (key: string): ((text: string) => string) => {
  const plain = Redact.make(key, "<key>")
  const basic = Redact.make(Buffer.from(key).toString("base64"), "<key>")
  return (text) => basic(plain(text))
}
