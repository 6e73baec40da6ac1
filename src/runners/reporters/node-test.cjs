// Node's own test runner, 20 and later. `node --test` finds the files and starts a process for each; this module is
// preloaded in all of them. Node's way for results is the process's stdout, where what a test prints can forge them. So
// in the parent each file's process is started with this module as its reporter and a connection of its own, and the
// parent passes the records on under the file's name. The parent runs no test code.
'use strict'
const net = require('node:net')
const path = require('node:path')
const { randomBytes } = require('node:crypto')
const { ChildProcess } = require('node:child_process')
const { Readable } = require('node:stream')
const { isMainThread } = require('node:worker_threads')
const { openChannel, leaveKey, codeOf, messageOf, cut } = require('./channel.cjs')
const { importsOf, required } = require('./imports.cjs')

const VARIABLE = 'AGENT_ACCEPTANCE_CHANNEL'
const CONTEXT = 'NODE_TEST_CONTEXT'
const PARENT_ONLY = /^--test-(?:global-setup|reporter|reporter-destination|coverage-[a-z-]+|isolation)(?:=|$)/
const STREAM_LENGTH = 64 * 1024 * 1024
const PRINTED_LENGTH = 16 * 1024
const LOADED_AT_ONCE = 200
const COUNTED = /^(?:fail|cancelled) \d+$/

// What is called while tests run, in case they replace it.
const { parse } = JSON
const { apply } = Reflect
const { [Symbol.asyncIterator]: iterate } = Readable.prototype
const { next } = Object.getPrototypeOf(Object.getPrototypeOf((async function* () {})()))

let role

// ---- in the process of a test file ----------------------------------------------------------------------------------

class File {
  #channel
  #isUsed = false

  constructor() {
    this.#channel = openChannel('node-test', process.version.slice(1))
    // What the file's own child processes inherit.
    const own = (word) => word.includes(__filename)
    for (let at = process.execArgv.length - 1; at >= 0; at--) {
      if (own(process.execArgv[at]) || process.execArgv[at] === '--test-reporter-destination=stdout') process.execArgv.splice(at, 1)
    }
    // A file that declares no test ends by itself; one that is ended by a call of exit() does not come here.
    process.once('beforeExit', () => { if (!this.#isUsed) void this.#channel.close({ total: 0 }) })
  }

  report(source) {
    this.#isUsed = true
    // From here on node has read it, and tests see what they would have seen.
    process.env[CONTEXT] = 'child-v8'
    return this.#report(source)
  }

  async *#report(source) {
    const names = []
    let total = 0
    let failed = 0
    const counted = {}
    const events = source instanceof Readable ? apply(iterate, source, []) : source[Symbol.asyncIterator]()
    for (;;) {
      const { done, value } = await apply(next, events, [])
      if (done) break
      const { type, data } = value
      if (type === 'test:start') {
        names.length = data.nesting
        names.push(String(data.name))
      } else if (type === 'test:pass' || type === 'test:fail') {
        const here = [...names.slice(0, data.nesting), String(data.name)]
        const error = type === 'test:fail' ? data.details?.error : undefined
        const isSuite = data.details?.type === 'suite'
        if (isSuite && data.skip === undefined && data.todo === undefined) {
          if (error?.failureType === 'hookFailed') this.#channel.send({ load: { message: cut(`${here.join(' > ')}: ${reason(error)}`) } })
          continue
        }
        if (isSuite && data.skip === undefined) continue
        this.#channel.test({
          path: here,
          at: total++,
          status: data.todo !== undefined ? 'todo' : data.skip !== undefined ? 'skipped' : error === undefined ? 'passed' : 'failed',
          line: data.line,
          message: error !== undefined ? reason(error) : typeof data.skip === 'string' ? data.skip : typeof data.todo === 'string' ? data.todo : undefined,
        })
        if (error !== undefined) failed += 1
        if (error !== undefined) yield `failed: ${here.join(' > ')}\n${reason(error)}\n`
      } else if (type === 'test:diagnostic' && COUNTED.test(String(data.message)) && !(data.nesting > 0)) {
        // Node's own last word; a test that speaks so is followed by it.
        const [word, count] = String(data.message).split(' ')
        counted[word] = Number(count)
      } else if (type === 'test:diagnostic' && /^(?:Warning|Error): /.test(String(data.message))) {
        if (/asynchronous activity/.test(data.message)) this.#channel.send({ unhandled: [cut(String(data.message))] })
        yield `${data.message}\n`
      }
    }
    // Records can be bent on their way here by what tests put in place of node's own parts.
    const failures = (counted.fail ?? 0) + (counted.cancelled ?? 0)
    if (failures > 0 && failed === 0) this.#channel.send({ unhandled: [`node counted ${failures} failed and told of none`] })
    this.#channel.loaded(required())
    await this.#channel.close({ total })
  }
}

