import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demoWebhookId } from '../../src/demo/world/world.ts'
import type { ResponseExample } from '../../src/site/docs/reference/call-markup.ts'
import {
  demoCredentials,
  type RequestExample,
  requestExamples,
} from '../../src/site/docs/reference/examples.ts'
import { type Call, callsOf, type OpenApiDocument } from '../../src/site/docs/reference/openapi.ts'
import { exampleRequest } from '../../src/site/docs/reference/request-markup.ts'
import { assertGolden } from '../harness/golden.ts'
import { call as callService, harbour } from '../harness/http.ts'
import { Browser, doorOf, redeem, requestToken, tokenOf } from '../harness/oauth.ts'
import { readText } from '../harness/repository.ts'
import { onOneEngine } from '../harness/service.ts'
import { sendRequest } from './code-request.ts'
import { agentToken, removalLast } from './reference-calls.ts'

/** The first opens in the candidate's browser, and so returns a page; no application of the demo has the second's file. */
const withoutResponse = new Set(['authorize', 'answerFile'])
/** More than this is not read, but downloaded. */
const longestBody = 8_000
const anyUuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

onOneEngine('the responses in the reference', service => {
  test("are the service's responses to the examples", async () => {
    const { baseUrl } = service()
    const door = doorOf(service())
    const board = { id: 'demo-board', secret: 'demo-board-secret' }
    const ofClient = { grant_type: 'client_credentials' }
    const ofBoard = { ...ofClient, scope: 'w_applications' }
    const tokens: Record<string, string> = {
      intake: tokenOf(await requestToken(door, ofBoard, { client: board })),
      client: tokenOf(await requestToken(door, ofClient)),
      agent: await agentToken(service()),
      candidate: tokenOf(await redeem(door, await new Browser(door).code({ advertiser_id: '10000001' }))),
    }
    const { bytes: pdf } = await callService(service(), '/v1/advertiser/applications/resume/1', {
      headers: harbour,
    })
    /** What the reader gets from the call before. */
    const found: Record<string, string> = {}
    const examples: Record<string, ResponseExample> = {}
    for (const call of removalLast(callsOf(JSON.parse(readText('spec/openapi.json')) as OpenApiDocument))) {
      const { operationId } = call
      if (withoutResponse.has(operationId)) continue
      const request = exampleRequest(call, baseUrl, filledIn(requestExamples[operationId] ?? {}, found), {
        ...demoCredentials,
        bearer: { token: tokens[tokenFor(call)] ?? '' },
      })
      const response = await sendRequest(request, pdf)
      const body = await response.text()
      assert.ok(response.ok, `${operationId}: ${response.status} ${body}`)
      if (operationId === 'prefill') {
        const { id, resume } = JSON.parse(body)
        Object.assign(found, { applicationId: id, resumeId: resume.link.split('/').at(-1) })
      }
      if (operationId === 'replayWebhook') found['replayId'] = JSON.parse(body).replayId
      examples[operationId] = recorded(response, body, baseUrl)
    }
    assertGolden('responses.json', `${JSON.stringify(examples, null, 2)}\n`)
  })
})

const tokenFor = ({ operationId, tags }: Call) =>
  tags.includes('Intake')
    ? 'intake'
    : tags.includes('Webhooks')
      ? 'agent'
      : ['complete', 'followClientEvents', 'reportPrefillProgress'].includes(operationId)
        ? 'client'
        : 'candidate'

function filledIn(example: RequestExample, found: Record<string, string>): RequestExample {
  if (
    found['applicationId'] !== undefined &&
    JSON.stringify(example.json)?.includes('prefilledApplicationId')
  )
    return JSON.parse(JSON.stringify(example).replaceAll(anyUuid, found['applicationId']))
  if (example.parameters === undefined) return example
  const parameters = Object.entries(example.parameters).map(([name, value]) => [name, found[name] ?? value])
  return { ...example, parameters: Object.fromEntries(parameters) }
}

/** Without the parts that change on each run: tokens, random identifiers, the address and the current time. */
function recorded({ status, headers }: Response, text: string, baseUrl: string): ResponseExample {
  const type = headers.get('content-type') ?? ''
  const isShown = text !== '' && text.length < longestBody && /json|^text\/plain/.test(type)
  const names = isShown ? ['content-type'] : ['content-type', 'content-disposition', 'etag', 'accept-ranges']
  const kept = names.flatMap((name): [string, string][] => {
    const value = headers.get(name)
    return value === null ? [] : [[name, value]]
  })
  if (!isShown) return { status, headers: Object.fromEntries(kept) }
  const pretty = /json/.test(type) ? JSON.stringify(JSON.parse(text), null, 2) : text.trimEnd()
  const body = pretty
    .replaceAll(baseUrl, 'http://localhost:8080')
    .replace(/"dat_[^"]*"/g, '"dat_..."')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, at => (isRecent(at) ? '2026-11-14T00:00:00.000Z' : at))
    .replace(/"overlapUntil": ".*"/g, '"overlapUntil": "2026-11-15T00:00:00.000Z"')
    .replace(/"whsec_[^"]*"/g, '"whsec_..."')
    .replace(/"ms": \d+/g, '"ms": 12')
    .replace(/evt_10000001_\d+/g, 'evt_10000001_1794614400000')
    .replace(/"cursor": ".*"/g, '"cursor": "AQAAAaHY..."')
    .replace(/"(id|replayId|prefilledApplicationId|link|complete)".*/g, line =>
      line.replace(anyUuid, id => (id === demoWebhookId ? id : '00000000-0000-4000-8000-000000000000')),
    )
  return { status, headers: Object.fromEntries(kept), body }
}

const isRecent = (at: string) => Math.abs(Date.now() - Date.parse(at)) < 3_600_000
