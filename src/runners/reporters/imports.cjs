// Which files a set of scripts imports, told from their text, and which ones this process has required: the proof of where
// the code came from, for runners that do not tell what they loaded. Links are followed, so that a package linked from elsewhere shows where it lies.
'use strict'
const fs = require('node:fs')
const path = require('node:path')
const { createRequire } = require('node:module')
const { fileURLToPath, pathToFileURL } = require('node:url')

const MOST_FILES = 20_000
const MOST_BYTES = 1024 * 1024
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"])([^'"\n]+)\1/g
const ENDINGS = ['', '.js', '.ts', '.mjs', '.cjs', '.mts', '.cts', '.jsx', '.tsx', '.json', '/index.js', '/index.ts']

function importsOf(files) {
  const found = new Set()
  const waiting = files.map(real).filter((file) => file !== undefined)
  while (waiting.length > 0 && found.size < MOST_FILES) {
    const file = waiting.pop()
    if (found.has(file)) continue
    found.add(file)
    // What an installed package imports in turn is installed with it.
    if (/[\\/]node_modules[\\/]/.test(file)) continue
    for (const [, , name] of text(file).matchAll(IMPORT)) {
      const target = resolve(file, name)
      if (target !== undefined && !found.has(target)) waiting.push(target)
    }
  }
  return [...found]
}

function resolve(from, name) {
  if (name.startsWith('node:')) return undefined
  if (/^\.{0,2}\//.test(name) || name.startsWith('file:')) {
    const base = name.startsWith('file:') ? fileURLToPath(name) : path.resolve(path.dirname(from), name)
    // TypeScript's sources are imported under the name of what they compile to.
    for (const candidate of [...ENDINGS.map((ending) => base + ending), base.replace(/\.([mc]?)js$/, '.$1ts')]) {
      const file = real(candidate)
      if (file !== undefined) return file
    }
    return undefined
  }
  try {
    const file = createRequire(pathToFileURL(from)).resolve(name)
    return path.isAbsolute(file) ? real(file) : undefined
  } catch {
    return packageFolder(from, name)
  }
}

// A package without an entry for require(): its manifest says where it lies.
function packageFolder(from, name) {
  const own = name.split('/').slice(0, name.startsWith('@') ? 2 : 1).join('/')
  for (let folder = path.dirname(from); ; folder = path.dirname(folder)) {
    const file = real(path.join(folder, 'node_modules', own, 'package.json'))
    if (file !== undefined || folder === path.dirname(folder)) return file
  }
}

function real(file) {
  try {
    const resolved = fs.realpathSync(file)
    return fs.statSync(resolved).isFile() ? resolved : undefined
  } catch {
    return undefined
  }
}

function text(file) {
  try {
    return fs.statSync(file).size > MOST_BYTES ? '' : fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

// What this process has loaded by require(), whatever way its name came about.
function required() { return Object.keys(require.cache).filter((file) => path.isAbsolute(file)) }

module.exports = { importsOf, required }
