package ts

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTypesAndRelativeImports(t *testing.T) {
	newProject(t, map[string]string{
		"main.ts": `
			import { check } from "k6"
			import data from "./data.json"
			import { Colour, type Shape } from "./lib/shape"
			import { area } from "./lib/area.ts"
			const square: Shape = { side: 3 as number, colour: Colour.Red }
			export default (): void => {
				check(square, { "k6's own modules are there": (s) => s.side === 3 })
				console.log("result", area(square), square.colour, data.answer satisfies number)
			}`,
		"data.json":    `{ "answer": 42 }`,
		"lib/shape.ts": `export enum Colour { Red = "red" }; export interface Shape { side: number; colour: Colour }`,
		"lib/area.ts":  `import type { Shape } from "./shape"; export const area = (shape: Shape) => shape.side ** 2`,
	}).k6("run", "main.ts").exits(0).says("result 9 red 42")
}

func TestNpmPackages(t *testing.T) {
	newProject(t, map[string]string{
		"main.ts": `
			import common from "common"
			import { modern } from "modern/deep"
			import { older } from "older"
			export default () => console.log("result", common(), modern, older)`,
		"node_modules/older/package.json":   `{ "main": "c.js", "module": "m.js" }`,
		"node_modules/older/m.js":           `export const older = "module"`,
		"node_modules/older/c.js":           `exports.older = "main"`,
		"node_modules/common/package.json":  `{ "main": "lib/common.js" }`,
		"node_modules/common/lib/common.js": `module.exports = () => process.env.NODE_ENV`,
		"node_modules/modern/package.json":  `{ "type": "module", "exports": { "./deep": { "import": "./m.js", "require": "./c.js" } } }`,
		"node_modules/modern/m.js":          `export const modern = "esm"`,
		"node_modules/modern/c.js":          `exports.modern = "cjs"`,
	}).k6("run", "main.ts").exits(0).says("result production esm module")
}

func TestModulesOfBothKindsInOnePackage(t *testing.T) {
	newProject(t, map[string]string{
		"main.ts":                         `import { both } from "mixed"; export default () => console.log("result", both)`,
		"node_modules/mixed/package.json": `{ "type": "module", "exports": "./index.js" }`,
		"node_modules/mixed/index.js":     `import older from "./older.cjs"; export const both = "esm " + older.name`,
		"node_modules/mixed/older.cjs":    `const { name } = require("./oldest.cjs"); module.exports = { name, esm: () => require("./index.js") }`,
		"node_modules/mixed/oldest.cjs":   `exports.name = "cjs"`,
	}).k6("run", "main.ts").exits(0).says("result esm cjs")
}

// The schemas of the contract are records with other fields, the kind that needs most of an engine.
func TestEffectSchema(t *testing.T) {
	effect, err := filepath.Abs(filepath.Join("..", "..", "node_modules", "effect"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(effect); err != nil {
		t.Skip("effect is not installed: " + err.Error())
	}
	p := newProject(t, map[string]string{"main.ts": `
		import * as Schema from "effect/Schema"
		const Run = Schema.StructWithRest(
			Schema.Struct({ id: Schema.String, cost: Schema.optionalKey(Schema.NullOr(Schema.Number)) }),
			[Schema.Record(Schema.String, Schema.Unknown)])
		const decode = Schema.decodeUnknownSync(Run)
		export default () => {
			console.log("result", JSON.stringify(decode({ id: "r", cost: null, more: [1] })))
			try { decode({ id: 7 }) } catch (error) { console.log(String(error)) }
		}`,
	})
	p.link(effect, "node_modules/effect")
	p.k6("run", "main.ts").exits(0).
		says(`result {\"id\":\"r\",\"cost\":null,\"more\":[1]}`, `SchemaError(Expected string`)
}

func TestWorkspacePackages(t *testing.T) {
	p := newProject(t, map[string]string{
		"apps/load/main.ts": `
			import { from } from "@acme/contract/Wire"
			export default () => console.log("result", from)`,
		"packages/contract/package.json": `{ "exports": { "./Wire": {
			"@webagent/source": "./src/Wire.ts", "@acme/source": "./src/Other.ts", "default": "./dist/Wire.js" } } }`,
		"packages/contract/src/Wire.ts":  `export const from: string = "source"`,
		"packages/contract/src/Other.ts": `export const from: string = "other"`,
		"packages/contract/dist/Wire.js": `export const from = "dist"`,
	})
	p.link("../../../packages/contract", "apps/load/node_modules/@acme/contract")
	p.link("../../packages/contract", "node_modules/@acme/contract")

	p.k6("run", "apps/load/main.ts").exits(0).says("result source")
	p.k6("XK6_TS_CONDITIONS=nothing, @acme/source", "run", "apps/load/main.ts").exits(0).says("result other")
	p.k6("XK6_TS_CONDITIONS=", "run", "apps/load/main.ts").exits(0).says("result dist")
}

// The engine panics on some of these, and gets others wrong.
func TestArgumentsOfTheFunctionAroundAnArrow(t *testing.T) {
	newProject(t, map[string]string{"main.ts": `
		const call = <A>(f: () => A): A => f()
		const count = function (..._: ReadonlyArray<unknown>) { return call(() => arguments.length) }
		const sum = function* (a: number, b: number) { yield a + b }
		const wrap = (body: Function) => function (this: unknown, ..._: ReadonlyArray<unknown>) {
			return call(() => body.apply(this, arguments))
		}
		const later = function (..._: ReadonlyArray<unknown>) { return call(async () => arguments.length) }
		class Named { name = "n"; get = () => call(() => this.name) }
		export default async () =>
			console.log("result", count(1, 2), wrap(sum)(1, 2).next().value, await later(1, 2, 3), new Named().get())`,
	}).k6("run", "main.ts").exits(0).says("result 2 3 3 n")
}

func TestSyntaxThatTheEngineLacks(t *testing.T) {
	newProject(t, map[string]string{"main.ts": `
		class Fields { set = 1; get = 2; async = 3; #hidden = 4; has = (o: object) => #hidden in o }
		async function* count() { yield 1; yield 2 }
		const start = await Promise.resolve(10)
		export default async () => {
			let sum = start
			for await (const n of count()) sum += n
			const fields = new Fields()
			console.log("result", sum, fields.set, fields.get, fields.async, fields.has(fields))
		}`,
	}).k6("run", "main.ts").exits(0).says("result 13 1 2 3 true")
}
