import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proved } from '../../../test/harness/proof.ts'
import { createLog } from '../../logging.ts'
import { traceIdOf } from '../../platform/http/observed/request-id.ts'
import { createRequestLog, type RequestLine } from '../../platform/http/observed/request-log.ts'
import { describeCallers } from './board-callers.ts'

const principal = {
  credentialId: 'client:"x"',
  advertiserId: 10000001,
  agentId: 7,
  isOnHold: false,
  version: 3,
  eventNumber: 3,
}
const session = {
  sessionId: 's',
  candidateId: 'c',
  email: 'a@example.com',
  firstName: 'A',
  isMember: true,
  ...proved,
}
const console = { ...session, advertiserId: 1, advertiserName: 'B', role: 'admin', timeZone: 'UTC' } as const

const line: RequestLine = {
  requestId: 'a.b_c-1',
  traceId: undefined,
  method: 'GET',
  route: '/v1/advertiser/applications/resume/:jobApplicationId',
  status: 200,
  ms: 1.2345,
  caller: principal,
  isCut: false,
}

/** The line that pino itself would write. */
function fieldsOf({ requestId, traceId, ms, caller, isCut, ...rest }: RequestLine, named: object) {
  return {
    requestId,
    ...(traceId === undefined ? {} : { trace_id: traceId }),
    ...rest,
    ms: Math.round(ms * 10) / 10,
    ...named,
    ...(isCut ? { cut: true } : {}),
  }
}

test('a line is, character for character, the one that the logger itself would have written', () => {
  const lines: string[] = []
  const plain = createLog({ level: 'info', format: 'json', write: text => void lines.push(text) })
  for (const log of [plain, plain.child({ worker: 2 })]) {
    const { advertiserId, credentialId } = principal
    const token = { clientId: 'board "é"\n' }
    const cases: [RequestLine, named: object][] = [
      [line, { advertiserId, credentialId }],
      [{ ...line, caller: undefined }, {}],
      [{ ...line, caller: undefined, traceId: '4bf92f3577b34da6a3ce929d0e0e4736' }, {}],
      [{ ...line, caller: token }, token],
      [{ ...line, caller: session }, {}],
      [{ ...line, caller: console }, {}],
      [
        { ...line, status: 503, ms: 60_000, isCut: true },
        { advertiserId, credentialId },
      ],
    ]
    for (const [each, named] of cases) {
      log.info(fieldsOf(each, named), 'request')
      createRequestLog(log, describeCallers.logFieldsOf)(each)
    }
  }
  const withoutTime = lines.map(text => text.replace(/"time":"\d{4}-\d\d-\d\dT[\d:.]{12}Z"/, '"time"'))
  assert.equal(withoutTime.length, 28)
  for (let index = 0; index < lines.length; index += 2) {
    assert.match(withoutTime[index] ?? '', /"time",/)
    assert.equal(withoutTime[index + 1], withoutTime[index])
  }
})

test('nothing is written if requests are not logged', () => {
  const log = createLog({ level: 'warn', format: 'json', write: () => assert.fail() })
  createRequestLog(log, describeCallers.logFieldsOf)(line)
})

test('the trace of a caller is taken from a valid traceparent only', () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  const of = (traceparent: string) => traceIdOf({ traceparent })
  assert.equal(of(`00-${trace}-00f067aa0ba902b7-01`), trace)
  assert.equal(of(`01-${trace}-00f067aa0ba902b7-01-later`), trace)
  assert.equal(traceIdOf({}), undefined)
  for (const wrong of [
    `ff-${trace}-00f067aa0ba902b7-01`,
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${trace}-0000000000000000-01`,
    `00-${trace.toUpperCase()}-00f067aa0ba902b7-01`,
    `00-${trace}-00f067aa0ba902b7-01"}`,
    `00-${trace.slice(1)}"-00f067aa0ba902b7-01`,
    'x',
    '',
  ])
    assert.equal(of(wrong), undefined, wrong)
})
