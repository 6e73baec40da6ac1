// The private channel, for reporters that run in node: one connection, JSON lines, append-only.
// The records are described in src/runners/protocol/mod.rs. What is called later is looked up now, so that test code
// which patches built-in modules, honestly or not, does not get in between.
'use strict'
const net = require('node:net')

const VARIABLE = 'AGENT_ACCEPTANCE_CHANNEL'
const BATCH = 256
const BATCH_LENGTH = 100_000
const DELAY_MS = 200
const LOADED_AT_ONCE = 200
const MESSAGE_LENGTH = 4000

const { stringify } = JSON
const { apply } = Reflect
const { write, end, once, unref, ref } = net.Socket.prototype
const { setTimeout, clearTimeout } = globalThis
const NoError = Object.freeze({})

// Opens the connection. Called once, before any test code or worker is started.
function openChannel(runner, version) {
  const address = process.env[VARIABLE]
  // What workers inherit is what stands here when they are started.
  delete process.env[VARIABLE]
  if (!address) throw new Error(`${VARIABLE} is not set: this reporter is started by agent-acceptance`)
  // Once there is a handler, the signal no longer opens node's inspector, through which a worker could take over.
  try { process.on('SIGUSR1', () => {}) } catch (error) { void error }
  const kind = address.slice(0, address.indexOf(':'))
  const nonce = address.slice(address.lastIndexOf(':') + 1)
  const place = address.slice(kind.length + 1, address.length - nonce.length - 1)
  const socket = kind === 'unix' ? net.connect({ path: place }) : net.connect({ port: Number(place), host: '127.0.0.1' })
  apply(net.Socket.prototype.on, socket, ['error', () => {}])
  apply(unref, socket, [])
  const channel = new Channel(socket)
  channel.send({ hello: nonce })
  channel.send({ start: { runner, version: version === undefined ? null : String(version) } })
  return channel
}

class Channel {
  #socket
  #tests = []
  #length = 0
  #timer
  #closed

  constructor(socket) { this.#socket = socket }

  // Sends one record now.
  send(record) {
    this.flush()
    this.#write(stringify(record, wellFormed))
  }

  // Sends the files that the run loaded.
  loaded(files) {
    for (let at = 0; at < files.length; at += LOADED_AT_ONCE) this.send({ loaded: files.slice(at, at + LOADED_AT_ONCE) })
  }

  // Sends a test's record, soon.
  test(record) {
    const text = stringify(record, wellFormed)
    this.#tests.push(text)
    this.#length += text.length
    if (this.#tests.length >= BATCH || this.#length >= BATCH_LENGTH) this.flush()
    else if (this.#timer === undefined) {
      this.#timer = setTimeout(() => this.flush(), DELAY_MS)
      this.#timer.unref?.()
    }
  }

  flush() {
    if (this.#timer !== undefined) clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#tests.length === 0) return
    const tests = this.#tests.join(',')
    this.#tests = []
    this.#length = 0
    this.#write(`{"tests":[${tests}]}`)
  }

  // Sends the end record and waits until everything is out.
  close(record) {
    if (this.#closed) return this.#closed
    this.send({ end: record })
    this.#closed = new Promise((resolve) => {
      apply(ref, this.#socket, [])
      apply(once, this.#socket, ['error', resolve])
      apply(once, this.#socket, ['close', resolve])
      apply(end, this.#socket, [resolve])
    })
    return this.#closed
  }

  #write(line) { apply(write, this.#socket, [line + '\n']) }
}

// Half of a surrogate pair is not Unicode; it would make the line unreadable.
function wellFormed(_key, value) {
  return typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\ufffd') : value
}

// What an error says, whatever was thrown.
function messageOf(error) {
  const it = error ?? NoError
  let text
  try {
    if (typeof it !== 'object' && typeof it !== 'function') text = String(it)
    else {
      text = String(it.message ?? it.stack ?? it.name ?? stringify(it) ?? it)
      if (it.name && it.name !== 'Error' && !text.startsWith(it.name)) text = `${it.name}: ${text}`
    }
  } catch (failure) {
    void failure
    text = 'an error that cannot be shown'
  }
  return cut(text)
}

function cut(text) { return text.length > MESSAGE_LENGTH ? text.slice(0, MESSAGE_LENGTH) : text }

module.exports = { openChannel, messageOf, cut }
