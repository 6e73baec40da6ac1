// Vitest's reporter, for 0.34 to 5. It reads the task tree, which has kept its form through all of them; the reporter's
// events have not. From 3 on a test is sent when it ends, before that when its file ends. At the end the whole tree is
// compared with what was sent: a test whose result changed afterwards is sent again, which the reader takes as a fault.
import { createRequire } from 'node:module'

const { openChannel, messageOf, cut } = createRequire(import.meta.url)('./channel.cjs')

const FAILED_TO_FAIL = /expect test to fail/i

export default class AcceptanceReporter {
  #vitest
  #channel
  #sent = new Map()
  #places = new Map()
  #expected = new Map()
  #specifications = []
  #done

  onInit(vitest) {
    this.#vitest = vitest
    this.#channel = openChannel('vitest', vitest?.version ?? vitest?.packageInstaller?.version)
  }

  // From 3 on.
  onTestRunStart(specifications) { this.#specifications = [...specifications] }
  onTestModuleCollected(module) { this.#collected(module.task) }
  onTestCaseResult(test) { this.#send(test.task) }
  onTestRunEnd(modules, errors, reason) { return this.#end(modules.map((module) => module.task), errors, reason) }

  // Before 3; 3 calls these too, and then they find nothing to do.
  onCollected(files) { for (const file of files ?? []) this.#collected(file) }
  onTaskUpdate(packs) {
    for (const [id] of packs ?? []) {
      const task = this.#vitest?.state?.idMap?.get(id)
      if (task !== undefined && isFile(task) && isFinal(task)) for (const test of testsOf(task)) this.#send(test.task)
    }
  }
  onFinished(files, errors) { return this.#end(files ?? [], errors, undefined) }

  #collected(file) {
    if (isTypes(file)) return
    const count = this.#number(file)
    const key = `${projectOf(file) ?? ''}\0${file.filepath}`
    // Before 3 a file is announced once more, empty, before it is collected.
    if (count === 0 || this.#expected.get(key) === count) return
    this.#expected.set(key, count)
    this.#channel.send({ expected: { project: projectOf(file), file: file.filepath, count } })
  }

  // Numbers a file's tests in the order in which they are defined.
  #number(file) {
    let count = 0
    for (const test of testsOf(file)) this.#places.set(test.task.id, { at: count++, path: test.path, file })
    return count
  }

  #send(task) {
    if (!this.#places.has(task.id) && task.file) this.#number(task.file)
    const place = this.#places.get(task.id)
    if (place === undefined) return
    const status = statusOf(task)
    if (this.#sent.get(task.id) === status) return
    this.#sent.set(task.id, status)
    const errors = task.result?.errors ?? []
    this.#channel.test({
      project: projectOf(place.file),
      file: place.file.filepath,
      path: place.path,
      at: place.at,
      status,
      counted_as_passed: status === 'expected_failure' ? true : undefined,
      each: task.each ? true : undefined,
      line: lineOf(errors[0], place.file.filepath) ?? task.location?.line,
      message: errors.length > 0 ? cut(errors.map(messageOf).join('\n')) : task.result?.note,
    })
  }

  async #end(files, errors, reason) {
    if (this.#done) return this.#done
    let total = 0
    for (const file of files) {
      const tests = [...testsOf(file)]
      total += tests.length
      if (tests.some((test) => !this.#places.has(test.task.id))) this.#number(file)
      for (const test of tests) this.#send(test.task)
      this.#loadErrors(file, tests)
    }
    for (const specification of this.#specifications) {
      const path = specification.moduleId ?? specification[1]
      if (!files.some((file) => file.filepath === path)) this.#load(path, 'the file was never run')
    }
    const unhandled = [...(errors ?? [])].map((error) => cut(`${error?.type ? `${error.type}: ` : ''}${messageOf(error)}`))
    if (unhandled.length > 0) {
      this.#channel.send({ unhandled })
      // Before 2 it is vitest's own reporters that make the run fail for them.
      if (!this.#vitest?.config?.dangerouslyIgnoreUnhandledErrors) process.exitCode ||= 1
    }
    this.#channel.loaded([...loadedFiles(this.#vitest)])
    this.#done = this.#channel.close({ total, reason: reason ?? null })
    return this.#done
  }

  #load(file, message) { this.#channel.send({ load: { file, message } }) }

  #loadErrors(file, tests) {
    const said = []
    for (const { task, path } of suitesOf(file, [])) {
      for (const error of task.result?.errors ?? []) said.push(path.length > 0 ? `${path.join(' > ')}: ${messageOf(error)}` : messageOf(error))
    }
    for (const message of said) this.#load(file.filepath, cut(message))
    if (said.length > 0) return
    const state = file.result?.state
    const isExplained = tests.some(({ task }) => task.result?.state === 'fail' || statusOf(task) === 'unfinished')
    if (state === 'fail' && !isExplained) this.#load(file.filepath, 'the file failed and no test in it says why')
    if (!isFinal(file) && !isExplained && file.mode !== 'skip' && file.mode !== 'todo') this.#load(file.filepath, 'the file was not run to its end')
  }
}

const isFile = (task) => typeof task.filepath === 'string' && Array.isArray(task.tasks)
const isFinal = (task) => ['pass', 'fail', 'skip', 'todo'].includes(task.result?.state)
const isTypes = (file) => file.meta?.typecheck === true || file.pool === 'typescript'

// A file of type tests may be a file of tests as well.
function projectOf(file) {
  const name = file.projectName || undefined
  return isTypes(file) ? `${name ?? ''} (types)`.trim() : name
}

function* testsOf(suite, path = []) {
  for (const task of suite.tasks ?? []) {
    const here = [...path, String(task.name)]
    if (task.type === 'suite') yield* testsOf(task, here)
    else yield { task, path: here }
  }
}

function* suitesOf(suite, path) {
  yield { task: suite, path }
  for (const task of suite.tasks ?? []) if (task.type === 'suite') yield* suitesOf(task, [...path, String(task.name)])
}

function statusOf(task) {
  const state = task.result?.state
  const errors = task.result?.errors ?? []
  if (task.mode === 'todo' || state === 'todo') return 'todo'
  if (task.mode === 'skip' || state === 'skip') return 'skipped'
  if (state === 'fail') return task.fails && errors.some((error) => FAILED_TO_FAIL.test(String(error?.message))) ? 'unexpected_pass' : 'failed'
  // Before 1.0 a test under a failed beforeAll has no result at all.
  if (state !== 'pass') return state === undefined && isUnderFailedHook(task) ? 'skipped' : 'unfinished'
  if (task.fails) return 'expected_failure'
  if ((task.result.retryCount ?? 0) > 0) return 'flaky'
  // A test that passed at its first try holds no error: somebody rewrote its state.
  return errors.length > 0 ? 'errored' : 'passed'
}

function isUnderFailedHook(task) {
  for (let suite = task.suite; suite; suite = suite.suite) if ((suite.result?.errors ?? []).length > 0) return true
  return false
}

function lineOf(error, file) {
  const frame = (error?.stacks ?? []).find((it) => it.file === file)
  const stack = String(error?.stack ?? '')
  const at = stack.indexOf(`${file}:`)
  const line = frame?.line ?? (at < 0 ? undefined : Number.parseInt(stack.slice(at + file.length + 1), 10))
  return Number.isSafeInteger(line) && line > 0 ? line : undefined
}

// Every file in Vite's module graphs: the proof of where the code came from.
function* loadedFiles(vitest) {
  const servers = [vitest?.vite ?? vitest?.server, ...(vitest?.projects ?? []).map((project) => project.vite ?? project.server)]
  const seen = new Set()
  for (const server of servers) {
    const environments = Object.values(server?.environments ?? {})
    const graphs = environments.length > 0 ? environments.map((environment) => environment.moduleGraph) : [server?.moduleGraph]
    for (const graph of graphs) {
      for (const file of graph?.fileToModulesMap?.keys?.() ?? []) {
        if (typeof file !== 'string' || file.includes('\0') || seen.has(file)) continue
        seen.add(file)
        yield file
      }
    }
  }
}
