package ts

import (
	"path/filepath"

	"github.com/spf13/cobra"
	"go.k6.io/k6/v2/cmd/state"
)

// newCommand is `k6 x ts SCRIPT`, which prints the bundle for a k6 that does not have this extension.
func newCommand(gs *state.GlobalState, pwd string, settings settings) *cobra.Command {
	return &cobra.Command{
		Use:   "ts SCRIPT",
		Short: "Print a TypeScript test as the JavaScript that k6 runs",
		Long: `Print a TypeScript test, with everything it imports, as one JavaScript file.

k6 run, archive, inspect and cloud bundle by themselves; this is for a k6 without this extension.`,
		Example: "  k6 x ts smoke.load.ts > smoke.js",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			script := args[0]
			if !filepath.IsAbs(script) {
				script = filepath.Join(pwd, script)
			}
			settings.sourceMap = false
			out, err := bundle(pwd, script, settings)
			report(gs, out, err)
			if err == nil {
				_, err = gs.Stdout.Write(out.code)
			}
			return err
		},
	}
}
