package ts

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"go.k6.io/k6/v2/cmd/state"
	"go.k6.io/k6/v2/errext/exitcodes"
)

// bundleError says that a script did not bundle. k6 exits with the code that it has for scripts it cannot load.
type bundleError struct {
	script   string
	messages []api.Message
}

func (e bundleError) Error() string {
	noun := "errors"
	if len(e.messages) == 1 {
		noun = "error"
	}
	return fmt.Sprintf("%s does not bundle: %d %s", e.script, len(e.messages), noun)
}

// ExitCode implements k6's errext.HasExitCode.
func (e bundleError) ExitCode() exitcodes.ExitCode { return exitcodes.ScriptException }

// report writes esbuild's frames, which k6's logger would squeeze into one quoted line.
func report(gs *state.GlobalState, out bundled, err error) {
	printFrames(gs, out.warnings, api.WarningMessage)
	if failure := (bundleError{}); errors.As(err, &failure) {
		printFrames(gs, failure.messages, api.ErrorMessage)
	}
}

func printFrames(gs *state.GlobalState, messages []api.Message, kind api.MessageKind) {
	frames := api.FormatMessages(messages, api.FormatMessagesOptions{
		Kind:  kind,
		Color: gs.Stderr.IsTTY && !gs.Flags.NoColor,
	})
	_, _ = io.WriteString(gs.Stderr, strings.Join(frames, ""))
}
