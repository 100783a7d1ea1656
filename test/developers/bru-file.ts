import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../harness/repository.ts'

/** A reader of Bruno's files, as far as ours need it: blocks of pairs, and blocks of text. */

export type Pairs = [name: string, value: string][]

export interface BruRequest {
  file: string
  name: string
  seq: number
  method: string
  url: string
  query: Pairs
  headers: Pairs
  basic: { username: string; password: string } | undefined
  json: string | undefined
  form: Pairs | undefined
  multipart: Pairs | undefined
  /** Variables set from the response, each with the path of its value. */
  found: Pairs
  asserts: Pairs
  docs: string
}

const methods = ['get', 'post', 'put', 'patch', 'delete']
const textBlocks = new Set(['docs', 'body:json'])
const known = new Set([
  ...textBlocks,
  ...methods,
  'meta',
  'params:query',
  'headers',
  'auth:basic',
  'body:form-urlencoded',
  'body:multipart-form',
  'vars:post-response',
  'assert',
  'vars',
])

function blocksOf(file: string, text: string): Map<string, string> {
  const blocks = new Map<string, string>()
  const rest = text.replace(/^([\w:-]+) \{\n([\s\S]*?)^\}$/gm, (_, name: string, content: string) => {
    if (!known.has(name) || blocks.has(name)) throw new Error(`${file}: the block ${name}`)
    blocks.set(name, content)
    return ''
  })
  if (rest.trim() !== '') throw new Error(`${file}: not in a block: ${rest.trim()}`)
  return blocks
}

/** A name in brackets may contain anything; otherwise the first colon ends it. */
function pairsOf(content = ''): Pairs {
  return content
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => {
      const [, name = '', value = ''] = /^ {2}((?:\["[^"]*"\]|[^:])+):(.*)$/.exec(line) ?? []
      if (name === '') throw new Error(`not a pair: ${line}`)
      return [name, value.trim()]
    })
}

const read = (path: string) => blocksOf(path, readFileSync(join(root, 'bruno', path), 'utf8'))

export function readEnvironment(name: string): Map<string, string> {
  return new Map(pairsOf(read(`environments/${name}.bru`).get('vars')))
}

export function readRequests(folder: string): BruRequest[] {
  return readdirSync(join(root, 'bruno', folder))
    .map(name => readRequest(`${folder}/${name}`))
    .toSorted((a, b) => a.seq - b.seq)
}

function readRequest(file: string): BruRequest {
  const blocks = read(file)
  const pairs = (name: string) => pairsOf(blocks.get(name))
  const meta = Object.fromEntries(pairs('meta'))
  const [method = ''] = methods.filter(each => blocks.has(each))
  const basic = Object.fromEntries(pairs('auth:basic'))
  return {
    file,
    name: String(meta['name']),
    seq: Number(meta['seq']),
    method: method.toUpperCase(),
    url: String(Object.fromEntries(pairs(method))['url']),
    query: pairs('params:query'),
    headers: pairs('headers'),
    basic: blocks.has('auth:basic') ? (basic as { username: string; password: string }) : undefined,
    json: blocks.get('body:json'),
    form: blocks.has('body:form-urlencoded') ? pairs('body:form-urlencoded') : undefined,
    multipart: blocks.has('body:multipart-form') ? pairs('body:multipart-form') : undefined,
    found: pairs('vars:post-response'),
    asserts: pairs('assert'),
    docs: blocks.get('docs')?.trim() ?? '',
  }
}
