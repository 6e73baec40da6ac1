package testing

// Tells what each test does to the checker. It stands in package testing for one build of the tests, in an overlay:
// nothing on disk changes. It becomes part of testing.go, hence the names of its imports: a file that is not there would
// confuse vet. The results leave over what was this process's standard input, never over what tests print.

import (
	acceptanceOs "os"
	acceptanceReflect "reflect"
	acceptanceRuntime "runtime"
	acceptanceSync "sync"
)

var acceptance struct {
	lock acceptanceSync.Mutex
	out  *acceptanceOs.File
	open map[string]bool
	told int
}

func init() {
	// Only the process that the checker started has it; what tests start does not.
	if acceptanceOs.Getenv("AGENT_ACCEPTANCE_GO_TEST") != "1" {
		return
	}
	acceptanceOs.Unsetenv("AGENT_ACCEPTANCE_GO_TEST")
	acceptance.out = acceptanceOs.Stdin
	acceptance.open = map[string]bool{}
	if null, err := acceptanceOs.Open(acceptanceOs.DevNull); err == nil {
		acceptanceOs.Stdin = null
	}
}

// The lock is held. A line is one write, fields stand between tabs.
func acceptanceTell(fields ...string) {
	if acceptance.out == nil {
		return
	}
	const digits = "0123456789abcdef"
	var line []byte
	for at, field := range fields {
		if at > 0 {
			line = append(line, '\t')
		}
		for _, letter := range []byte(field) {
			if letter < ' ' || letter == '%' || letter == 0x7f {
				line = append(line, '%', digits[letter>>4], digits[letter&15])
			} else {
				line = append(line, letter)
			}
		}
	}
	acceptance.out.Write(append(line, '\n'))
}

func acceptanceNumber(number int) string {
	var text []byte
	for number > 0 {
		text = append([]byte{byte('0' + number%10)}, text...)
		number /= 10
	}
	return "0" + string(text)
}

func acceptanceMain(pkg string, tests []InternalTest, fuzz []InternalFuzzTarget, examples []InternalExample) {
	acceptance.lock.Lock()
	defer acceptance.lock.Unlock()
	folder, _ := acceptanceOs.Getwd()
	acceptanceTell("main", pkg, folder)
	declare := func(name string, function any) {
		file := ""
		if found := acceptanceRuntime.FuncForPC(acceptanceReflect.ValueOf(function).Pointer()); found != nil {
			file, _ = found.FileLine(found.Entry())
		}
		acceptanceTell("has", name, file)
	}
	for _, test := range tests {
		declare(test.Name, test.F)
	}
	for _, test := range fuzz {
		declare(test.Name, test.Fn)
	}
	for _, test := range examples {
		declare(test.Name, test.F)
	}
}

func acceptanceStart(name string) {
	acceptance.lock.Lock()
	defer acceptance.lock.Unlock()
	// The root of all tests has no name; a bubble of testing/synctest has its test's name.
	if acceptance.out == nil || name == "" || acceptance.open[name] {
		return
	}
	acceptance.open[name] = true
	acceptanceTell("run", name)
}

func acceptanceEnd(name string, failed, skipped bool) {
	acceptance.lock.Lock()
	defer acceptance.lock.Unlock()
	if acceptance.out == nil || name == "" || !acceptance.open[name] {
		return
	}
	delete(acceptance.open, name)
	acceptance.told++
	status := "pass"
	if failed {
		status = "fail"
	} else if skipped {
		status = "skip"
	}
	acceptanceTell("end", name, status)
}

func acceptanceDone() {
	acceptance.lock.Lock()
	defer acceptance.lock.Unlock()
	acceptanceTell("done", acceptanceNumber(acceptance.told))
}
