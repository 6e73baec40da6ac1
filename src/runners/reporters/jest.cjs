// Jest's launcher and reporter, for 27 to 30. As a program it opens the channel and then runs jest in this process with
// the arguments that the command names: process.argv is what tests see, so nothing of ours may stand in it. As a module
// of the same process it is the reporter. Results are taken when a file ends, before a project's testResultsProcessor.
'use strict'
const fs = require('node:fs')
const path = require('node:path')
const { createRequire } = require('node:module')
const { openChannel, messageOf, cut } = require('./channel.cjs')

const PASSED_AGAINST_ITS_WILL = /Failing test passed even though it was supposed to fail/
const SOURCE_BYTES = 1024 * 1024
const LOADED_FILES = 20_000

let channel

class AcceptanceReporter {
  #total = 0
  #files = new Set()
  #contexts = new Set()
  #seen = new Set()

  // `onTestFileResult` would be called as well; only one of the two may be there.
  onTestResult(test, result) {
    const file = result.testFilePath ?? test?.path
    const project = this.#projectOf(test, result, file)
    this.#files.add(file)
    if (test?.context) this.#contexts.add(test.context)
    const tests = result.testResults ?? []
    this.#total += tests.length
    const counted = ['numPassingTests', 'numFailingTests', 'numPendingTests', 'numTodoTests'].reduce((sum, key) => sum + (result[key] ?? 0), 0)
    if (counted !== tests.length) channel.send({ load: { file, message: `jest counted ${counted} tests and told the results of ${tests.length}` } })
    const isExpectedToFail = expectedFailures(file, tests)
    tests.forEach((it, at) => {
      const status = statusOf(it, isExpectedToFail)
      const messages = it.failureMessages ?? []
      channel.test({
        project, file, path: [...(it.ancestorTitles ?? []), it.title].map(String), at, status,
        counted_as_passed: status === 'expected_failure' ? true : undefined,
        line: lineOf(messages[0], file) ?? it.location?.line,
        message: messages.length > 0 ? cut(messages.map(withoutStack).join('\n')) : undefined,
      })
    })
    const isExplained = tests.some((it) => it.status === 'failed')
    if (result.testExecError) channel.send({ load: { file, message: messageOf(result.testExecError) } })
    else if (result.failureMessage && !isExplained) channel.send({ load: { file, message: cut(String(result.failureMessage)) } })
    channel.flush()
  }

  onRunComplete(contexts, results) {
    for (const context of contexts ?? []) this.#contexts.add(context)
    const error = results?.runExecError
    if (error) channel.send({ unhandled: [messageOf(error)] })
    channel.loaded([...loadedFiles(this.#files, this.#contexts)])
    return channel.close({ total: this.#total, reason: results?.wasInterrupted ? 'interrupted' : null })
  }

  getLastError() {}

  // The same file in two projects is two files; a project without a name is told apart by its number.
  #projectOf(test, result, file) {
    const name = test?.context?.config?.displayName?.name ?? result.displayName?.name ?? ''
    let project = name
    for (let count = 2; this.#seen.has(`${project}\0${file}`); count++) project = `${name}#${count}`
    this.#seen.add(`${project}\0${file}`)
    return project || undefined
  }
}

function statusOf(it, isExpectedToFail) {
  switch (it.status) {
    case 'passed':
      if (it.failing ?? isExpectedToFail(it.title)) return 'expected_failure'
      return (it.invocations ?? 1) > 1 ? 'flaky' : 'passed'
    case 'failed':
      return (it.failureMessages ?? []).some((message) => PASSED_AGAINST_ITS_WILL.test(message)) ? 'unexpected_pass' : 'failed'
    case 'pending': case 'skipped': case 'disabled': return 'skipped'
    case 'todo': return 'todo'
    default: return 'unfinished'
  }
}

// Before 30 a result does not tell that its test is expected to fail; its source does.
function expectedFailures(file, tests) {
  if (tests.length === 0 || tests.some((it) => it.failing !== undefined)) return () => false
  const source = readSource(file)
  if (!/\bfailing\b/.test(source)) return () => false
  const titles = []
  for (const match of source.matchAll(/\.failing\b(?:\.(?:only|skip))?(?:\.each(?:\([^]*?\)|`[^`]*`))?\s*\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g)) {
    titles.push(new RegExp(`^${match[2].replace(/\\(.)/g, '$1').split(/%[a-zA-Z#$%]|\$\{[^}]*\}|\$[\w.#]+/).map(escape).join('[^]*')}$`))
  }
  if (titles.length === 0) channel.send({ note: `jest before 30 does not tell which tests are expected to fail, and ${path.basename(file)} has such tests` })
  return (title) => titles.some((pattern) => pattern.test(title))
}

const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function readSource(file) {
  try {
    return fs.statSync(file).size > SOURCE_BYTES ? '' : fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const withoutStack = (message) => String(message).split(/\n\s+at /, 1)[0]

function lineOf(message, file) {
  const text = String(message ?? '')
  const at = text.indexOf(`${file}:`)
  const line = at < 0 ? NaN : Number.parseInt(text.slice(at + file.length + 1), 10)
  return Number.isSafeInteger(line) && line > 0 ? line : undefined
}

// Test files and what they import, by jest's own resolver: the proof of where the code came from.
function loadedFiles(files, contexts) {
  const found = new Set(files)
  try {
    const core = createRequire(require.resolve('@jest/core', { paths: [path.dirname(process.argv[1])] }))
    const { DependencyResolver } = core('jest-resolve-dependencies')
    for (const { resolver, hasteFS } of contexts) {
      const dependencies = new DependencyResolver(resolver, hasteFS, { })
      const waiting = [...files]
      while (waiting.length > 0 && found.size < LOADED_FILES) {
        const file = waiting.pop()
        for (const dependency of tryToResolve(dependencies, file)) {
          if (found.has(dependency)) continue
          found.add(dependency)
          waiting.push(dependency)
        }
      }
    }
  } catch (error) {
    channel.send({ note: `which files jest loaded could not be found out: ${messageOf(error)}` })
  }
  return found
}

function tryToResolve(dependencies, file) {
  try {
    return dependencies.resolve(file)
  } catch {
    return []
  }
}

Object.freeze(AcceptanceReporter.prototype)
module.exports = AcceptanceReporter

if (require.main === module) {
  const [node, own, program, version, ...args] = process.argv
  process.argv = [node, program, ...args]
  // As jest's own program does.
  process.env.NODE_ENV ??= 'test'
  channel = openChannel('jest', version)
  const load = createRequire(program)
  // `jest` passes on what `jest-cli` is; a project may have only the latter.
  const { run } = load(load.resolve('jest-cli', { paths: [path.dirname(program)] }))
  void run([`--reporters=${own}`, ...args])
}