function reason(error) { return messageOf(error?.cause instanceof Object ? error.cause : error?.cause !== undefined ? { message: error.cause } : error) }

// ---- in the process of `node --test` ----------------------------------------------------------------------------------

class Run {
  #channel = openChannel('node-test', process.version.slice(1))
  #server
  #address
  #files = new Map()
  #told = new Set()
  #total = 0

  constructor() {
    const place = path.join(__dirname, 'f')
    this.#address = process.platform === 'win32' ? `\\\\.\\pipe\\agent-acceptance-${randomBytes(16).toString('hex')}` : place
    this.#server = net.createServer((socket) => this.#accept(socket)).listen(this.#address).unref()
    const run = this
    const { spawn } = ChildProcess.prototype
    ChildProcess.prototype.spawn = function (options) {
      const pairs = options?.envPairs ?? []
      const isTest = pairs.some((pair) => pair.startsWith(`${CONTEXT}=`))
      return spawn.call(this, isTest ? run.#instrument(this, options) : options)
    }
  }

  #instrument(child, options) {
    const nonce = randomBytes(16).toString('hex')
    const key = randomBytes(32).toString('hex')
    leaveKey(nonce, key)
    const [program, ...args] = options.args
    const written = args.find((word) => !word.startsWith('-') && !process.execArgv.includes(word)) ?? ''
    // A file that told everything is told at once; of others, what they printed is waited for.
    const file = new Connection(path.resolve(options.cwd ?? '', written), key, () => { if (file.total !== undefined) this.#tell(file) })
    this.#files.set(nonce, file)
    child.once('exit', (code, signal) => file.exited(code, signal))
    const envPairs = options.envPairs.filter((pair) => !pair.startsWith(`${CONTEXT}=`) && !pair.startsWith(`${VARIABLE}=`))
    envPairs.push(`${VARIABLE}=unix:${this.#address}:${nonce}`)
    const own = [`--test-reporter=${__filename}`, '--test-reporter-destination=stdout']
    return { ...options, envPairs, args: [program, ...own, ...args.filter((word) => !PARENT_ONLY.test(word))] }
  }

  #accept(socket) {
    let text = ''
    let file
    socket.setEncoding('utf8')
    socket.on('error', () => {})
    socket.on('data', (piece) => {
      text += piece
      if (text.length > STREAM_LENGTH) return socket.destroy()
      const lines = text.split('\n')
      text = lines.pop()
      for (const line of lines) {
        if (file === undefined) {
          file = this.#files.get(read(line)?.hello)
          // A process that knows no nonce, or one that was used, is none of ours.
          if (file === undefined || !file.open()) return socket.destroy()
        } else file.line(line)
      }
    })
    socket.on('close', () => file?.closed())
  }

  async *report(events) {
    for await (const { type, data } of events) {
      if (type !== 'test:stdout' && type !== 'test:stderr') continue
      const source = path.resolve(String(data.file ?? ''))
      for (const file of this.#files.values()) if (type === 'test:stderr' && file.file === source) file.prints(String(data.message))
      yield String(data.message)
    }
    const keepAlive = setInterval(() => {}, 1000)
    for (const file of this.#files.values()) {
      await file.isDone()
      this.#tell(file)
    }
    clearInterval(keepAlive)
    this.#server.close()
    const files = [...this.#files.values()].map((it) => it.file)
    const loaded = [...this.#files.values()].flatMap((it) => it.loaded)
    this.#channel.loaded([...new Set([...importsOf(files), ...loaded])])
    await this.#channel.close({ total: this.#total })
  }

  #tell(it) {
    if (this.#told.has(it)) return
    this.#told.add(it)
    const { file } = it
    this.#total += it.tests.length
    for (const test of it.tests) this.#channel.test({ ...test, file })
    for (const message of it.loads) this.#channel.send({ load: { file, message } })
    if (it.unhandled.length > 0) this.#channel.send({ unhandled: it.unhandled })
    const isExplained = it.loads.length > 0 || it.unhandled.length > 0 || it.tests.some((test) => test.status === 'failed')
    const how = it.signal !== null ? `was ended by ${it.signal}` : `ended with exit status ${it.code}`
    if (it.fault !== undefined) this.#channel.send({ load: { file, message: it.fault } })
    else if (it.total === undefined) this.#channel.send({ load: { file, message: cut(`${it.error() ?? ''}the file's process ${how} before its tests ended`) } })
    else if (it.total !== it.tests.length) this.#channel.send({ load: { file, message: `the file counted ${it.total} tests and told the results of ${it.tests.length}` } })
    else if (it.code !== 0 && !isExplained) this.#channel.send({ load: { file, message: cut(`${it.error() ?? ''}the file's process ${how} though no test failed`) } })
    else if (it.total === 0) this.#channel.send({ note: `${path.basename(file)} ran no test; node counts the file as one, the checker does not` })
  }
}

// What one file's process tells. It is not believed beyond its own file.
class Connection {
  tests = []
  loads = []
  unhandled = []
  loaded = []
  total
  fault
  code = null
  signal = null
  #key
  #number = 0
  #isOpened = false
  #isExited = false
  #isClosed = false
  #wake
  #done
  #printed = ''

  constructor(file, key, done) {
    this.file = file
    this.#key = key
    this.#done = done
  }

  prints(text) { if (this.#printed.length < PRINTED_LENGTH) this.#printed += text }

  // The error that node printed when it ended, for people.
  error() {
    const found = /^(?:\w+ )?(?:[A-Z]\w*)?(?:Error|Exception)\b.*$/m.exec(this.#printed)
    return found === null ? undefined : `${found[0]}\n`
  }

  open() {
    if (this.#isOpened) {
      this.fault ??= 'a second process spoke in the name of the file'
      return false
    }
    return (this.#isOpened = true)
  }

  line(line) {
    const at = line.indexOf(' ')
    const text = line.slice(at + 1)
    if (line.slice(0, at) !== codeOf(this.#key, this.#number++, text)) {
      this.fault ??= 'a line came that the reporter did not write'
      return
    }
    const record = read(text)
    if (this.total !== undefined) this.fault ??= 'a record came after the end record'
    if (Array.isArray(record?.tests)) {
      for (const { path: names, at, status, line, message } of record.tests) this.tests.push({ path: names, at, status, line, message })
    } else if (record?.load !== undefined) this.loads.push(cut(String(record.load.message)))
    else if (Array.isArray(record?.unhandled)) this.unhandled.push(...record.unhandled.map(String))
    else if (Array.isArray(record?.loaded)) this.loaded.push(...record.loaded.slice(0, LOADED_AT_ONCE).map(String))
    else if (record?.end !== undefined) this.total = record.end.total
    else if (record?.start === undefined) this.fault ??= 'the stream holds a line that is not a record'
  }

  exited(code, signal) {
    this.code = code
    this.signal = signal
    this.#isExited = true
    this.#step()
  }

  closed() {
    this.#isClosed = true
    this.#step()
  }

  #step() {
    if (this.#isExited && this.#isClosed) this.#done()
    this.#wake?.()
  }

  // A process that has ended and connected has also closed; what it sent may still be on its way.
  async isDone() {
    const deadline = Date.now() + 2000
    while (!this.#isExited || (!this.#isClosed && Date.now() < deadline)) {
      await new Promise((resolve) => {
        this.#wake = resolve
        setTimeout(resolve, 50)
      })
    }
  }
}

function read(line) {
  try {
    return parse(line)
  } catch {
    return undefined
  }
}

// ---- which of them this process is --------------------------------------------------------------------------------------

if (isMainThread && process.env[VARIABLE] !== undefined) {
  role = process.execArgv.includes('--test') ? new Run() : new File()
}

// Called by node with the events of the run; a process that tests start has no role, and tells nothing.
module.exports = (source) => role !== undefined ? role.report(source) : pass(source)

async function* pass(source) {
  for await (const { type, data } of source) if (type === 'test:stdout') yield data.message
}
