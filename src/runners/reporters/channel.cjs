// The private channel, for reporters that run in node: one connection, JSON lines, append-only, sealed.
// The records are described in src/runners/protocol/mod.rs, seals in src/exec/channel/mod.rs. Tests may share this process
// and patch built-in modules and prototypes, honestly or not. So what is called later is looked up now, nothing on the
// way of a record goes through a prototype, and a line that somebody else writes to the socket has no seal.
'use strict'
const fs = require('node:fs')
const net = require('node:net')
const path = require('node:path')
const { createHmac, Hmac } = require('node:crypto')

const VARIABLE = 'AGENT_ACCEPTANCE_CHANNEL'
const KEY_FILE = 'channel-key'
const BATCH = 256
const BATCH_LENGTH = 100_000
const DELAY_MS = 200
const LOADED_AT_ONCE = 200
const MESSAGE_LENGTH = 4000

const { stringify } = JSON
const { apply, ownKeys } = Reflect
const { isArray } = Array
const { write, end, once, unref, ref } = net.Socket.prototype
const { update, digest } = Hmac.prototype
const { slice, charCodeAt } = String.prototype
const { setTimeout, clearTimeout, Promise } = globalThis
const { unref: unrefTimer } = Object.getPrototypeOf(setTimeout(() => {}, 0).unref())
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
  // What is told to another process of ours goes under a key of its own.
  const own = path.join(__dirname, `${KEY_FILE}-${nonce}`)
  const key = takeKey(fs.existsSync(own) ? own : path.join(__dirname, KEY_FILE))
  const socket = kind === 'unix' ? net.connect({ path: place }) : net.connect({ port: Number(place), host: '127.0.0.1' })
  apply(net.Socket.prototype.on, socket, ['error', () => {}])
  apply(unref, socket, [])
  apply(write, socket, [`{"hello":"${nonce}","sealed":true}\n`])
  const channel = new Channel(socket, key)
  channel.send({ start: { runner, version: version === undefined ? null : String(version) } })
  return channel
}

// Leaves a key for the process that gets this nonce.
function leaveKey(nonce, key) { fs.writeFileSync(path.join(__dirname, `${KEY_FILE}-${nonce}`), key, { mode: 0o600 }) }

// The key can be read once.
function takeKey(file) {
  const key = fs.readFileSync(file, 'latin1')
  fs.unlinkSync(file)
  return key
}

// The code of one line: see src/exec/channel/seal.rs.
function codeOf(key, number, line) {
  const hmac = createHmac('sha256', key)
  apply(update, hmac, [`${number}:`])
  apply(update, hmac, [line, 'utf8'])
  return apply(digest, hmac, ['hex'])
}

class Channel {
  #socket
  #key
  #number = 0
  #tests = ''
  #count = 0
  #timer
  #closed

  constructor(socket, key) {
    this.#socket = socket
    this.#key = key
  }

  // Sends one record now.
  send(record) {
    this.#flush()
    this.#write(encode(record))
  }

  // Sends the files that the run loaded.
  loaded(files) {
    for (let at = 0; at < files.length; at += LOADED_AT_ONCE) this.send({ loaded: files.slice(at, at + LOADED_AT_ONCE) })
  }

  // Sends a test's record, soon.
  test(record) {
    const text = encode(record)
    this.#tests = this.#count === 0 ? text : `${this.#tests},${text}`
    this.#count++
    if (this.#count >= BATCH || this.#tests.length >= BATCH_LENGTH) this.#flush()
    else if (this.#timer === undefined) {
      this.#timer = setTimeout(() => this.#flush(), DELAY_MS)
      apply(unrefTimer, this.#timer, [])
    }
  }

  flush() { this.#flush() }

  #flush() {
    if (this.#timer !== undefined) clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#count === 0) return
    const tests = this.#tests
    this.#tests = ''
    this.#count = 0
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

  #write(line) { apply(write, this.#socket, [`${codeOf(this.#key, this.#number++, line)} ${line}\n`]) }
}
Object.freeze(Channel.prototype)

// JSON, without asking any prototype for a `toJSON` or a way to join.
function encode(value) {
  switch (typeof value) {
    case 'string': return stringify(wellFormed(value))
    case 'number': return value - value === 0 ? `${value}` : 'null'
    case 'boolean': return value ? 'true' : 'false'
    case 'object': break
    default: return 'null'
  }
  if (value === null) return 'null'
  let text = ''
  if (isArray(value)) {
    for (let at = 0; at < value.length; at++) text += `${at === 0 ? '' : ','}${encode(value[at])}`
    return `[${text}]`
  }
  const keys = ownKeys(value)
  for (let at = 0; at < keys.length; at++) {
    const held = value[keys[at]]
    if (held !== undefined) text += `${text === '' ? '' : ','}${stringify(keys[at])}:${encode(held)}`
  }
  return `{${text}}`
}

// Half of a surrogate pair is not Unicode; it would make the line unreadable.
function wellFormed(text) {
  let whole = ''
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const code = apply(charCodeAt, text, [at])
    if (code < 0xd800 || code > 0xdfff) continue
    const next = at + 1 < text.length ? apply(charCodeAt, text, [at + 1]) : 0
    if (code < 0xdc00 && next >= 0xdc00 && next <= 0xdfff) {
      at++
      continue
    }
    whole += `${apply(slice, text, [start, at])}\ufffd`
    start = at + 1
  }
  return start === 0 ? text : whole + apply(slice, text, [start])
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

function cut(text) { return text.length > MESSAGE_LENGTH ? apply(slice, text, [0, MESSAGE_LENGTH]) : text }

module.exports = Object.freeze({ openChannel, leaveKey, codeOf, messageOf, cut })
