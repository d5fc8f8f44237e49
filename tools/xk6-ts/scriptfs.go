package ts

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/afero"
	"go.k6.io/k6/v2/cmd/state"
	"go.k6.io/k6/v2/lib/fsext"
)

// scriptFS is k6's file system, on which a script named on the command line reads as its bundle.
//
// The bundle and its map live in memory under the script's own path. So open() and import.meta.resolve() start where
// the author expects, read-only directories do, several k6 may run the same script, and an archive runs in any k6.
type scriptFS struct {
	fsext.Fs
	gs       *state.GlobalState
	pwd      string
	settings settings

	lock    sync.Mutex
	bundles fsext.Fs
}

func newScriptFS(gs *state.GlobalState, pwd string, settings settings) *scriptFS {
	return &scriptFS{Fs: gs.FS, gs: gs, pwd: pwd, settings: settings, bundles: fsext.NewMemMapFs()}
}

// Open opens the bundle of a script, a bundle's map, or the file that is there.
func (s *scriptFS) Open(name string) (afero.File, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if file, err := s.bundles.Open(name); err == nil {
		return file, nil
	}
	if !s.isScript(name) {
		return s.Fs.Open(name)
	}
	if err := s.bundle(name); err != nil {
		return nil, err
	}
	return s.bundles.Open(name)
}

// Stat knows the maps too: k6 asks whether a file is there before it reads it.
func (s *scriptFS) Stat(name string) (fs.FileInfo, error) {
	if info, err := s.bundles.Stat(name); err == nil {
		return info, nil
	}
	return s.Fs.Stat(name)
}

// isScript tells an entry from a TypeScript file that a JavaScript entry imports, which k6 reads by itself.
func (s *scriptFS) isScript(name string) bool {
	if !slices.Contains([]string{".ts", ".mts", ".cts"}, filepath.Ext(name)) {
		return false
	}
	return slices.ContainsFunc(s.gs.CmdArgs[1:], func(arg string) bool {
		path := filepath.FromSlash(strings.TrimPrefix(arg, "file://"))
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.pwd, path)
		}
		return filepath.Clean(path) == name
	})
}

func (s *scriptFS) bundle(script string) error {
	out, err := bundle(s.pwd, script, s.settings)
	report(s.gs, out, err)
	if err != nil {
		return err
	}
	if len(out.sourceMap) > 0 {
		if err := fsext.WriteFile(s.bundles, script+".map", out.sourceMap, 0o444); err != nil {
			return err
		}
	}
	return fsext.WriteFile(s.bundles, script, out.code, 0o444)
}
