import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { Browser, doorOf } from '../harness/oauth.ts'
import { root } from '../harness/repository.ts'
import { onOneEngine, type Service } from '../harness/service.ts'
import { type BruRequest, readEnvironment, readRequests } from './bru-file.ts'

/** What a response offers to assertions and variables. */
interface Answered {
  status: number
  headers: Record<string, string>
  body: unknown
}

const filledIn = (text: string, variables: Map<string, string>): string =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = variables.get(name)
    assert.ok(value !== undefined && value !== '', `{{${name}}} has no value`)
    return value
  })

function bodyOf(request: BruRequest, fill: (text: string) => string) {
  if (request.json !== undefined) return fill(request.json)
  if (request.form !== undefined) {
    return new URLSearchParams(request.form.map(([name, value]): [string, string] => [name, fill(value)]))
  }
  if (request.multipart === undefined) return null
  const form = new FormData()
  for (const [name, written] of request.multipart) {
    const [, file] = /^@file\((.*)\)$/.exec(written) ?? []
    const [, text = written, type = 'text/plain'] = /^(.*) @contentType\((.*)\)$/.exec(written) ?? []
    if (file === undefined) form.append(name, new Blob([fill(text)], { type }))
    else form.append(name, new Blob([readFileSync(join(root, 'bruno', file))]), basename(file))
  }
  return form
}

async function send(request: BruRequest, variables: Map<string, string>): Promise<Answered> {
  const fill = (text: string) => filledIn(text, variables)
  const headers = new Headers(request.headers.map(([name, value]): [string, string] => [name, fill(value)]))
  const { basic } = request
  if (basic !== undefined) {
    const pair = fill(`${basic.username}:${basic.password}`)
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`)
  }
  if (request.json !== undefined) headers.set('content-type', 'application/json')
  const url = new URL(fill(request.url))
  // Bruno keeps the query twice; both must say the same.
  assert.deepEqual(
    [...url.searchParams],
    request.query.map(([name, value]) => [name, fill(value)]),
    request.file,
  )
  const response = await fetch(url, { method: request.method, headers, body: bodyOf(request, fill) })
  const text = await response.text()
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: isJson ? JSON.parse(text) : text,
  }
}

/** `res.body.a[0].b` and `res.headers["x-y"]`. */
function valueAt(way: string, answered: Answered): unknown {
  const steps = [...way.matchAll(/\["([^"]*)"\]|\[(\d+)\]|\.?(\w+)/g)].map(
    ([, quoted, index, name]) => quoted ?? index ?? name ?? '',
  )
  assert.equal(steps[0], 'res', way)
  return steps
    .slice(1)
    .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], answered)
}

const operators: Record<string, (value: unknown, wanted: string) => boolean> = {
  eq: (value, wanted) => String(value) === wanted,
  gt: (value, wanted) => Number(value) > Number(wanted),
  contains: (value, wanted) => String(value).includes(wanted),
  length: (value, wanted) => (value as unknown[]).length === Number(wanted),
  isDefined: value => value !== undefined,
}

async function replay(request: BruRequest, variables: Map<string, string>): Promise<void> {
  assert.ok(request.docs !== '' && request.asserts.length > 0, `${request.file} says nothing`)
  const answered = await send(request, variables)
  for (const [way, judgement] of request.asserts) {
    const [, operator = '', wanted = ''] = /^(\w+) ?(.*)$/.exec(judgement) ?? []
    const value = valueAt(way, answered)
    assert.ok(
      operators[operator]?.(value, filledIn(wanted, variables)),
      `${request.file}: ${way} is ${JSON.stringify(value)}, and not ${judgement}: ${JSON.stringify(answered.body)}`,
    )
  }
  for (const [name, way] of request.found) {
    const value = valueAt(way, answered)
    assert.ok(value !== undefined, `${request.file}: there is no ${way}`)
    variables.set(name, String(value))
  }
}

function variablesFor({ baseUrl }: Service): Map<string, string> {
  const variables = readEnvironment('demo')
  assert.equal(variables.get('baseUrl'), 'http://localhost:8080', 'as "npm start" serves it')
  for (const name of ['baseUrl', 'authUrl']) variables.set(name, baseUrl)
  return variables
}

onOneEngine('the Bruno collection', service => {
  for (const folder of ['1-collect', '2-apply', '3-share']) {
    test(`${folder} runs from top to bottom`, async () => {
      const variables = variablesFor(service())
      for (const request of readRequests(folder)) {
        // What the documentation of the previous request asks a person to do.
        if (request.url.endsWith('/token') && request.form?.some(([name]) => name === 'code')) {
          const browser = new Browser(doorOf(service()))
          variables.set('code', await browser.code({ advertiser_id: variables.get('advertiserId') }))
        }
        await replay(request, variables)
      }
    })
  }

  test('an assertion that fails is noticed', async () => {
    const [first] = readRequests('1-collect')
    assert.ok(first !== undefined)
    const wrong = { ...first, asserts: [['res.status', 'eq 404']] as [string, string][] }
    await assert.rejects(replay(wrong, variablesFor(service())), /res\.status is 200, and not eq 404/)
  })
})
