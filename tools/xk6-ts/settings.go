package ts

import (
	"strconv"
	"strings"
)

// settings are what the environment can change.
type settings struct {
	enabled    bool     // XK6_TS: "false" leaves k6 as it is
	sourceMap  bool     // XK6_TS_SOURCEMAP: "false" saves the memory that the map takes
	conditions []string // XK6_TS_CONDITIONS: conditions of package.json "exports", separated by commas
}

// defaultConditions picks the sources of the packages of this workspace, so that nothing has to be built first.
const defaultConditions = "@webagent/source"

func settingsFrom(env map[string]string) settings {
	conditions, found := env["XK6_TS_CONDITIONS"]
	if !found {
		conditions = defaultConditions
	}
	return settings{
		enabled:    unlessFalse(env["XK6_TS"]),
		sourceMap:  unlessFalse(env["XK6_TS_SOURCEMAP"]),
		conditions: strings.FieldsFunc(conditions, func(r rune) bool { return r == ',' || r == ' ' }),
	}
}

func unlessFalse(value string) bool {
	enabled, err := strconv.ParseBool(value)
	return err != nil || enabled
}
