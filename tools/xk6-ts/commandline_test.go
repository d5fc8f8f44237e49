package ts

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const hello = `
	import { name } from "./name"
	const text = open("./hello.txt")
	export default () => console.log("result", text, name, __ENV.WHO, __VU)`

func helloProject(t *testing.T) project {
	t.Helper()
	return newProject(t, map[string]string{
		"load/main.ts": hello, "load/name.ts": `export const name = "you"`, "load/hello.txt": "hello"})
}

func TestFlagsBeforeAndAfterTheScript(t *testing.T) {
	p := helloProject(t)
	p.k6("run", "--iterations", "2", "-e", "WHO=before", "load/main.ts").exits(0).says("result hello you before")
	p.k6("run", "load/main.ts", "--iterations=2", "-e", "WHO=after", "--quiet").exits(0).says("result hello you after")
	p.k6("-v", "run", "-e", "WHO=load/name.ts", "./load/../load/main.ts").exits(0).says("hello you load/name.ts")
	p.k6("run", filepath.Join(p.root, "load", "main.ts")).exits(0).says("result hello you undefined")
}

func TestNothingIsWrittenAndReadOnlyDirectoriesDo(t *testing.T) {
	p := helloProject(t)
	load := filepath.Join(p.root, "load")
	if err := os.Chmod(load, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(load, 0o755) })

	p.k6("run", "load/main.ts").exits(0).says("result hello you")
	if entries, err := os.ReadDir(load); err != nil || len(entries) != 3 {
		t.Errorf("the script's directory holds %v, %v", entries, err)
	}
}

func TestJavaScriptEntriesAreLeftToK6(t *testing.T) {
	p := newProject(t, map[string]string{
		"main.js": `
			import { counter } from "./counter.ts"
			import { increment } from "./increment.ts"
			export default () => { increment(); console.log("result", counter.value) }`,
		"increment.ts": `import { counter } from "./counter.ts"; export const increment = (): void => { counter.value++ }`,
		"counter.ts":   `export const counter: { value: number } = { value: 1 } // one for both, so not bundled into each`,
		"wants.js":     `import "somewhere"; export default () => {}`,
		"broken.ts":    `import "somewhere"; export default () => {}`,
	})
	p.k6("run", "main.js").exits(0).says("result 2")
	p.k6("run", "wants.js").exits(107).doesNotSay("does not bundle")
	p.k6("run", "broken.ts").exits(107).says("does not bundle")
}

func TestSwitchedOff(t *testing.T) {
	p := helloProject(t)
	p.k6("XK6_TS=false", "run", "load/main.ts").exits(107).says("./name").doesNotSay("result")
	p.k6("XK6_TS=true", "run", "load/main.ts").exits(0).says("result")
}

func TestArchiveRunsInAnyK6(t *testing.T) {
	p := helloProject(t)
	p.k6("archive", "load/main.ts", "-O", "test.tar").exits(0)
	if err := os.RemoveAll(filepath.Join(p.root, "load")); err != nil {
		t.Fatal(err)
	}
	p.k6("XK6_TS=false", "run", "test.tar").exits(0).says("result hello you")
}

func TestInspect(t *testing.T) {
	p := newProject(t, map[string]string{
		"main.ts": `import { vus } from "./vus"; export const options = { vus }; export default () => {}`,
		"vus.ts":  `export const vus: number = 7`,
	})
	if got := p.k6("inspect", "main.ts").exits(0); !strings.Contains(got.stdout, `"vus": 7`) {
		t.Errorf("inspect printed:\n%s", got.stdout)
	}
}

func TestPrintedBundleRunsInAnyK6(t *testing.T) {
	p := helloProject(t)
	p.write("load/main.js", p.k6("x", "ts", "load/main.ts").exits(0).stdout)
	p.k6("XK6_TS=false", "run", "load/main.js").exits(0).says("result hello you").doesNotSay("source map")
	p.k6("x", "ts", "load/none.ts").exits(107).says("none.ts")
	p.k6("x", "ts").exits(255).says("accepts 1 arg(s)")
}

// A server on this machine stands in for the cloud and refuses; what it is asked came out of the bundle.
func TestCloud(t *testing.T) {
	asked := make(chan string, 100)
	cloud := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked <- string(body)
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(cloud.Close)
	p := newProject(t, map[string]string{
		"main.ts":   `import { vus } from "./vus"; export const options = { vus, iterations: vus }; export default () => {}`,
		"vus.ts":    `export const vus: number = 7`,
		"broken.ts": `import { vus } from "nowhere"; export default () => vus`,
	})
	environment := []string{"K6_CLOUD_TOKEN=none", "K6_CLOUD_STACK_ID=1", "K6_CLOUD_PROJECT_ID=1",
		"K6_CLOUD_HOST=" + cloud.URL, "K6_CLOUD_HOST_V6=" + cloud.URL}
	for _, args := range [][]string{{"main.ts"}, {"main.ts", "--quiet"}, {"--quiet", "main.ts"}} {
		if got := p.k6(slices.Concat(environment, []string{"cloud", "run"}, args)...); got.exitCode == 0 {
			t.Error("k6 took a refusal for an answer")
		}
		if body := <-asked; !strings.Contains(body, `"vus":7`) {
			t.Errorf("the cloud was asked about %s", body)
		}
	}
	p.k6(slices.Concat(environment, []string{"cloud", "run", "broken.ts"})...).
		exits(107).says(`Could not resolve "nowhere"`)
}

func TestStandardInputIsLeftToK6(t *testing.T) {
	p := newProject(t, nil)
	p.stdin = `const who: string = "stdin"; export default () => console.log("result", who)`
	p.k6("run", "-").exits(0).says("result stdin")
	p.stdin = `import "./name"; export default () => {}`
	p.k6("run", "-").exits(107).doesNotSay("does not bundle")
}
