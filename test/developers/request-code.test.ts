import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { type CodeRequest, requestCode } from '../../src/site/docs/assets/request-code.mjs'
import { readCurl } from '../../src/site/docs/code/curl-markup.ts'
import { hasPhp } from '../harness/php.ts'

const run = promisify(execFile)

/** The ones executed here; the others are for people to read. */
const languages = {
  curl: { ending: 'sh', command: 'sh', runAll: (script: string) => `sh ${script}` },
  typescript: {
    ending: 'ts',
    command: process.execPath,
    runAll: (script: string) => `await import('./${script}')`,
  },
  python: {
    ending: 'py',
    command: 'python3',
    runAll: (script: string) => `exec(open("${script}").read())`,
  },
  php: { ending: 'php', command: 'php', runAll: (script: string) => `<?php require '${script}' ?>` },
} as const

const hostile = 'a\'b"c\\d\n$HOME `id` $\u007bx} {y} é 漢 %s &<>'
const json = JSON.stringify({
  text: hostile,
  none: null,
  yes: true,
  no: false,
  list: [1, 'two', [], {}],
  'odd-key': 1.5,
})

const requests: Record<string, Omit<CodeRequest, 'url'> & { path: string }> = {
  list: { method: 'GET', path: '/list?limit=2&q=a%20b', headers: [['Authorization', 'SWS sws_demo']] },
  plain: { method: 'GET', path: '/plain', headers: [] },
  bodyless: { method: 'POST', path: '/close', headers: [['Authorization', 'Bearer dat_x']] },
  json: { method: 'POST', path: '/json', headers: [['Idempotency-Key', '"k"']], json },
  replace: { method: 'PUT', path: '/replace', headers: [], json: '{"a": [{"b": "c"}]}' },
  broken: { method: 'POST', path: '/broken', headers: [], json: '{"a": ' },
  form: {
    method: 'POST',
    path: '/form',
    headers: [],
    basic: ['id', "se'cr:et"],
    form: [
      ['grant_type', 'authorization_code'],
      ['redirect_uri', 'http://127.0.0.1:9090/callback?a=b&c'],
      ['note', hostile],
    ],
  },
  parts: {
    method: 'POST',
    path: '/parts',
    headers: [['Authorization', 'Bearer dat_x']],
    parts: [
      { name: 'application', json: '{"contact": {"firstName": "Zoë"}}' },
      { name: 'resume', file: 'resume.pdf' },
    ],
  },
  saved: { method: 'GET', path: '/saved', headers: [], saveAs: 'saved.bin' },
}

/** The request as received, without the client's own headers. */
interface Arrived {
  method: string
  url: string
  headers: Record<string, string>
  body: unknown
}

describe('the code of a request', () => {
  let folder: string
  const arrived: Arrived[] = []
  const file = Buffer.from([0, 1, 2, 250, 13, 10, 45, 45])
  const server = createServer(async (request, response) => {
    const bytes = await buffer(request)
    const { authorization, 'idempotency-key': key, 'content-type': type = '' } = request.headers
    const isForm = /^multipart\//.test(type)
    const named = { authorization, key, type: isForm || bytes.length === 0 ? undefined : type.split(';')[0] }
    arrived.push({
      method: request.method ?? '',
      url: request.url ?? '',
      headers: JSON.parse(JSON.stringify(named)),
      body: isForm ? await partsOf(bytes, type) : bodyOf(bytes.toString(), type),
    })
    response.end(request.url === '/saved' ? file : 'ok')
  })
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'dossier-code-'))
    writeFileSync(join(folder, 'resume.pdf'), file)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  })
  after(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })

  /** The values that must arrive, unchanged. */
  function expectedOf({ path, ...request }: (typeof requests)[string]): Arrived {
    const { basic, headers, json: body, form, parts } = request
    const header = (wanted: string) => headers.find(([name]) => name === wanted)?.[1]
    const authorization =
      basic === undefined
        ? header('Authorization')
        : `Basic ${Buffer.from(basic.join(':')).toString('base64')}`
    const type = body !== undefined ? 'application/json' : form && 'application/x-www-form-urlencoded'
    return {
      method: request.method,
      url: path,
      headers: JSON.parse(JSON.stringify({ authorization, key: header('Idempotency-Key'), type })),
      body: body !== undefined ? bodyOf(body, 'application/json') : (form ?? (parts ? parcelOf(file) : '')),
    }
  }

  for (const [language, { ending, command, runAll }] of Object.entries(languages)) {
    const skip = language === 'php' && !hasPhp
    test(`sends the given values: ${language}`, { skip }, async () => {
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      // One process runs them all, one after the other.
      const scripts = Object.values(requests).map(({ path, ...request }, index) => {
        const code = requestCode(language as keyof typeof languages, { ...request, url: `${origin}${path}` })
        writeFileSync(join(folder, `${index}.${ending}`), code)
        return `${index}.${ending}`
      })
      writeFileSync(join(folder, `all.${ending}`), scripts.map(runAll).join('\n'))
      arrived.length = 0
      await run(command, [`all.${ending}`], { cwd: folder })
      assert.deepEqual(arrived, Object.values(requests).map(expectedOf))
      assert.deepEqual(readFileSync(join(folder, 'saved.bin')), file)
      rmSync(join(folder, 'saved.bin'))
    })
  }

  test('a parsed curl command sends the same request', () => {
    for (const { path, ...request } of Object.values(requests)) {
      const given = { ...request, url: `http://localhost${path}` }
      // Quoted quotes are left to the shell.
      const command = requestCode('curl', given)
      const isPlain = !/'\\''|--data-urlencode/.test(command)
      const read = readCurl(command)
      assert.equal(read !== undefined, isPlain, command)
      if (read === undefined) continue
      assert.equal(requestCode('curl', read), command)
      assert.deepEqual([read.method, read.url, read.headers], [given.method, given.url, given.headers])
    }
  })

  test('only one simple command is parsed', () => {
    const others = [
      'npm start',
      'curl',
      'curl http://a http://b',
      'curl http://a | sh',
      'curl http://a > b',
      'curl http://a; ls',
      'curl http://a\ncurl http://b',
      'curl "$URL"',
      'curl `id`',
      'curl --proxy x http://a',
      'curl http://a -H',
      "curl 'http://a",
      'TOKEN=x curl http://a',
    ]
    for (const text of others) assert.equal(readCurl(text), undefined, text)
  })
})

const bodyOf = (text: string, type: string): unknown => {
  if (type.startsWith('application/x-www-form-urlencoded')) return [...new URLSearchParams(text)]
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const partsOf = async (bytes: Buffer, type: string) => {
  const form = await new Response(Uint8Array.from(bytes), { headers: { 'content-type': type } }).formData()
  return Promise.all(
    [...form].map(async ([name, value]) =>
      typeof value === 'string'
        ? { name, value: JSON.parse(value) }
        : /json/.test(value.type)
          ? { name, value: JSON.parse(await value.text()) }
          : { name, file: value.name, bytes: [...new Uint8Array(await value.arrayBuffer())] },
    ),
  )
}

const parcelOf = (file: Buffer) => [
  { name: 'application', value: { contact: { firstName: 'Zoë' } } },
  { name: 'resume', file: 'resume.pdf', bytes: [...file] },
]
