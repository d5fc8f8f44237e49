package ts

import (
	"errors"
	"strings"
	"testing"
)

const failing = `import { fail } from "./lib/fail"

interface Nothing {}

export default () => fail()
`

const thrower = `type Never = never

export function fail(): Never {
  throw new Error("on purpose")
}
`

func TestStackTracesPointIntoTheTypeScript(t *testing.T) {
	p := newProject(t, map[string]string{"load/main.ts": failing, "load/lib/fail.ts": thrower})
	p.k6("run", "load/main.ts").says("on purpose", "load/lib/fail.ts:4:8", "load/main.ts:5:26")
	p.k6("XK6_TS_SOURCEMAP=false", "run", "load/main.ts").says("on purpose", "load/main.ts:").doesNotSay("lib/fail.ts")
}

func TestScriptThatDoesNotBundle(t *testing.T) {
	p := newProject(t, map[string]string{
		"load/syntax.ts": "import './lib'\nexport default () => {}",
		"load/lib.ts":    "const ok = 1\nconst a: = 3\n",
		"load/import.ts": "import { a } from 'nowhere'\nconsole.log('ran', a)\nexport default () => {}",
	})
	p.k6("run", "--no-color", "load/syntax.ts").exits(107).
		says("load/lib.ts:2:9:", "2 │ const a: = 3", "load/syntax.ts does not bundle: 1 error")
	for _, command := range []string{"run", "archive", "inspect"} {
		p.k6(command, "load/import.ts").exits(107).
			says(`Could not resolve "nowhere"`, "load/import.ts:1:18:").doesNotSay("ran")
	}
	p.k6("run", "load/none.ts").exits(255).says("none.ts", "couldn't be found on local disk")
}

func TestModulesOfNodeAreMissingAndNotSuggested(t *testing.T) {
	p := newProject(t, map[string]string{
		"main.ts":                          "import read from 'reader'\nexport default () => read()",
		"node_modules/reader/index.js":     `module.exports = () => require("node:fs").readFileSync("x")`,
		"node_modules/reader/package.json": `{ "main": "index.js" }`,
	})
	p.k6("run", "main.ts").exits(107).
		says(`Could not resolve "node:fs"`, "node_modules/reader/index.js:1:", "k6 is not Node.js").doesNotSay("PlatformNode")
}

func TestScriptThatIsEmptyOrHasOnlyTypes(t *testing.T) {
	p := newProject(t, map[string]string{"empty.ts": "", "types.ts": "export interface Nothing {}\n"})
	for _, script := range []string{"empty.ts", "types.ts"} {
		p.k6("run", script).says("no exported functions in script").doesNotSay("source map")
	}
}

func TestWarningsAreShownAndTheScriptRuns(t *testing.T) {
	newProject(t, map[string]string{"main.ts": "export default () => console.log('result', typeof __VU === 'nonsense')"}).
		k6("run", "main.ts").exits(0).says("[WARNING]", "main.ts:1:", "result false")
}

func TestSyntaxThatTheEngineCannotReadIsAnError(t *testing.T) {
	out := bundled{code: []byte("class A { set = 1 }\nexport default function () {}\n")}
	_, err := out.check("/project", "/project/load/main.ts")
	var failure bundleError
	if !errors.As(err, &failure) || len(failure.messages) == 0 {
		t.Fatalf("got %v", err)
	}
	first := failure.messages[0]
	if first.Location.File != "load/main.ts" || first.Location.Line != 1 || !strings.Contains(first.Text, "cannot read") {
		t.Errorf("got %q at %+v", first.Text, first.Location)
	}
	if _, err := (bundled{code: []byte("export default function () {}")}).check("/", "/main.ts"); err != nil {
		t.Errorf("got %v", err)
	}
}
