// Playwright Test's reporter. Tests run in worker processes; this runs in the one that starts them.
'use strict'
const { openChannel, messageOf, cut } = require('./channel.cjs')
const { importsOf } = require('./imports.cjs')

let channel

class AcceptanceReporter {
  #suite
  #places = new Map()
  #sent = new Set()

  constructor() { channel ??= openChannel('playwright', undefined) }

  printsToStdio() { return true }

  onBegin(_config, suite) {
    this.#suite = suite
    const counts = new Map()
    for (const test of suite.allTests()) {
      const key = `${projectOf(test) ?? ''}\0${test.location.file}`
      const at = counts.get(key) ?? 0
      counts.set(key, at + 1)
      this.#places.set(test, at)
    }
    for (const [key, count] of counts) {
      const [project, file] = key.split('\0')
      channel.send({ expected: { project: project || undefined, file, count } })
    }
  }

  onTestEnd(test) {
    // With retries a whole group may run again, also a test that passed in it; its result is known at the end.
    if (test.retries === 0) this.#send(test)
  }

  onError(error) {
    const message = messageOf(error)
    if (error.location?.file) channel.send({ load: { file: error.location.file, message: cut(message) } })
    else channel.send({ unhandled: [message] })
  }

  async onEnd(result) {
    const tests = this.#suite?.allTests() ?? []
    for (const test of tests) this.#send(test)
    const files = [...new Set(tests.map((test) => test.location.file))]
    channel.loaded(importsOf(files))
    await channel.close({ total: tests.length, reason: result?.status ?? null })
  }

  #send(test) {
    if (this.#sent.has(test)) return
    this.#sent.add(test)
    const errors = test.results.flatMap((result) => result.errors ?? [])
    const file = test.location.file
    const status = statusOf(test)
    channel.test({
      project: projectOf(test), file, path: test.titlePath().slice(3), at: this.#places.get(test) ?? 0, status,
      counted_as_passed: status === 'expected_failure' ? true : undefined,
      line: errors.find((error) => error.location?.file === file)?.location.line ?? test.location.line,
      message: errors.length > 0 ? cut(errors.map(messageOf).join('\n')) : undefined,
    })
  }
}

Object.freeze(AcceptanceReporter.prototype)
module.exports = AcceptanceReporter

function projectOf(test) { return test.parent.project()?.name || undefined }

function statusOf(test) {
  const last = test.results.at(-1)?.status
  if (test.expectedStatus === 'skipped') return test.annotations.some((it) => it.type === 'fixme') ? 'todo' : 'skipped'
  switch (test.outcome()) {
    // Not run after a failure in a serial group, or past the allowed number of failures.
    case 'skipped': return 'skipped'
    case 'flaky': return 'flaky'
    case 'expected': return test.expectedStatus === 'failed' ? 'expected_failure' : last === 'passed' ? 'passed' : 'unfinished'
    default:
      if (test.expectedStatus === 'failed' && last === 'passed') return 'unexpected_pass'
      return last === 'interrupted' ? 'unfinished' : 'failed'
  }
}
