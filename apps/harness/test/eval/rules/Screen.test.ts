import { assert, it } from "vitest"
import { all, boxOf, colourOf, named, read } from "./Screen.ts"

const page = `<page-1>
URL: http://127.0.0.1/miniwob/any.html
Title: Any

Drag the circle.
*[7 svg svg 150x130 at 2,52] (circle rgb(255,0,0) 20x20 at 60,40) [8 textbox "Name" = "Ada" focused]
[9 select ".options" = "Red" of Red | Blue] [10 button "Submit"]
[11 canvas ".click-canvas" rgb(255,255,255) 160x210 at 165,0]
Last reward: -
</page-1>`

it("Screen reads elements, shapes and their places, without MiniWoB++'s own display next to a task", () => {
  const screen = read(page, "Clicked.")
  assert.deepStrictEqual(
    screen.elements.map(({ name, role, value }) => [role, name, value].join(" ").trim()),
    ["svg svg", "circle", "textbox Name Ada", "select .options Red", "button Submit"]
  )
  assert.strictEqual(named(screen, "Submit").number, 10)
  const [circle] = all(screen, "circle")
  assert.deepStrictEqual(circle && boxOf(circle), { x: 70, y: 50, width: 20, height: 20 })
  assert.deepStrictEqual(circle && colourOf(circle), [255, 0, 0])
  assert.strictEqual(screen.lines[0], "Drag the circle.")
  assert.notInclude(screen.lines.join("\n"), "reward")
})

it("Screen reports a missing element that a rule looks for", () => {
  assert.throws(() => named(read(page, ""), "Cancel"), "nothing is named Cancel")
})
