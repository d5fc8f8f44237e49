const range = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

const form = range(40)
  .map((at) => `<p><label>Field ${at} <input name=field${at} value="value ${at}"></label></p>`)
  .join("")

const cards = range(60)
  .map(
    (at) =>
      `<article style="display:inline-block;width:280px;margin:8px;border:1px solid #ccc"><img alt="Picture of product ${at}" width=240 height=120 src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><h3>Product ${at}</h3><p>A thing of use that costs ${at} EUR.</p><p><a href="/product/${at}">Details</a> <button>Add to cart</button></p></article>`
  )
  .join("")

const table = `<table>${range(1000)
  .map((at) => `<tr><td>${at}</td><td>Name ${at}</td><td>${at * 7} EUR</td><td><a href="/row/${at}">Open</a></td></tr>`)
  .join("")}</table>`

const huge = range(10_000)
  .map((at) => `<div><span>Line ${at}</span><b>of many</b></div>`)
  .join("")

/** Pages to look at, from small to 40,000 nodes. */
export const pages: ReadonlyArray<{ readonly name: string; readonly body: string }> = [
  { name: "form of 40 fields", body: form },
  { name: "shop of 60 cards", body: cards },
  { name: "table of 1,000 rows", body: table },
  { name: "40,000 nodes", body: huge }
]
