/** Saves texts or bytes, one after another, as a file of the user. */
export const download = (name: string, type: string, ...content: ReadonlyArray<BlobPart>): void => {
  const address = URL.createObjectURL(new Blob([...content], { type }))
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  // the browser has taken the file over by then
  window.setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
