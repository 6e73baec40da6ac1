// Mocha's reporter, for 8 to 12.
'use strict'
const fs = require('node:fs')
const path = require('node:path')
const { EventEmitter } = require('node:events')
const { openChannel, messageOf, cut } = require('./channel.cjs')
const { importsOf, required } = require('./imports.cjs')

const SOURCE_BYTES = 1024 * 1024
const version = process.env.AGENT_ACCEPTANCE_VERSION
delete process.env.AGENT_ACCEPTANCE_VERSION
const given = Symbol.for('agent-acceptance')
const channel = globalThis[given] ?? openChannel('mocha', version)
delete globalThis[given]

// Mocha's own code, and what it tells its events with, as it was before any test file was loaded.
const watched = []
for (const [file, { exports: held }] of Object.entries(require.cache)) {
  if (!/[\\/]mocha[\\/]lib[\\/]mocha\.c?js$/.test(file)) continue
  watch('mocha', held.prototype)
  for (const part of ['Hook', 'Runnable', 'Runner', 'Suite', 'Test']) watch(part.toLowerCase(), held[part].prototype)
}
if (watched.length === 0) throw new Error('mocha was not loaded in a way that is known')
watch('EventEmitter', EventEmitter.prototype)

function watch(name, owner) {
  for (const key of Reflect.ownKeys(owner ?? {})) {
    const held = Object.getOwnPropertyDescriptor(owner, key).value
    if (typeof held === 'function') watched.push({ owner, key, held, name: `${name}.${String(key)}` })
  }
}
const { getOwnPropertyDescriptor } = Object
function replaced() {
  for (let at = 0; at < watched.length; at++) {
    const { owner, key, held, name } = watched[at]
    if (getOwnPropertyDescriptor(owner, key)?.value !== held) return name
  }
  return undefined
}

// Where mocha started itself once more, our words stand among the arguments.
const own = process.argv.findIndex((word) => word === __filename || word === `--reporter=${__filename}`)
if (own > 0) process.argv.splice(...(process.argv[own] === __filename ? [own - 1, 2] : [own, 1]))

class AcceptanceReporter {
  #runner
  #places = new Map()
  #counts = new Map()
  #told = new Set()
  #held
  #total = 0
  #isReplaced = false
  #files = new Set()

  constructor(runner) {
    this.#runner = runner
    // Before `.only` takes the others out of the tree.
    this.#collect()
    const silenced = new Set(this.#places.keys())
    runner.once('start', () => {
      this.#collect()
      runner.suite.eachTest((test) => { silenced.delete(test) })
      if (runner.suite.tests.length + runner.suite.suites.length === 0) silenced.clear()
      for (const test of silenced) if (this.#isWanted(test)) this.#hold(test, 'skipped', 'another test has `.only`')
    })
    runner.on('pass', (test) => this.#hold(test, test.currentRetry() > 0 ? 'flaky' : 'passed'))
    runner.on('pending', (test) => this.#hold(test, isAnnounced(test) ? 'todo' : 'skipped'))
    runner.on('fail', (test, error) => this.#fail(test, error))
  }

  // Mocha waits for this before it ends.
  done(failures, next) {
    this.#release()
    this.#look()
    const started = this.#runner.suite
    started?.eachTest?.((test) => {
      if (!this.#told.has(origin(test)) && this.#isWanted(test)) this.#hold(test, 'unfinished')
    })
    this.#release()
    channel.loaded([...new Set([...importsOf([...this.#files]), ...required()])])
    void channel.close({ total: this.#total, reason: this.#runner._abort ? 'interrupted' : null }).then(() => next?.(failures))
  }

  // Once it was replaced, what mocha says is what somebody else says.
  #look() {
    const name = this.#isReplaced ? undefined : replaced()
    if (name === undefined) return
    this.#isReplaced = true
    channel.send({ unhandled: [`code of mocha was replaced while the tests ran: ${name}`] })
  }

  // A test that `--grep` leaves out is not part of the run, as mocha itself counts.
  #isWanted(test) {
    const grep = this.#runner._grep
    return !grep || grep.test(test.fullTitle()) !== Boolean(this.#runner._invert)
  }

  #collect() { this.#runner.suite.eachTest((test) => { this.#place(test) }) }

  // Numbers a file's tests in the order in which they are defined; with --parallel, in the order in which they end.
  #place(test) {
    const known = this.#places.get(test)
    if (known !== undefined) return known
    const file = test.file ?? ''
    if (file !== '') this.#files.add(file)
    const at = this.#counts.get(file) ?? 0
    this.#counts.set(file, at + 1)
    this.#places.set(test, at)
    return at
  }

  #fail(test, error) {
    if (test.type === 'hook') {
      this.#release()
      channel.send({ load: { file: test.file, message: cut(`${test.titlePath().join(' > ')}: ${messageOf(error)}`) } })
    } else if (this.#held?.origin === origin(test)) {
      // It called done() a second time, or threw after it.
      this.#held.record.status = 'failed'
      this.#held.record.message = messageOf(error)
    } else if (this.#told.has(origin(test))) channel.send({ unhandled: [cut(`${test.fullTitle()}: ${messageOf(error)}`)] })
    else this.#hold(test, 'failed', messageOf(error), lineOf(error, test.file))
  }

  // A result is held until the next one, since a test may still fail after it passed.
  #hold(test, status, message, line) {
    this.#release()
    this.#look()
    const it = origin(test)
    this.#held = {
      origin: it,
      record: { file: test.file, path: test.titlePath().map(String), at: this.#place(it), status, message, line },
    }
  }

  #release() {
    if (this.#held === undefined) return
    this.#told.add(this.#held.origin)
    this.#total++
    channel.test(this.#held.record)
    this.#held = undefined
  }
}

Object.freeze(AcceptanceReporter.prototype)
module.exports = AcceptanceReporter

// A retried test is a copy.
function origin(test) {
  let it = test
  while (it.retriedTest?.() ?? it._retriedTest) it = it.retriedTest?.() ?? it._retriedTest
  return it
}

// A skipped test has no body either once mocha has read it; one that is only announced has none in the source.
function isAnnounced(test) {
  if (test.fn || !test.file) return false
  try {
    if (fs.statSync(test.file).size > SOURCE_BYTES) return false
    const title = test.title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/['"`]/g, '\\\\?$&')
    return new RegExp(`\\b(?:it|specify|test)\\s*\\(\\s*(['"\`])${title}\\1\\s*\\)`).test(fs.readFileSync(test.file, 'utf8'))
  } catch {
    return false
  }
}

function lineOf(error, file) {
  const stack = String(error?.stack ?? '')
  const at = file ? stack.indexOf(`${file}:`) : -1
  const line = at < 0 ? NaN : Number.parseInt(stack.slice(at + file.length + 1), 10)
  return Number.isSafeInteger(line) && line > 0 ? line : undefined
}
