// Mocha's launcher: opens the channel, then runs mocha's own program in this process. Its arguments are read at once, so
// ours is taken out of process.argv again before a test file is loaded.
'use strict'
const path = require('node:path')
const { createRequire } = require('node:module')

const [node, , program, ...args] = process.argv
const { openChannel } = require('./channel.cjs')
const reporter = path.join(__dirname, 'mocha.cjs')
// With options for node, mocha starts itself once more, and the reporter opens the channel there.
if (!needsAnotherProcess()) {
  // Mocha loads the reporter itself, after what it is told to require and before any test; there it finds the channel.
  globalThis[Symbol.for('agent-acceptance')] = openChannel('mocha', process.env.AGENT_ACCEPTANCE_VERSION)
}
process.argv = [node, program, '--reporter', reporter, ...args]
createRequire(program)(program)
process.argv = [node, program, ...args]

function needsAnotherProcess() {
  const { loadOptions } = own('options')
  const { isNodeFlag } = own('node-flags')
  const options = loadOptions(args)
  return options['node-option'] !== undefined || Object.keys(options).some((name) => isNodeFlag(name))
}

// From mocha 12 on its own files say what kind of module they are.
function own(name) {
  const load = createRequire(program)
  try {
    return load(`../lib/cli/${name}`)
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error
    return load(`../lib/cli/${name}.cjs`)
  }
}
