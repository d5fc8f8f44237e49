package ts

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	k6cmd "go.k6.io/k6/v2/cmd"
)

const asK6 = "XK6_TS_TEST_AS_K6"

// TestMain lets this test binary be the k6 under test too: a real one, in a process of its own, with nothing to build.
func TestMain(m *testing.M) {
	if os.Getenv(asK6) != "" {
		k6cmd.Execute()
		return
	}
	os.Exit(m.Run())
}

// project is a directory of files, written for one test.
type project struct {
	t     *testing.T
	root  string
	stdin string
}

func newProject(t *testing.T, files map[string]string) project {
	t.Helper()
	t.Parallel()
	// A space, because paths become URLs on their way through k6.
	p := project{t: t, root: filepath.Join(t.TempDir(), "load tests")}
	if err := os.MkdirAll(p.root, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		p.write(name, text)
	}
	return p
}

func (p project) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p project) link(target, name string) {
	p.t.Helper()
	path := filepath.Join(p.root, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(target, path)); err != nil {
		p.t.Fatal(err)
	}
}

// outcome is what is left of a k6 that ran.
type outcome struct {
	t              *testing.T
	exitCode       int
	stdout, stderr string
}

// k6 runs k6 in the project's root. Arguments with a "NAME=" in capitals in front of the command are its environment.
func (p project) k6(args ...string) outcome {
	p.t.Helper()
	// No case takes seconds; what does has met k6's endless loop and must not outlive the test.
	ctx, cancel := context.WithTimeout(p.t.Context(), 5*time.Minute)
	defer cancel()

	environment := append(os.Environ(), asK6+"=1", "K6_NO_USAGE_REPORT=true", "K6_AUTO_EXTENSION_RESOLUTION=false")
	for len(args) > 0 && strings.Contains(args[0], "=") {
		environment = append(environment, args[0])
		args = args[1:]
	}
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	command := exec.CommandContext(ctx, self, args...)
	command.Dir, command.Env, command.Stdin = p.root, environment, strings.NewReader(p.stdin)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr

	var exit *exec.ExitError
	if err := command.Run(); err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	if ctx.Err() != nil {
		p.t.Fatalf("k6 %s did not end:\n%s", strings.Join(args, " "), stderr.String())
	}
	return outcome{p.t, command.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

func (o outcome) exits(code int) outcome {
	o.t.Helper()
	if o.exitCode != code {
		o.t.Fatalf("k6 exited with %d, not %d:\n%s%s", o.exitCode, code, o.stdout, o.stderr)
	}
	return o
}

func (o outcome) says(texts ...string) outcome {
	o.t.Helper()
	for _, text := range texts {
		if !strings.Contains(o.stderr, text) {
			o.t.Errorf("no %q in what k6 said:\n%s", text, o.stderr)
		}
	}
	return o
}

func (o outcome) doesNotSay(text string) outcome {
	o.t.Helper()
	if strings.Contains(o.stderr, text) {
		o.t.Errorf("%q in what k6 said:\n%s", text, o.stderr)
	}
	return o
}
